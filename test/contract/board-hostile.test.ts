import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Board } from "../../src/board/board";
import { boardUrl, listen } from "../../src/board/http";
import { emptyTeam, newJob, newPipeline, newSchedule, newUser } from "../../src/server/state";
import { axeViolations, describeInBrowser, goTo, overhang } from "../helpers/board-page";
import { serverWith } from "../helpers/board-team";
import { eventually } from "../helpers/server-harness";

const NOW = Date.parse("2026-11-17T09:10:00Z");
const KEY = "the-key-of-this-board";

/** A service that answers as it is told, and a board that asks it. */
async function boardOf(answer: (path: string, response: ServerResponse) => void) {
	const told = { answer };
	const service = createServer((request, response) => told.answer(request.url ?? "", response));
	await new Promise<void>((resolve) => {
		service.listen(0, "127.0.0.1", resolve);
	});
	const { port } = service.address() as AddressInfo;
	const stopping = new AbortController();
	const board = new Board(
		{ baseUrl: `http://127.0.0.1:${port}/api`, token: "dcl_secret-token", teamName: "vision" },
		{ service: "", everyMillis: 50, signal: stopping.signal },
	);
	const listening = await listen(board, KEY, 0);
	onTestFinished(async () => {
		stopping.abort();
		await listening.close();
		await board.close();
		service.closeAllConnections();
		service.close();
	});
	return { board, told, url: listening.url };
}

/** Sets this machine's clock forward, until the end of the test. */
function passingTime(): (millis: number) => void {
	const clock = Date.now;
	let passed = 0;
	vi.spyOn(Date, "now").mockImplementation(() => clock() + passed);
	onTestFinished(() => void vi.restoreAllMocks());
	return (millis) => {
		passed += millis;
	};
}

const json = (response: ServerResponse, status: number, body: unknown, headers = {}) =>
	response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
const empty = (_: string, response: ServerResponse) => json(response, 200, []);
const job = { id: "a", name: "a", status: "COMPLETE", created_at: "2026-11-17T08:00:00Z" };
const oneJob = (path: string, response: ServerResponse) =>
	json(response, 200, path.includes("/jobs/") ? [job] : []);

describe("a board of a service that misbehaves", { timeout: 180_000 }, () => {
	it.each<[string, (path: string, response: ServerResponse) => void]>([
		["fails", (_, response) => json(response, 500, { message: "<b>broken</b>" })],
		["answers garbage", (_, response) => void response.end("<html>not JSON")],
		["answers other shapes", (_, response) => json(response, 200, { jobs: 7 })],
		["hangs up", (_, response) => void response.destroy()],
	])("keeps its data, says why, and recovers when the service %s", async (_, misbehave) => {
		const { board, told } = await boardOf(oneJob);
		expect(await board.answer(null)).toMatchObject({ problem: null, rows: { jobs: [{ id: "a" }] } });
		told.answer = misbehave;
		const away = await eventually(async () => {
			const answer = await board.answer(null);
			return answer.problem === null ? undefined : answer;
		}, 120_000);
		expect(away.rows.jobs).toHaveLength(1);
		expect(away.problem).not.toContain("secret-token");
		told.answer = empty;
		const back = await eventually(async () => {
			const answer = await board.answer(null);
			return answer.problem === null ? answer : undefined;
		}, 120_000);
		expect([back.rows.jobs, back.asOf >= away.asOf]).toEqual([[], true]);
	});

	it.each([
		["within five minutes after a reading that took long", 200, { problem: null, every: 300_000 }],
		["soon after one that failed", 403, { problem: expect.stringContaining("403"), every: 50 }],
	])("asks again %s, however long it took", async (_, status, answer) => {
		const letPass = passingTime();
		const { board } = await boardOf((_, response) => {
			letPass(600_000);
			json(response, status, []);
		});
		expect(await board.answer(null)).toMatchObject(answer);
	});

	it("says why a log cannot be read, also if that takes a while, until it can be", async () => {
		let asked = 0;
		const { board, told } = await boardOf((_, response) => {
			asked += 1;
			setTimeout(() => json(response, 403, { message: "not yours" }), 1_000);
		});
		const problem = async () => (await board.log("a", 0)).problem ?? undefined;
		expect(await eventually(problem, 20_000)).toContain("not yours");
		for (let again = 0; again < 5; again += 1) expect(await problem()).toContain("not yours");
		expect(asked).toBe(1);
		told.answer = empty;
		passingTime()(11_000);
		await eventually(async () => (await problem())?.includes("does not know this job"), 20_000);
	});

	it.each([
		[-1, "ahead of"],
		[1, "behind"],
	])(
		"goes by the service's clock if that is %i h off, and says that this machine's is %s it",
		async (hours, words) => {
			const there = () => Date.now() + hours * 3_600_000;
			const hourly = {
				id: 1,
				schedule_name: "hourly",
				cron_expression: "0 * * * *",
				updated_at: "2026-01-01T00:00:00Z",
			};
			const start = Math.floor((there() - 15 * 60_000) / 3_600_000) * 3_600_000;
			const run = {
				pipeline_id: "r",
				name: "etl",
				status: "COMPLETED",
				schedule_name: "hourly",
				created_at: new Date(start).toISOString(),
			};
			const older = { ...run, pipeline_id: "o", created_at: new Date(start - 9 * 3_600_000).toISOString() };
			const { board } = await boardOf((path, response) => {
				const date = new Date(there()).toUTCString();
				const rows = path.includes("/schedules") ? [hourly] : path.includes("/list") ? [run, older] : [];
				const one = { ...hourly, pipeline: { pipeline_id: "t", name: "p" } };
				json(response, 200, path.includes("/schedule?") ? one : rows, { date });
			});
			const answer = await eventually(async () => {
				const found = await board.answer(null);
				return found.rows.schedules?.[0]?.pipeline === "p" ? found : undefined;
			}, 20_000);
			expect(Math.abs(answer.now - there())).toBeLessThan(10_000);
			expect(answer.rows.attention).toEqual([]);
			const note = `This machine's clock is 1 h 00 min ${words} the service's`;
			expect(answer.notes).toEqual([expect.stringContaining(note)]);
		},
	);
});

