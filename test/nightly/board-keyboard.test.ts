import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeInBrowser, goTo } from "../helpers/board-page";
import {
	type BoardServer,
	boardTeam,
	placesIn,
	serverWith,
} from "../helpers/board-team";

const PATIENT = { timeout: 20_000 };
const NOW = Date.parse("2026-11-17T09:10:00Z");

/** Every control that is drawn and can be used. */
const CONTROLS = `[...document.querySelectorAll('a[href], button:not(:disabled), input, select, [tabindex="0"]')]
	.filter((element) => element.getClientRects().length > 0)`;

/** Marks the focused element as reached; tells what is wrong with how it shows. */
const LOOK = `(() => {
	const element = document.activeElement;
	if (element === null || element === document.body) return null;
	const name = (element.getAttribute("aria-label") ?? element.textContent ?? "").trim() || element.getAttribute("placeholder");
	const again = element.dataset.reached === "yes";
	element.dataset.reached = "yes";
	const { outlineStyle, outlineWidth } = getComputedStyle(element);
	const { top, bottom, left, right } = element.getBoundingClientRect();
	const header = document.querySelector("header");
	const covered = header.contains(element) || element.matches(".skip") ? 0 : header.getBoundingClientRect().bottom;
	const tall = bottom - top > innerHeight - covered;
	return {
		name,
		again,
		faults: [
			...(outlineStyle === "none" || parseFloat(outlineWidth) < 1 ? ["no visible focus"] : []),
			...(!tall && (top < covered - 1 || bottom > innerHeight + 1) ? ["out of view: " + [top, bottom, covered]] : []),
			...(left < -1 || right > innerWidth + 1 ? ["beyond the edge: " + [left, right]] : []),
		],
	};
})()`;

interface Looked {
	readonly name: string;
	readonly again: boolean;
	readonly faults: readonly string[];
}

describeInBrowser("the board by keyboard alone", (open) => {
	const team = boardTeam(NOW, 2_000);
	const { pipelineId, logOf } = placesIn(team);
	const VIEWS = {
		attention: "audit",
		schedules: "every day at 02:30 UTC",
		timeline: "embeddings",
		"timeline?range=week": "embeddings",
		"pipelines?q=training": "training",
		"jobs?q=explore": "explore.py",
		[`pipeline/${pipelineId}`]: "publish",
		[`log/${logOf}?q=slow`]: "processed batch",
	};
	let server: BoardServer;
	beforeAll(async () => {
		server = await serverWith(team, NOW);
	}, 120_000);
	afterAll(() => server?.close());

	it.each([1_280, 400])(
		"reaches every control of every view at %i px, shows where the focus is, and traps it nowhere",
		async (width) => {
			const { page, problems } = await open(server.pageUrl, { width });
			await page.getByText("nightly-images").first().waitFor();
			for (const [view, text] of Object.entries(VIEWS)) {
				await goTo(page, view, text);
				await page.evaluate("document.activeElement.blur(); scrollTo(0, 0)");
				const { names, faults } = await walk(page, "Tab");
				expect([view, faults]).toEqual([view, []]);
				expect(names).toContain("Skip to the content");
				const missed = `${CONTROLS}.filter(({ dataset }) => dataset.reached !== "yes").map(({ outerHTML }) => outerHTML.slice(0, 120))`;
				expect([view, await page.evaluate(missed)]).toEqual([view, []]);
				// The way back has the same controls at every width.
				if (width === 400) continue;
				const back = await walk(page, "Shift+Tab");
				expect([view, back.names.length, back.faults]).toEqual([
					view,
					names.length,
					[],
				]);
			}
			expect(problems).toEqual([]);
		},
	);

	it("uses what has keys of its own: the skip link, a filter, a lane of runs, and a log", async () => {
		const { page } = await open(server.pageUrl);
		const press = (...keys: string[]) =>
			keys.reduce(
				(before, key) => before.then(() => page.keyboard.press(key)),
				Promise.resolve(),
			);
		await page.getByText("nightly-images").first().waitFor();

		// The skip link leads past the header; a tile filters.
		await press("Tab", "Enter", "Tab");
		expect((await look(page))?.name).toMatch(/Failed$/);
		await press("Enter");
		await page.getByText("1 of 7 findings").waitFor();
		await tabTo(page, "Copy the command", "Enter");
		await page.getByText("Copied").waitFor();

		// Within a lane the arrow keys choose a run, and Enter opens it.
		await tabTo(page, "Timeline", "Enter");
		await page.getByText("embeddings").first().waitFor();
		await tabTo(page, /^hourly-events: /);
		await page.getByText(/^09:05 to 09:10, .*, running$/).waitFor();
		await press("ArrowLeft");
		await page.getByText(/^08:05 to 08:\d\d, .*, succeeded$/).waitFor();
		await press("End");
		await page.getByText(/^23:05 to .*, to come$/).waitFor();
		await press("Home");
		await page.getByText(/^00:05 to /).waitFor();
		await press("Enter");
		await page.getByRole("heading", { name: "Runs" }).waitFor();

		// From the graph of the pipeline to the log of a job, which scrolls, and which Tab leaves.
		await tabTo(page, "ingest", "Enter");
		await page.getByRole("region", { name: "Log" }).waitFor();
		await goTo(page, `log/${logOf}`, "2,000 lines");
		await press("Tab");
		await page.keyboard.type("slow");
		await page.getByText(/^1 of \d+ lines$/).waitFor();
		await press("Enter");
		await page.getByText(/^2 of \d+ lines$/).waitFor();
		await tabTo(page, /^Log/);
		const top = () =>
			page.evaluate("document.querySelector('.log').scrollTop") as Promise<number>;
		// A key that is pressed while the page still glides may count for nothing.
		const after = (key: string) => () => press(key).then(top);
		await expect.poll(after("End"), PATIENT).toBeGreaterThan(10_000);
		await expect.poll(after("Home"), PATIENT).toBe(0);
		await tabTo(page, "Copy the command");
	});
});

const look = (page: Page) => page.evaluate(LOOK) as Promise<Looked | null>;

/** Presses a key until the focus has been everywhere and is back where it began. */
async function walk(
	page: Page,
	key: string,
): Promise<{ names: string[]; faults: string[] }> {
	const names: string[] = [];
	const faults: string[] = [];
	await page.evaluate(`${CONTROLS}.forEach(({ dataset }) => delete dataset.reached)`);
	for (let presses = 0; presses < 400; presses += 1) {
		await page.keyboard.press(key);
		const found = await look(page);
		// Between the last and the first control the focus is the browser's own.
		if (found === null) continue;
		if (found.again) return { names, faults };
		names.push(found.name);
		faults.push(...found.faults.map((fault) => `${found.name.slice(0, 60)}: ${fault}`));
	}
	throw new Error(
		`After 400 presses of ${key} the focus is still under way: ${names.slice(-5).join(" | ")}`,
	);
}

/** Goes on by Tab to the control of this name, and presses a key there. */
async function tabTo(page: Page, name: string | RegExp, key?: string): Promise<void> {
	const seen: string[] = [];
	for (let presses = 0; presses < 200; presses += 1) {
		await page.keyboard.press("Tab");
		const found = (await look(page))?.name ?? "";
		seen.push(found);
		if (typeof name === "string" ? !found.startsWith(name) : !name.test(found))
			continue;
		if (key !== undefined) await page.keyboard.press(key);
		return;
	}
	throw new Error(
		`Tab does not lead to ${name}, only to: ${[...new Set(seen)].join(" | ")}`,
	);
}
