import { join } from "node:path";
import { chromium } from "playwright-core";
import { manualClock, startServer } from "../../src/server";
import { CHROMIUM_FLAGS, findChromium } from "../../test/helpers/drift-browser";
import { repository } from "../repository";

const target = join(repository, "docs", "serve.png");

/** `npm run screenshot`: the page of `serve`, with the small team that it starts with, as a picture for the docs. */
async function main(): Promise<void> {
	const executablePath = findChromium();
	if (executablePath === undefined) throw new Error("No browser: set CHROMIUM_PATH, or install chromium.");
	const server = await startServer({ clock: manualClock("2026-01-15T09:00:00Z") });
	const browser = await chromium.launch({ executablePath, args: CHROMIUM_FLAGS });
	try {
		const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, colorScheme: "light" });
		await page.goto(server.pageUrl);
		await page.getByRole("button", { name: "backfill.py" }).click();
		await page.locator("#log", { hasText: "backfill of 2024 started" }).waitFor();
		await page.screenshot({ path: target, fullPage: true });
		console.log(`Wrote ${target}`);
	} finally {
		await browser.close();
		await server.close();
	}
}

main().catch((error: unknown) => {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
});
