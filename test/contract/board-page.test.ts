import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { driftPage, forecastPage } from "../../src/board/files";
import { newUser } from "../../src/server/state";
import {
	axeViolations,
	describeInBrowser,
	goTo,
	overhang,
	shown,
} from "../helpers/board-page";
import {
	type BoardServer,
	boardTeam,
	placesIn,
	serverWith,
} from "../helpers/board-team";
import { startCli } from "../helpers/cli-process";
import { sampleReport } from "../helpers/drift-reports";
import { largeTeam } from "../helpers/forecast-team";
import { apiOf, eventually } from "../helpers/server-harness";
import { testFolder } from "../helpers/test-folder";

const NOW = Date.parse("2026-11-17T09:10:00Z");
const EVIL = "<script>document.title='owned'</script>";
const LINES = 100_000;

/** Markup, wide signs, other directions, and long ones: they stay text, and fit. */
const NAMES = [
	"<img src=x onerror=alert(1)>",
	"🎉👩‍👩‍👧‍👦".repeat(8),
	"שלום ".repeat(12),
	"\u202egnp.exe",
	"n".repeat(200),
];

describeInBrowser("the board in a real browser", (open) => {
	const team = boardTeam(NOW, LINES);
	const { pipelineId, logOf } = placesIn(team);
	for (const [index, name] of NAMES.entries()) {
		const [job, pipeline] = [team.jobs[index], team.pipelines[20 + index]];
		// One of them has markup in its name already.
		const schedule = team.schedules[[-1, 3, 9, 10, 11][index] ?? -1];
		const log = `\u001b[31m${name}\u001b[0m \u001b]8;;http://evil\u0007link\u001b]8;;\u0007\n`;
		Object.assign(job ?? {}, {
			name,
			created_by: name,
			logs: [log],
			error_message: name.repeat(3),
		});
		Object.assign(pipeline ?? {}, { name, triggered_from: name, created_by: name });
		for (const run of team.pipelines)
			if (schedule && run.schedule_name === schedule.schedule_name)
				run.schedule_name = name;
		Object.assign(schedule ?? {}, { schedule_name: name, created_by: newUser(name) });
	}
	// One that has recovered since.
	const [failed] = team.pipelines
		.filter(({ schedule_name: name }) => name === "hourly-events")
		.slice(-3);
	const last = team.jobs.find(
		({ id }) => id === failed?.job_runs.at(-1)?.created_job_id,
	);
	Object.assign(last ?? {}, { status: "FAILED", exit_code: 1 });
	const VIEWS = {
		attention: "nightly-images",
		schedules: "every day at 02:30 UTC",
		timeline: "embeddings",
		pipelines: "hourly-events",
		jobs: "explore.py",
		[`pipeline/${pipelineId}`]: "publish",
		[`log/${team.jobs[1]?.id}?q=link`]: "👦 link",
		[`log/${logOf}`]: "processed batch",
	};
	let server: BoardServer;
	beforeAll(async () => {
		server = await serverWith(team, NOW);
	}, 120_000);
	afterAll(() => server?.close());

	// A colour is the same at every width, so that each width has one scheme.
	it.each([
		[400, "light"],
		[1_280, "dark"],
		[2_560, "light"],
	] as const)(
		"shows every view at %i px in %s: it fits, and axe-core finds nothing",
		async (width, colorScheme) => {
			const { page, requests, problems } = await open(server.pageUrl, {
				width,
				colorScheme,
			});
			for (const [view, text] of Object.entries(VIEWS)) {
				await goTo(page, view, text);
				expect([view, await overhang(page)]).toEqual([view, 0]);
				expect([view, await axeViolations(page)]).toEqual([view, []]);
				expect(
					await page.evaluate("document.querySelectorAll('*').length"),
				).toBeLessThan(5_000);
				expect(await page.locator("img").count()).toBe(0);
				expect((await page.locator(".log").allTextContents()).join()).not.toMatch(
					/\ufffd|evil/,
				);
			}
			expect(
				requests.filter(
					(url) => !url.startsWith(server.url) && !url.startsWith("data:"),
				),
			).toEqual([]);
			expect(problems).toEqual([]);
		},
	);

	it.each([600, 920, 921, 1_000])(
		"fits %i px, where the layout changes",
		async (width) => {
			const { page } = await open(server.pageUrl, { width });
			for (const [view, text] of Object.entries(VIEWS)) {
				await goTo(page, view, text);
				expect([view, await overhang(page)]).toEqual([view, 0]);
			}
			// A4 without its margins.
			await page.setViewportSize({ width: 700, height: 1_000 });
			await page.emulateMedia({ media: "print" });
			await shown(page, "the download has all");
			await shown(page, "processed batch 99999");
			expect(await page.evaluate("document.querySelectorAll('*').length")).toBeLessThan(
				5_000,
			);
			await goTo(page, "schedules", VIEWS.schedules);
			expect(await overhang(page)).toBe(0);
			await goTo(page, "pipelines", VIEWS.pipelines);
			expect((await page.pdf({ format: "A4" })).length).toBeGreaterThan(100_000);
		},
	);

	it("puts what is wrong first, one sentence and one link each", async () => {
		const { page } = await open(server.pageUrl);
		const rows = page
			.getByRole("table", { name: "What needs attention" })
			.locator(".rows .row");
		await shown(page, 'Pipeline "audit" is paused');
		const texts = await rows.locator(".main").allTextContents();
		expect(texts.slice(0, 3).join("\n")).toMatch(
			/"nightly-images" failed at 2026-11-17 0\d:\d\d UTC: .*3 rows without a label/,
		);
		expect(await rows.locator(".main a").count()).toBe(texts.length);
		await rows.filter({ hasText: "audit" }).getByRole("link").click();
		await shown(page, "pulumi-datachain resume audit");
	});

	it("counts as failed only what is still broken, and the badge is the sum of what is open", async () => {
		const { page } = await open(server.pageUrl);
		await shown(page, 'Pipeline "audit" is paused');
		const rows = page
			.getByRole("table", { name: "What needs attention" })
			.locator(".rows .main");
		const recovered = (await rows.allTextContents()).filter((text) =>
			text.includes("succeeded since"),
		);
		expect(recovered.length).toBeGreaterThan(0);
		const tiles = await page.locator(".tiles a").allTextContents();
		expect(tiles).toContain(`${recovered.length} Recovered`);
		const open_ = page.locator(".tiles li:not(.info) b");
		const counts = (await open_.allTextContents()).map(Number);
		const sum = counts.reduce((all, count) => all + count, 0);
		expect(Number(await page.locator(".count-badge").textContent())).toBe(sum);
	});

	it("spells out characters that turn the direction of text, in every view", async () => {
		const { page } = await open(server.pageUrl);
		for (const [view, text] of Object.entries(VIEWS)) {
			await goTo(page, view, text);
			const html = String(
				await page.evaluate("document.title + document.body.innerHTML"),
			);
			expect([
				view,
				html.match(/[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]/g),
			]).toEqual([view, null]);
		}
		await goTo(page, "schedules", "\\u202egnp.exe");
	});

	it("marks in the timeline the run that a schedule missed", async () => {
		const { page } = await open(
			`${server.pageUrl}#/timeline?day=2026-11-17&show=missed`,
		);
		const lane = page.getByRole("link", { name: /1 did not run/ }).first();
		await lane.waitFor();
		expect(await lane.locator("path.missed").count()).toBe(1);
		await shown(page, "did not run");
	});

	it("searches, wraps, follows and downloads a log of 100,000 lines, and draws only what is in view", async () => {
		const { page } = await open(`${server.pageUrl}#/log/${logOf}`);
		await page.getByText("100,000 lines").first().waitFor({ timeout: 60_000 });
		await shown(page, "processed batch 99999");
		expect(await page.evaluate("document.querySelectorAll('*').length")).toBeLessThan(
			1_000,
		);
		await page.getByPlaceholder("Search in the log").fill("batch 54321 of");
		await page.getByText("1 of 1 line").waitFor();
		await shown(page, "batch 54321 of");
		const inView = await page.locator(".log").boundingBox();
		expect(inView && inView.y >= 0 && inView.y < 860).toBe(true);
		await page.getByRole("button", { name: "Wrap" }).click();
		expect(page.url()).toContain("wrap=no");
		const [file] = await Promise.all([
			page.waitForEvent("download"),
			page.getByRole("button", { name: "Download" }).click(),
		]);
		expect(readFileSync(await file.path(), "utf8").split("\n")).toHaveLength(LINES + 1);
	});

	it("updates by itself: a new job appears, and its log grows", async () => {
		// Another name at each try: a job that an earlier one has left would not be new.
		const name = `live-${Date.now()}.py`;
		const { page } = await open(`${server.pageUrl}#/jobs?q=${name}`);
		await page.getByText(/^0 of/).waitFor();
		await apiOf(server).post("/jobs/", {
			query: 'print("one")\nprint("two")',
			query_type: "PYTHON",
			query_name: name,
		});
		// The board reads a team that takes long less often, and on a busy machine every team does.
		await page.getByRole("link", { name }).click({ timeout: 120_000 });
		server.clock.advance(10_000);
		await shown(page, "two");
	}, 180_000);

	it("sorts and filters in the address, so that a copied address shows the same", async () => {
		const { page } = await open(
			`${server.pageUrl}#/schedules?state=paused&sort=-Schedule`,
		);
		await page.getByText("2 of 12 schedules").waitFor({ timeout: 20_000 });
		const names = await page.locator(".rows .main a:first-child").allTextContents();
		expect(names.filter((name) => name.includes("audit"))[0]).toBe("weekly-audit");
		await page.getByRole("button", { name: "Schedule" }).click();
		expect(new URL(page.url()).hash).toContain("sort=Schedule");
	});

	it("says how old the data is while the service is away, and goes on when it is back", async () => {
		const own = await serverWith(boardTeam(NOW), NOW);
		const { page } = await open(own.pageUrl);
		await shown(page, "nightly-images");
		const { port } = new URL(own.url);
		await own.close();
		await page.getByText(/The data is .* old\./).waitFor({ timeout: 30_000 });
		const again = await serverWith(boardTeam(NOW), NOW, { port: Number(port) });
		await page
			.getByText(/The data is .* old\./)
			.waitFor({ state: "detached", timeout: 30_000 });
		await again.close();
	});

	it("blames the board, and not the service, if the board's own process does not answer", async () => {
		const own = await serverWith(boardTeam(NOW), NOW);
		const env = { ...own.environment, XDG_CONFIG_HOME: testFolder("board-page-") };
		const board = startCli(["board", "--no-open"], env, testFolder("board-page-"));
		await eventually(() => board.printed.stdout.includes("\n") || undefined, 60_000);
		const { page } = await open(board.printed.stdout.trim());
		await shown(page, "nightly-images");
		const { pid } = board;
		if (pid === undefined) throw new Error("the board has no process");
		process.kill(pid, "SIGSTOP");
		await page.getByText(/The board does not answer/).waitFor({ timeout: 90_000 });
		process.kill(pid, "SIGCONT");
		await page
			.getByText(/The board does not answer/)
			.waitFor({ state: "detached", timeout: 30_000 });
		await own.close();
	}, 180_000);

	it.each([
		["drift", () => driftPage(sampleReport(EVIL)), "could not be checked"],
		["forecast", () => forecastPage(largeTeam(1_000)), "team-prod-schedule-00"],
	])(
		"the file of %s needs nothing else, and fits a phone",
		async (name, make, text) => {
			const file = join(testFolder("board-page-"), `${name}.html`);
			writeFileSync(file, make());
			const { page, requests, problems } = await open(pathToFileURL(file).href, {
				width: 400,
			});
			await shown(page, text);
			expect(await page.title()).not.toBe("owned");
			expect(await overhang(page)).toBe(0);
			expect(await axeViolations(page)).toEqual([]);
			expect(requests.filter((url) => !url.startsWith("data:"))).toEqual([
				pathToFileURL(file).href,
			]);
			expect(problems).toEqual([]);
		},
	);
});
