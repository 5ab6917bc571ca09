import type { ServerResponse } from "node:http";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Board } from "../../src/board/board";
import { boardUrl, listen } from "../../src/board/http";
import { emptyTeam } from "../../src/server/state";
import { json, startRawServer } from "../helpers/api-servers";
import { axeViolations, describeInBrowser, goTo } from "../helpers/board-page";
import { serverWith } from "../helpers/board-team";
import { eventually } from "../helpers/server-harness";

const NOW = Date.parse("2026-11-17T09:10:00Z");
const KEY = "the-key-of-this-board";

/** A service that answers as it is told, and a board that asks it. */
async function boardOf(answer: (path: string, response: ServerResponse) => void) {
	const told = { answer };
	const service = await startRawServer(({ request, response }) =>
		told.answer(request.path, response),
	);
	const stopping = new AbortController();
	const board = new Board(
		{ baseUrl: `${service.url}/api`, token: "dcl_secret-token", teamName: "vision" },
		{ service: "", everyMillis: 50, signal: stopping.signal },
	);
	const listening = await listen(board, KEY, 0);
	onTestFinished(async () => {
		stopping.abort();
		await listening.close();
		await board.close();
	});
	return { board, told, url: listening.url };
}

const empty = (_: string, response: ServerResponse) => json(response, 200, []);
const job = {
	id: "a",
	name: "a",
	status: "COMPLETE",
	created_at: "2026-11-17T08:00:00Z",
};
const oneJob = (path: string, response: ServerResponse) =>
	json(response, 200, path.includes("/jobs/") ? [job] : []);

describe("a board of a service that misbehaves", { timeout: 180_000 }, () => {
	it.each<[string, (path: string, response: ServerResponse) => void]>([
		["fails", (_, response) => json(response, 500, { message: "<b>broken</b>" })],
		["answers garbage", (_, response) => void response.end("<html>not JSON")],
		["answers other shapes", (_, response) => json(response, 200, { jobs: 7 })],
		["hangs up", (_, response) => void response.destroy()],
	])(
		"keeps its data, says why, and recovers when the service %s",
		async (_, misbehave) => {
			const { board, told } = await boardOf(oneJob);
			const answered = (isAway: boolean) =>
				eventually(async () => {
					const answer = await board.answer(null);
					return (answer.problem !== null) === isAway ? answer : undefined;
				}, 120_000);
			expect(await board.answer(null)).toMatchObject({
				problem: null,
				rows: { jobs: [{ id: "a" }] },
			});
			told.answer = misbehave;
			const away = await answered(true);
			expect(away.rows.jobs).toHaveLength(1);
			expect(away.problem).not.toContain("secret-token");
			told.answer = empty;
			const back = await answered(false);
			expect([back.rows.jobs, back.asOf >= away.asOf]).toEqual([[], true]);
		},
	);

	it("says why a log cannot be read", async () => {
		const { board } = await boardOf((_, response) =>
			json(response, 403, { message: "not yours" }),
		);
		const problem = async () => (await board.log("a", 0)).problem ?? undefined;
		expect(await eventually(problem, 20_000)).toContain("not yours");
	});

	it("closes a log that no page has asked for in two minutes", async () => {
		vi.useFakeTimers({
			toFake: ["setTimeout", "clearTimeout"],
			shouldAdvanceTime: true,
		});
		onTestFinished(() => void vi.useRealTimers());
		let asked = 0;
		const { board } = await boardOf((path, response) => {
			if (path.includes("/jobs/")) asked += 1;
			json(response, 403, { message: "not yours" });
		});
		for (const _ of [1, 2]) await board.log("a", 0);
		expect(asked).toBe(1);
		vi.advanceTimersByTime(120_000);
		await board.log("a", 0);
		expect(asked).toBe(2);
	});

	it.each([
		[-1, "ahead of"],
		[1, "behind"],
	])(
		"goes by the service's clock if that is %i h off, and says that this machine's is %s it",
		async (hours, words) => {
			const there = () => Date.now() + hours * 3_600_000;
			const { board } = await boardOf((_, response) =>
				json(response, 200, [], { date: new Date(there()).toUTCString() }),
			);
			const answer = await board.answer(null);
			expect(Math.abs(answer.now - there())).toBeLessThan(10_000);
			const note = `This machine's clock is 1 h 00 min ${words} the service's`;
			expect(answer.notes).toEqual([expect.stringContaining(note)]);
		},
	);
});

