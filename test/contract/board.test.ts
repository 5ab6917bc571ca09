import { request } from "undici";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { Board } from "../../src/board/board";
import { boardUrl, listen } from "../../src/board/http";
import { nextRuns } from "../../src/cron";
import { type LocalServer, manualClock } from "../../src/server";
import { type Answer, KEY_HEADER } from "../../src/team/snapshot";
import { bundlePage } from "../../tools/build/bundle-page";
import { boardTeam, serverWith } from "../helpers/board-team";
import { eventually, testServer } from "../helpers/server-harness";

const NOW = Date.parse("2026-11-17T09:10:00Z");
const KEY = "the-key-of-this-board";

describe("the board over HTTP", () => {
	const team = boardTeam(NOW);
	let server: LocalServer;
	let board: Board;
	let listening: Awaited<ReturnType<typeof listen>>;
	beforeAll(async () => {
		await bundlePage();
		server = await serverWith(team, NOW);
		const { url, token, teamName } = server;
		board = new Board(
			{ baseUrl: `${url}/api`, token, teamName },
			{ service: url, now: () => NOW },
		);
		listening = await listen(board, KEY, 0);
	}, 60_000);
	afterAll(async () => {
		await listening?.close();
		await board?.close();
		await server?.close();
	});

	/** Plain requests, with whatever headers: `fetch` would not send another host. */
	const ask = async (
		path: string,
		headers: Record<string, string>,
		method: "GET" | "POST" = "GET",
	) => {
		const { statusCode, body } = await request(`${listening.url}${path}`, {
			method,
			headers,
		});
		return { status: statusCode, text: await body.text() };
	};
	const data = async () =>
		JSON.parse((await ask("/board/data?since=", { [KEY_HEADER]: KEY })).text) as Answer;
	const whole = () =>
		eventually(async () => {
			const answer = await data();
			return answer.notes.length === 0 ? answer : undefined;
		}, 30_000);

	it("answers nothing without its key, from another host name or site, or by another method", async () => {
		const { host } = new URL(listening.url);
		const cases = [
			["/", {}, "GET"],
			["/?key=wrong", {}, "GET"],
			["/board/data", {}, "GET"],
			[`/board/data?key=${KEY}`, {}, "GET"],
			["/board/log?job=1", { [KEY_HEADER]: `${KEY}x` }, "GET"],
			[`/?key=${KEY}`, { host: "evil.example" }, "GET"],
			[
				"/board/data",
				{ host: `evil.example:${host.split(":")[1]}`, [KEY_HEADER]: KEY },
				"GET",
			],
			["/board/data", { [KEY_HEADER]: KEY, origin: "http://evil.example" }, "GET"],
			["/board/data", { [KEY_HEADER]: KEY, origin: "null" }, "GET"],
			["/board/data", { [KEY_HEADER]: KEY }, "POST"],
			["/elsewhere", { [KEY_HEADER]: KEY }, "GET"],
		] as const;
		const found = await Promise.all(
			cases.map(([path, headers, method]) => ask(path, headers, method)),
		);
		expect(found.map(({ status }) => status)).toEqual([
			401, 401, 401, 401, 401, 403, 403, 403, 403, 405, 404,
		]);
		expect(found.filter(({ text }) => text.includes("nightly"))).toEqual([]);
		expect(server.requests.entries).toEqual([]);
	});

	it("sends the page to whoever has the address, and the token to nobody", async () => {
		const page = await fetch(boardUrl(listening.url, KEY));
		expect(page.status).toBe(200);
		expect(page.headers.get("referrer-policy")).toBe("no-referrer");
		expect(page.headers.get("content-security-policy")).toBe("frame-ancestors 'none'");
		const { text } = await ask("/board/data", { [KEY_HEADER]: KEY });
		for (const secret of [server.token, "hunter2-secret-value", "PASSWORD"]) {
			expect(text).not.toContain(secret);
			expect(await page.clone().text()).not.toContain(secret);
		}
	});

	it("redacts a log as the command does, and answers it in parts", async () => {
		const job = (await data()).rows.jobs?.find(({ name }) => name === "explore.py");
		const read = async (from: number) =>
			JSON.parse(
				(await ask(`/board/log?job=${job?.id}&from=${from}`, { [KEY_HEADER]: KEY }))
					.text,
			);
		const all = await eventually(async () => {
			const part = await read(0);
			return part.lines.length >= 400 ? part : undefined;
		});
		expect(all.lines.join("\n")).not.toContain("hunter2");
		expect(all.lines.join("\n")).toContain("signing in with");
		expect((await read(390)).lines).toHaveLength(10);
	});

	it("asks the service for four lists per reading, however many pages ask, and for each schedule once", async () => {
		await whole();
		const before = server.requests.entries.length;
		await Promise.all(Array.from({ length: 20 }, () => data()));
		expect(server.requests.entries.length - before).toBe(0);
		const all = server.requests.entries;
		const lists = all.filter(({ endpoint }) => endpoint?.startsWith("list"));
		expect(lists.length).toBeLessThanOrEqual(4 + 1);
		expect(all.filter(({ endpoint }) => endpoint === "getSchedule")).toHaveLength(12);
	});

	it("shows every job and pipeline of the team, when each schedule runs next, and all runs until tomorrow", async () => {
		const { rows } = await whole();
		expect(rows.jobs?.map(({ id, status }) => `${id} ${status}`).sort()).toEqual(
			team.jobs.map(({ id, status }) => `${id} ${status}`).sort(),
		);
		expect(rows.pipelines?.map(({ id }) => id).sort()).toEqual(
			team.pipelines.map(({ pipeline_id }) => pipeline_id).sort(),
		);
		const active = (rows.schedules ?? []).filter(
			({ state, cron }) => state === "active" && cron !== null,
		);
		const runs = active.map(({ cron }) =>
			nextRuns(cron ?? "", new Date(NOW), 30).map(Number),
		);
		expect(active.map(({ next }) => next)).toEqual(runs.map(([first]) => first));
		// The outlines of the timeline are the same runs.
		const tomorrow = NOW + 86_400_000;
		const future = board.future(NOW, tomorrow);
		expect(
			active.map(({ id }) =>
				(future.runs[id] ?? []).map((minute) => NOW + minute * 60_000),
			),
		).toEqual(runs.map((each) => each.filter((at) => at < tomorrow)));
	});
});

// Before, at, just after and long after the time of its nightly schedule; in the morning and at midnight.
it.each([
	"00:00:00",
	"02:29:59",
	"02:30:00",
	"02:31:00",
	"02:50:00",
	"03:05:00",
	"11:20:00",
	"23:59:59",
])(
	"the local server's own team on the board needs no attention at %s",
	async (time) => {
		const clock = manualClock(`2026-11-17T${time}Z`);
		const server = await testServer({ clock });
		const { url, token, teamName } = server;
		const board = new Board(
			{ baseUrl: `${url}/api`, token, teamName },
			{ service: url, now: () => clock.now() },
		);
		onTestFinished(() => board.close());
		const { rows, problem, now } = await board.answer(null);
		expect([problem, rows.schedules?.length, rows.attention]).toEqual([null, 1, []]);
		const ends = [...(rows.jobs ?? []), ...(rows.pipelines ?? [])].map(
			({ end }) => end ?? 0,
		);
		expect(Math.max(...ends)).toBeLessThanOrEqual(now);
	},
);
