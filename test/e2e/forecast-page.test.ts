import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { renderHtml as driftPage } from "../../src/drift/render-html";
import { renderHtml as forecastPage } from "../../src/forecast/render-html";
import { type TempFolder, tempFolder } from "../../tools/process/temp-folder";
import { CHROMIUM_FLAGS, findChromium } from "../helpers/drift-browser";
import { manyDrifts } from "../helpers/drift-report";
import { forecastOf, largeTeam, scheduleOf } from "../helpers/forecast-team";

const executablePath = findChromium();
const hint = "No browser: set CHROMIUM_PATH, or install chromium. The forecast page was NOT opened.";

if (executablePath === undefined) console.warn(hint);

const report = largeTeam(1_000);
const SCRIPT_NAME = "<script>document.title='owned'</script>";

// Skipped on a machine without a browser; in CI that is a failure.
describe.skipIf(executablePath === undefined && process.env.CI !== "true")(
	"the pages of 1,000 schedules in a real browser",
	() => {
		let folder: TempFolder;
		let browser: Browser;
		/** The forecast, which takes long to lay out: one for all tests that only click in it. */
		let page: Page;
		beforeAll(async () => {
			if (executablePath === undefined) throw new Error(hint);
			folder = tempFolder("forecast-page-");
			const pages = {
				forecast: forecastPage(report),
				drift: driftPage(manyDrifts(1_000)),
				hostile: forecastPage(forecastOf([scheduleOf(SCRIPT_NAME, { pipeline: `"'&${SCRIPT_NAME}` })])),
			};
			for (const [name, html] of Object.entries(pages))
				writeFileSync(join(folder.path, `${name}.html`), html);
			browser = await chromium.launch({ executablePath, args: CHROMIUM_FLAGS });
			page = await open("forecast");
		});
		afterAll(async () => {
			await browser?.close();
			folder?.remove();
		});

		const open = async (name: string, options: { width?: number; colorScheme?: "light" | "dark" } = {}) => {
			const { width = 1_200, colorScheme = "light" } = options;
			const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
			const [requests, problems]: string[][] = [[], []];
			page.on("request", (request) => requests?.push(request.url()));
			page.on("console", (message) => problems?.push(message.text()));
			page.on("pageerror", (error) => problems?.push(error.message));
			const url = pathToFileURL(join(folder.path, `${name}.html`)).href;
			await page.goto(url);
			expect([requests, problems]).toEqual([[url], []]);
			return page;
		};
		const shown = () => page.locator("#schedules tbody tr:not([hidden])").count();
		beforeEach(() => page.click("#clear"));

		it("the forecast shows tiles, heat map, calendar and all schedules, and nothing is loaded", async () => {
			expect(await page.locator(".heat button").count()).toBe(7 * 24);
			expect(await page.locator(".calendar button").count()).toBe(8);
			expect(await shown()).toBe(1_000);
			expect(await page.locator("#told").textContent()).toBe("1000 of 1000 schedules");
			expect(await page.locator(".tiles").textContent()).toContain(
				report.summary.runs.toLocaleString("en-US"),
			);
		});

		it("the table is filtered by text, status, an hour of the week and a day", async () => {
			await page.fill("#words", "schedule-0041");
			expect(await shown()).toBe(1);
			await page.click("#clear");
			await page.selectOption("#status", "paused");
			expect(await shown()).toBe(report.summary.paused);
			await page.click("#clear");
			// Sunday, 22 hours: counted here from the runs themselves.
			await page.click('button[data-cell="166"]');
			const inHour = report.schedules.filter(({ runs = [] }) =>
				runs.some((run) => new Date(run).getUTCDay() === 0 && new Date(run).getUTCHours() === 22),
			);
			expect(await shown()).toBe(inHour.length);
			expect(await page.getAttribute('button[data-cell="166"]', "aria-pressed")).toBe("true");
			await page.click("#clear");
			await page.click('button[data-day="2"]');
			const onDay = report.schedules.filter(({ runs = [] }) =>
				runs.some((run) => run.startsWith("2026-03-27")),
			);
			expect(await shown()).toBe(onDay.length);
		});

		it("the heat map is one stop of the tab key, and the arrow keys move in it", async () => {
			expect(await page.locator('.heat button[tabindex="0"]').count()).toBe(1);
			await page.focus('button[data-cell="0"]');
			await page.keyboard.press("ArrowDown");
			await page.keyboard.press("ArrowRight");
			expect(await page.evaluate("document.activeElement.dataset.cell")).toBe("25");
			await page.keyboard.press("Enter");
			expect(await page.getAttribute('button[data-cell="25"]', "aria-pressed")).toBe("true");
		});

		it("every button and field has a name that a screen reader can say", async () => {
			for (const role of ["button", "searchbox", "combobox"] as const) {
				const all = await page.getByRole(role).count();
				expect(all).toBeGreaterThan(0);
				expect(await page.getByRole(role, { name: /\w/ }).count()).toBe(all);
			}
			expect(await page.getByRole("button", { name: /^Mon 03:00, \d+ runs?$/ }).count()).toBe(1);
		});

		it.each(["light", "dark"] as const)("numbers in the heat map can be read in %s", async (colorScheme) => {
			const page = await open("forecast", { colorScheme });
			const ratios = (await page.evaluate(CONTRASTS)) as Record<string, number>;
			expect(Object.keys(ratios).length).toBeGreaterThan(3);
			for (const [shade, ratio] of Object.entries(ratios))
				expect([shade, ratio >= 4.5]).toEqual([shade, true]);
			await page.close();
		});

		it.each(["forecast", "drift"])("the %s page fits the width of a phone, and prints", async (name) => {
			const page = await open(name, { width: 360 });
			expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(360);
			await page.emulateMedia({ media: "print" });
			expect((await page.pdf({ format: "A4" })).length).toBeGreaterThan(10_000);
			await page.close();
		});

		it("the drift page groups 250 changed schedules", async () => {
			const page = await open("drift");
			expect(await page.locator("#changed tr.group").count()).toBe(250);
			expect(await page.locator("#changed").textContent()).toContain("pulumi up --refresh --stack dev");
			await page.close();
		});

		it("no name runs as a script", async () => {
			const page = await open("hostile");
			expect(await page.title()).toBe("Forecast: 7 runs");
			expect(await page.locator("script").count()).toBe(1);
			expect(await page.locator("#schedules tbody td").first().textContent()).toContain(SCRIPT_NAME);
			await page.close();
		});
	},
);

/** The contrast of text and background of each shade, as WCAG counts it. */
const CONTRASTS = `(() => {
	const channel = (value) => (value / 255 <= 0.03928 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
	const light = (colour) => {
		const [r, g, b] = colour.match(/\\d+/g).map(Number).map(channel);
		return 0.2126 * r + 0.7152 * g + 0.0722 * b;
	};
	const ratios = {};
	for (const button of document.querySelectorAll(".heat button")) {
		const style = getComputedStyle(button);
		const [a, b] = [light(style.color), light(style.backgroundColor)].sort((x, y) => y - x);
		ratios[button.className] = (a + 0.05) / (b + 0.05);
	}
	return ratios;
})()`;
