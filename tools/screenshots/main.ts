import { mkdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { type Browser, chromium } from "playwright-core";
import { renderHtml as driftPage } from "../../src/drift/render-html";
import { renderHtml as forecastPage } from "../../src/forecast/render-html";
import { manualClock, startServer } from "../../src/server";
import { manyDrifts } from "../../test/helpers/drift-report";
import { largeTeam } from "../../test/helpers/forecast-team";
import { tempFolder } from "../process/temp-folder";
import { repository } from "../repository";
import { CHROMIUM_FLAGS, findChromium } from "./chromium";
import { shootTerminal } from "./terminal";

/**
 * `npm run screenshots`: the pictures of the docs. Those of commands are what a terminal shows; those of pages are made
 * in a real browser: two with 1,000 schedules, and that of `serve`.
 */
async function main(): Promise<void> {
	const executablePath = findChromium();
	if (executablePath === undefined) throw new Error("No browser: set CHROMIUM_PATH, or install chromium.");
	const images = join(repository, "docs", "images");
	mkdirSync(images, { recursive: true });
	for (const path of await shootTerminal(images)) process.stdout.write(`${relative(repository, path)}\n`);
	const folder = tempFolder("screenshots-");
	const team = largeTeam(1_000);
	const browser = await chromium.launch({ executablePath, args: CHROMIUM_FLAGS });
	try {
		for (const [name, html] of [
			["forecast", forecastPage({ ...team, madeAt: team.from })],
			["drift", driftPage(manyDrifts(1_000))],
		] as const) {
			const file = join(folder.path, `${name}.html`);
			writeFileSync(file, html);
			const page = await browser.newPage({
				viewport: { width: 1_160, height: 1_000 },
				colorScheme: "light",
			});
			await page.goto(pathToFileURL(file).href);
			await page.screenshot({ path: join(images, `${name}-light.png`) });
			await page.close();
			process.stdout.write(`docs/images/${name}-light.png\n`);
		}
		await shootServe(browser, join(images, "serve.png"));
	} finally {
		await browser.close();
		folder.remove();
	}
}

/** The page of `serve`, with the small team that it starts with, while a job runs. */
async function shootServe(browser: Browser, path: string): Promise<void> {
	const server = await startServer({ clock: manualClock("2026-01-15T09:00:00Z") });
	try {
		const page = await browser.newPage({ viewport: { width: 1_280, height: 900 }, colorScheme: "light" });
		await page.goto(server.pageUrl);
		await page.getByRole("button", { name: "backfill.py" }).click();
		await page.locator("#log", { hasText: "backfill of 2024 started" }).waitFor();
		await page.screenshot({ path, fullPage: true });
		process.stdout.write("docs/images/serve.png\n");
	} finally {
		await server.close();
	}
}

main().catch((error: unknown) => {
	process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
	process.exitCode = 1;
});
