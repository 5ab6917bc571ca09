import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { renderHtml } from "../../src/drift/render-html";
import { type TempFolder, tempFolder } from "../../tools/process/temp-folder";
import { CHROMIUM_FLAGS, findChromium, type Pixels, pixelsOf } from "../helpers/drift-browser";
import { sampleReport } from "../helpers/drift-report";

const executablePath = findChromium();
const hint = "No browser: set CHROMIUM_PATH, or install chromium. The drift page was NOT opened.";

if (executablePath === undefined) console.warn(hint);

// Skipped on a machine without a browser; in CI that is a failure.
describe.skipIf(executablePath === undefined && process.env.CI !== "true")(
	"the drift page in a real browser",
	() => {
		let folder: TempFolder;
		let browser: Browser;
		beforeAll(async () => {
			if (executablePath === undefined) throw new Error(hint);
			folder = tempFolder("drift-page-");
			writeFileSync(
				join(folder.path, "drift.html"),
				renderHtml(sampleReport("<script>document.title='owned'</script>")),
			);
			browser = await chromium.launch({ executablePath, args: CHROMIUM_FLAGS });
		});
		afterAll(async () => {
			await browser?.close();
			folder?.remove();
		});

		const open = async (options: { width: number; height: number; colorScheme: "light" | "dark" }) => {
			const { width, height, colorScheme } = options;
			const page = await browser.newPage({ viewport: { width, height }, colorScheme });
			const requests: string[] = [];
			const problems: string[] = [];
			page.on("request", (request) => requests.push(request.url()));
			page.on("console", (message) => problems.push(message.text()));
			page.on("pageerror", (error) => problems.push(error.message));
			const url = pathToFileURL(join(folder.path, "drift.html")).href;
			await page.goto(url);
			return { page, requests, problems, url };
		};

		/** The colours of the sections' upper edges, which the style gives each its own of. */
		const EDGES = {
			light: { changed: "rgb(154, 103, 0)", missing: "rgb(179, 38, 30)", unmanaged: "rgb(11, 107, 138)" },
			dark: { changed: "rgb(227, 179, 65)", missing: "rgb(255, 138, 128)", unmanaged: "rgb(108, 199, 228)" },
		};

		it.each(["light", "dark"] as const)(
			"shows the three sections in a %s screenshot",
			async (colorScheme) => {
				const { page } = await open({ width: 1200, height: 900, colorScheme });
				const blank = await browser.newPage();
				for (const [id, edge] of Object.entries(EDGES[colorScheme])) {
					const section = page.locator(`#${id}`);
					expect((await section.locator("h2").textContent())?.toLowerCase()).toContain(id);
					const seen = (await blank.evaluate(pixelsOf(await section.screenshot()))) as Pixels;
					expect(seen.edge).toBe(edge);
					expect(seen.height).toBeGreaterThan(100);
					// On white, ink is text; on a dark card, nearly everything is.
					expect(seen.ink).toBeGreaterThan(colorScheme === "light" ? 300 : (seen.width * seen.height) / 2);
				}
				await Promise.all([page.close(), blank.close()]);
			},
		);

		it("runs no script from a name, loads nothing and reports no problem", async () => {
			const { page, requests, problems, url } = await open({
				width: 1200,
				height: 900,
				colorScheme: "light",
			});
			expect(await page.title()).toBe(
				"Drift: 1 changed, 1 missing, 2 unmanaged, 1 twin, 3 could not be checked",
			);
			expect(await page.locator("script").count()).toBe(0);
			expect([requests, problems]).toEqual([[url], []]);
			await page.close();
		});

		it("fits the width of a phone", async () => {
			const { page } = await open({ width: 360, height: 740, colorScheme: "light" });
			const width = await page.evaluate("document.documentElement.scrollWidth");
			expect(width).toBeLessThanOrEqual(360);
			for (const id of ["changed", "missing", "twins", "failed", "unmanaged", "unlisted", "unchecked"]) {
				expect(await page.locator(`#${id}`).isVisible()).toBe(true);
			}
			await page.close();
		});
	},
);
