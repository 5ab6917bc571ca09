import { mkdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";
import { forecastPage } from "../../src/board/files";
import type { TeamState } from "../../src/server/state";
import { boardTeam, placesIn, serverWith } from "../../test/helpers/board-team";
import { largeTeam } from "../../test/helpers/forecast-team";
import { exitWith } from "../process/exit-with";
import { tempFolder } from "../process/temp-folder";
import { repository } from "../repository";
import { CHROMIUM_FLAGS, findChromium } from "./chromium";
import { shootTerminal } from "./terminal";

const images = join(repository, "docs", "images");
const [WIDTH, HEIGHT] = [1_160, 760];

/**
 * `npm run screenshots`: the pictures of the docs. Those of commands are what a terminal shows; those of the board are
 * made in a real browser. With the name of a part (`terminal`, `files`, `board`) only that part is made.
 */
async function main(part: string | undefined): Promise<void> {
	const executablePath = findChromium();
	if (executablePath === undefined)
		throw new Error("No browser: set CHROMIUM_PATH, or install chromium.");
	mkdirSync(images, { recursive: true });
	const wants = (name: string) => part === undefined || part === name;
	const browser = await chromium.launch({ executablePath, args: CHROMIUM_FLAGS });
	try {
		if (wants("terminal")) {
			const { paths, driftPage } = await shootTerminal(images);
			for (const path of paths) process.stdout.write(`${relative(repository, path)}\n`);
			await shootFile(browser, "drift", driftPage);
		}
		const team = largeTeam(1_000);
		if (wants("files"))
			await shootFile(
				browser,
				"forecast",
				forecastPage({ ...team, madeAt: team.from }),
			);
		if (wants("board")) await shootBoard(browser);
	} finally {
		await browser.close();
	}
}

async function shoot(page: Page, name: string): Promise<void> {
	await page.screenshot({ path: join(images, `${name}.png`) });
	process.stdout.write(`docs/images/${name}.png\n`);
}

/** The site shows the second of each pair on a dark page. */
const SCHEMES = ["light", "dark"] as const;

/** A page that a command wrote with `--html`. */
async function shootFile(browser: Browser, name: string, html: string): Promise<void> {
	const folder = tempFolder("screenshots-");
	try {
		const file = join(folder.path, `${name}.html`);
		writeFileSync(file, html);
		for (const colorScheme of SCHEMES) {
			const page = await browser.newPage({
				viewport: { width: WIDTH, height: HEIGHT },
				colorScheme,
			});
			await page.goto(pathToFileURL(file).href);
			await shoot(page, `${name}-${colorScheme}`);
			await page.close();
		}
	} finally {
		folder.remove();
	}
}

/** Without the markup that tests put into names and logs. */
const tame = (team: TeamState): TeamState =>
	JSON.parse(
		JSON.stringify(team).replace(/<script>.*?<\/script> |<\/?[bi]( [^>]*)?>/g, ""),
	) as TeamState;

/** The board of a team with two weeks of history. */
async function shootBoard(browser: Browser): Promise<void> {
	const now = Date.parse("2026-11-17T09:10:00Z");
	const team = tame(boardTeam(now));
	const { pipelineId, logOf } = placesIn(team);
	const server = await serverWith(team, now);
	try {
		for (const [name, view, text] of [
			["board-attention", "attention", "is paused"],
			["board-schedules", "schedules", "every day at 02:30 UTC"],
			["board-timeline", "timeline", "embeddings"],
			["board-pipeline", `pipeline/${pipelineId}`, "publish"],
			["board-log", `log/${logOf}?q=slow`, "of 4 lines"],
		] as const) {
			for (const colorScheme of SCHEMES) {
				const page = await browser.newPage({
					viewport: { width: WIDTH, height: HEIGHT },
					colorScheme,
				});
				await page.goto(`${server.pageUrl}#/${view}`);
				await page.getByText(text).first().waitFor();
				await page.locator(".notices p").first().waitFor({ state: "detached" });
				await shoot(page, colorScheme === "light" ? name : `${name}-dark`);
				await page.close();
			}
		}
	} finally {
		await server.close();
	}
}

exitWith(main(process.argv[2]));
