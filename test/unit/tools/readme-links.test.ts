import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { absoluteLinks, relativeLinks } from "../../../tools/pack/readme-links";
import { repository } from "../../../tools/repository";

const home = { repository: "https://example.com/o/r", version: "1.2.3" };
const at = (kind: string) => `https://example.com/o/r/${kind}/v1.2.3`;

test.each([
	["[a page](docs/a.md#part)", `[a page](${at("blob")}/docs/a.md#part)`],
	["[`code`](src/x)", `[\`code\`](${at("blob")}/src/x)`],
	["![a picture](docs/a.svg)", `![a picture](${at("raw")}/docs/a.svg)`],
	['<source srcset="docs/a.png">', `<source srcset="${at("raw")}/docs/a.png">`],
	[
		'<a href="docs/a.md"><img src="./a.gif"></a>',
		`<a href="${at("blob")}/docs/a.md"><img src="${at("raw")}/./a.gif"></a>`,
	],
	["[page]: docs/a.md", `[page]: ${at("blob")}/docs/a.md`],
])("%s leads to the files of the version", (text, packed) => {
	expect(absoluteLinks(text, home)).toBe(packed);
	expect(relativeLinks(packed, home)).toBe(text);
});

test.each([
	["a URL", "[site](https://example.org/a.md) <mailto:a@example.org>"],
	["a place on the page", "[below](#below)"],
	["code in a line", "`handlers[0](input)`"],
	["code in a block", "```ts\nhandlers[0](input);\n```"],
])("%s stays as it is", (_, text) => {
	expect(absoluteLinks(text, home)).toBe(text);
});

test("the README comes through packing unchanged, also where packing was broken off", () => {
	const text = readFileSync(join(repository, "README.md"), "utf8");
	const packed = absoluteLinks(text, home);
	expect(packed).not.toBe(text);
	expect(absoluteLinks(packed, home)).toBe(packed);
	expect(relativeLinks(packed, home)).toBe(text);
});
