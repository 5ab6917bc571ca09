import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { repository } from "../../tools/repository";

const axe = readFileSync(join(repository, "node_modules", "axe-core", "axe.min.js"), "utf8");

/** What axe-core finds wrong with a page; empty if nothing. */
export async function axeViolations(page: Page): Promise<unknown> {
	// The page's policy forbids it to run other scripts; the browser's own tools may.
	await page.evaluate(axe);
	return page.evaluate(
		"axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.slice(0, 3).map(({ html }) => html.slice(0, 200))]))",
	);
}