describeInBrowser("the board of an unusual team", (open) => {
	it("has nothing: one calm line, and each list says so", async () => {
		const server = await serverWith(emptyTeam("vision"), NOW);
		const { page, problems } = await open(server.pageUrl, { width: 400 });
		await page.getByText("Everything is all right: 0 schedules and 0 jobs").waitFor();
		for (const [view, text] of [
			["schedules", "The team has no schedules."],
			["timeline", "Nothing runs in this time."],
			["pipelines", "The team has no pipelines."],
			["jobs", "The team has no jobs."],
			["pipeline/none", "The team has no pipeline with the id none."],
			["log/none", "The service does not know this job."],
			["pipeline/%E0%A4%A", "The team has no pipeline with the id %E0%A4%A."],
			["elsewhere", "Everything is all right"],
		] as const) {
			await goTo(page, view, text);
			expect([view, await axeViolations(page)]).toEqual([view, []]);
		}
		expect(problems).toEqual([]);
		await server.close();
	});

	it("claims nothing that the service does not say", async () => {
		const ago = (hours: number) =>
			new Date(Date.now() - hours * 3_600_000).toISOString();
		const jobs = [
			{ id: "begun", name: "begun", status: "RUNNING", created_at: ago(2) },
		];
		const clusters = Array.from({ length: 12 }, (_, id) => ({
			id,
			name: `cluster ${id}`,
			max_workers: 4,
		}));
		const pipelines = [
			{
				pipeline_id: "p",
				name: "p",
				status: "COMPLETED",
				created_at: ago(31),
				job_runs: [{ created_job_id: "gone", name: "a" }],
			},
			{ pipeline_id: null },
		];
		const { url } = await boardOf((path, response) => {
			const lists = {
				"/jobs/": jobs,
				"/clusters/": clusters,
				"/pipeline/list": pipelines,
			};
			const found = Object.entries(lists).find(([part]) => path.includes(part));
			json(response, 200, found?.[1] ?? []);
		});
		const { page } = await open(boardUrl(url, KEY));
		await page.getByText("Running now (1)").waitFor();
		await page.getByText("Clusters (12)").waitFor();
		await page.getByText("up to 4 workers").first().waitFor();
		await page
			.getByText("an element that was left out because it cannot be read")
			.waitFor();
		await page
			.getByText("Nothing needs attention in the data that could be read.")
			.waitFor();
		expect(await page.getByText("Everything is all right").count()).toBe(0);
	});

	it.each([
		["schedules", "/pipeline/schedules", "No schedule has a next run."],
		["pipelines", "/pipeline/list", "Nothing runs."],
		["jobs", "/jobs/", "Nothing runs."],
		["clusters", "/clusters/", "No cluster is known."],
	])(
		"may not be read in full: without its %s the page shows the rest, and claims nothing of them",
		async (list, refused, claim) => {
			const elements: Record<string, unknown> = {
				"/pipeline/schedules": {
					id: 1,
					schedule_name: "a-schedule",
					cron_expression: "0 3 * * *",
				},
				"/pipeline/list": { pipeline_id: "p", name: "a-pipeline", status: "COMPLETED" },
				"/jobs/": { id: "j", name: "a-job", status: "COMPLETE" },
				"/clusters/": { id: 1, name: "a-cluster" },
			};
			const { url } = await boardOf((path, response) => {
				if (path.includes(refused))
					return json(response, 403, { message: "no access to these" });
				const found = Object.entries(elements).find(([part]) => path.includes(part));
				json(response, 200, found?.slice(1));
			});
			const { page } = await open(boardUrl(url, KEY));
			const why = new RegExp(
				`The ${list} could not be read: .*403, the token may not do this.*no access to these`,
			);
			await page.getByText(why).waitFor({ timeout: 30_000 });
			expect(await page.getByText(claim).count()).toBe(0);
			for (const view of ["schedules", "pipelines", "jobs"]) {
				await goTo(
					page,
					view,
					view === list ? `The ${list} could not be read.` : `a-${view.slice(0, -1)}`,
				);
				expect([view, await axeViolations(page)]).toEqual([view, []]);
			}
		},
	);

	it("is not known yet: nothing claims that all is well", async () => {
		const { url } = await boardOf(() => {});
		const { page } = await open(boardUrl(url, KEY));
		await page.getByText("There is no data yet.").waitFor({ timeout: 30_000 });
		await page.getByText("There is no data about the team yet.").waitFor();
		expect(await page.getByText("Everything is all right").count()).toBe(0);
	});
});
