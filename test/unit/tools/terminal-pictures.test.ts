import { expect, test } from "vitest";
import { screenOf } from "../../../tools/screenshots/terminal/screen";
import { terminalSvg } from "../../../tools/screenshots/terminal/svg";

const ESC = "\u001b";

test("a screen is what is left once the cursor has moved", async () => {
	const [first, second, ...more] = await screenOf(
		`creating...\r\nsecond\r\n${ESC}[2A${ESC}[K${ESC}[32mcreated${ESC}[0m  \r\n\n\n`,
	);
	expect(more).toEqual([]);
	expect(first).toEqual([{ column: 0, width: 7, text: "created", color: 2, bold: false, dim: false }]);
	expect(second?.[0]?.text).toBe("second");
});

test("a picture has its text as text, by its columns, in both themes, and nothing from elsewhere", async () => {
	const svg = terminalSvg("pulumi up", await screenOf(`${ESC}[1m+  a<b & c${ESC}[0m ${ESC}[31mred${ESC}[0m`));
	expect(svg).toContain(
		'<text x="16" y="52.2" textLength="7.8" lengthAdjust="spacingAndGlyphs" class="b">+</text>',
	);
	expect(svg).toMatch(/<text x="39\.4" [^>]*textLength="54\.6" [^>]*>a&lt;b &amp; c<\/text>/);
	expect(svg).toMatch(/<text x="101\.8" [^>]* class="c1">red<\/text>/);
	expect(svg).toContain("prefers-color-scheme:dark");
	expect(svg).not.toMatch(/@import|url\(|href=|<script|<image/);
});
