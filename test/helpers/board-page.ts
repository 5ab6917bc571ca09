import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
	type Browser,
	type BrowserContextOptions,
	chromium,
	type Page,
} from "playwright-core";
import { afterAll, beforeAll, describe, onTestFinished } from "vitest";
import { bundlePage } from "../../tools/build/bundle-page";
import { repository } from "../../tools/repository";
import { CHROMIUM_FLAGS, findChromium } from "../../tools/screenshots/chromium";

const executablePath = findChromium();
const hint =
	"No browser: set CHROMIUM_PATH, or install chromium. The board was NOT opened.";

/** A suite in a real browser, with what opens pages in it. Skipped on a machine without one; in CI that is a failure. */
export function describeInBrowser(
	name: string,
	suite: (
		open: (url: string, options?: PageOptions) => ReturnType<typeof openPage>,
	) => void,
): void {
	if (executablePath === undefined) console.warn(hint);
	const isSkipped = executablePath === undefined && process.env.CI !== "true";
	describe.skipIf(isSkipped)(name, { timeout: 240_000 }, () => {
		let browser: Browser;
		beforeAll(async () => {
			if (executablePath === undefined) throw new Error(hint);
			await bundlePage();
			browser = await chromium.launch({ executablePath, args: CHROMIUM_FLAGS });
		}, 120_000);
		afterAll(() => browser?.close());
		suite(async (url, options) => {
			const opened = await openPage(browser, url, options);
			onTestFinished(() => opened.page.close());
			return opened;
		});
	});
}

type PageOptions = BrowserContextOptions & { readonly width?: number };

async function openPage(
	browser: Browser,
	url: string,
	{ width = 1_280, ...options }: PageOptions = {},
) {
	const page = await browser.newPage({ viewport: { width, height: 860 }, ...options });
	const [requests, problems]: [string[], string[]] = [[], []];
	page.on("request", (request) => requests.push(request.url()));
	page.on("pageerror", (error) => problems.push(error.message));
	page.on(
		"console",
		(message) => message.type() === "error" && problems.push(message.text()),
	);
	await page.goto(url);
	return { page, requests, problems };
}

/** By how many pixels the page is wider than its window. */
export const overhang = (page: Page) =>
	page.evaluate("document.documentElement.scrollWidth - innerWidth");

export const shown = (page: Page, text: string) =>
	page.getByText(text).first().waitFor();

/** Goes to a view, as a click on a link does, until it shows this text. */
export async function goTo(page: Page, view: string, text: string): Promise<void> {
	await page.evaluate(`location.hash = ${JSON.stringify(`#/${view}`)}`);
	await shown(page, text);
}

const axe = readFileSync(
	join(repository, "node_modules", "axe-core", "axe.min.js"),
	"utf8",
);

/** What axe-core finds wrong with a page; empty if nothing. */
export async function axeViolations(page: Page): Promise<unknown> {
	// The page's policy forbids it to run other scripts; the browser's own tools may.
	await page.evaluate(axe);
	return page.evaluate(
		"axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.slice(0, 3).map(({ html }) => html.slice(0, 200))]))",
	);
}