describeInBrowser("the board of an unusual team", (open) => {
	const NAMES = [
		"<img src=x onerror=alert(1)>",
		"🎉👩‍👩‍👧‍👦".repeat(8),
		"שלום ".repeat(12),
		"\u202egnp.exe",
		"n".repeat(200),
	];

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
			await goTo(page, view);
			await page.getByText(text).first().waitFor();
			expect([view, await axeViolations(page)]).toEqual([view, []]);
		}
		expect(problems).toEqual([]);
		await server.close();
	});

	it("has names of any kind: they stay text, and fit a phone", async () => {
		const team = emptyTeam("vision");
		const at = "2026-11-17T08:00:00Z";
		for (const [index, name] of NAMES.entries()) {
			const pipelineId = `00000000-0000-4000-8000-00000000000${index}`;
			const jobId = `00000000-0000-4000-9000-00000000000${index}`;
			team.jobs.push(
				newJob({
					id: jobId,
					name,
					query: "",
					created_at: at,
					created_by: name,
					status: "FAILED",
					started_at: at,
					finished_at: "2026-11-17T08:05:00Z",
					error_message: name.repeat(3),
					logs: [`\u001b[31m${name}\u001b[0m \u001b]8;;http://evil\u0007link\u001b]8;;\u0007\n`],
				}),
			);
			team.pipelines.push(
				newPipeline({
					pipeline_id: pipelineId,
					name,
					triggered_from: name,
					created_at: at,
					created_by: name,
					job_runs: [{ job_id: jobId, parent_job_ids: [], name, created_job_id: jobId }],
				}),
			);
			team.schedules.push(
				newSchedule({
					id: index + 1,
					schedule_name: name,
					created_at: at,
					created_by: newUser(name),
					cron_expression: "0 3 * * *",
					pipeline_id: pipelineId,
				}),
			);
		}
		const server = await serverWith(team, NOW);
		const { page, problems } = await open(server.pageUrl, { width: 400 });
		await page.getByText("Failed").first().waitFor();
		for (const view of [
			"attention",
			"schedules",
			"timeline",
			"pipelines",
			"jobs",
			"pipeline/00000000-0000-4000-8000-000000000004",
			"log/00000000-0000-4000-9000-000000000000?q=img",
			"log/00000000-0000-4000-9000-000000000001",
		]) {
			await goTo(page, view);
			await page.locator("main :text-matches('.')").first().waitFor();
			await expect
				.poll(() => page.locator("main a, main .log .row").count(), { timeout: 30_000 })
				.toBeGreaterThan(0);
			expect([view, await overhang(page)]).toEqual([view, 0]);
			expect([view, await axeViolations(page)]).toEqual([view, []]);
			expect(await page.locator("img").count()).toBe(0);
		}
		await page.getByText("👦 link").first().waitFor();
		expect(await page.locator(".log").textContent()).not.toMatch(/\ufffd|evil/);
		expect(problems).toEqual([]);
		await server.close();
	});

	it("claims nothing that the service does not say", async () => {
		const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
		const jobs = [{ id: "begun", name: "begun", status: "RUNNING", created_at: ago(2) }];
		const clusters = Array.from({ length: 12 }, (_, id) => ({ id, name: `cluster ${id}`, max_workers: 4 }));
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
			const lists = { "/jobs/": jobs, "/clusters/": clusters, "/pipeline/list": pipelines };
			const found = Object.entries(lists).find(([part]) => path.includes(part));
			json(response, 200, found?.[1] ?? []);
		});
		const { page } = await open(boardUrl(url, KEY));
		await page.getByText("Running now (1)").waitFor();
		await page.getByText("Clusters (12)").waitFor();
		await page.getByText("up to 4 workers").first().waitFor();
		await page.getByText("an element that was left out because it cannot be read").waitFor();
		await page.getByText("Of what could be read, nothing needs a look.").waitFor();
		expect(await page.getByText("Everything is all right").count()).toBe(0);
	});

	it("begins a day when the clocks of its zone do, also where that is not midnight", async () => {
		const { url } = await boardOf(oneJob);
		const address = `${boardUrl(url, KEY)}#/timeline?day=2026-09-06`;
		const { page } = await open(address, { timezoneId: "America/Santiago" });
		await page.getByRole("button", { name: "UTC" }).click();
		await page.getByRole("heading", { name: "Sun 2026-09-06" }).waitFor({ timeout: 10_000 });
	});

	it("is not known yet: nothing claims that all is well", async () => {
		const { url } = await boardOf(() => {});
		const { page } = await open(boardUrl(url, KEY));
		await page.getByText("There is no data yet.").waitFor({ timeout: 30_000 });
		await page.getByText("Nothing is known of the team yet.").waitFor();
		expect(await page.getByText("Everything is all right").count()).toBe(0);
	});
});
