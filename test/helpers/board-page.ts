import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { type LocalServer, manualClock, startServer } from "../../src/server";
import { emptyState, type TeamState } from "../../src/server/state";
import { bundlePage } from "../../tools/build/bundle-page";
import { tempFolder } from "../../tools/process/temp-folder";
import { CHROMIUM_FLAGS, findChromium } from "../../tools/screenshots/chromium";

export const executablePath = findChromium();
export const hint = "No browser: set CHROMIUM_PATH, or install chromium. The board was NOT opened.";

/** The browser, with the page as the sources have it. */
export async function openBrowser(): Promise<Browser> {
	if (executablePath === undefined) throw new Error(hint);
	await bundlePage();
	return chromium.launch({ executablePath, args: CHROMIUM_FLAGS });
}

/** Writes the data of a server whose only team has these records. */
export function writeTeam(dataFile: string, team: TeamState): void {
	const nextScheduleId = 1 + team.schedules.length;
	writeFileSync(dataFile, JSON.stringify({ ...emptyState(), nextScheduleId, teams: [team] }));
}

/** A server whose main team has these records; its clock stands still. */
export async function serverWith(team: TeamState, now: number, port = 0): Promise<LocalServer> {
	const folder = tempFolder("board-team-");
	const dataFile = join(folder.path, "team.json");
	writeTeam(dataFile, team);
	const clock = manualClock(new Date(now).toISOString());
	const server = await startServer({ teamName: team.name, token: "dcl_of-the-board", dataFile, clock, port });
	const close = async () => {
		await server.close();
		folder.remove();
	};
	return { ...server, close };
}

export interface Opened {
	readonly page: Page;
	readonly requests: string[];
	readonly problems: string[];
}

export async function openPage(
	browser: Browser,
	url: string,
	{ width = 1_280, colorScheme = "light" as "light" | "dark" } = {},
): Promise<Opened> {
	const page = await browser.newPage({ viewport: { width, height: 860 }, colorScheme });
	const [requests, problems]: [string[], string[]] = [[], []];
	page.on("request", (request) => requests.push(request.url()));
	page.on("pageerror", (error) => problems.push(error.message));
	page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
	await page.goto(url);
	return { page, requests, problems };
}

/** Goes to a view, as a click on a link does. */
export const goTo = (page: Page, view: string) =>
	page.evaluate(`location.hash = ${JSON.stringify(`#/${view}`)}`);
