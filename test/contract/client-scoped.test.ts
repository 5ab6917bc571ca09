import { getEventListeners } from "node:events";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { AttemptInfo } from "../../src/client";
import { JOB_ID } from "../helpers/api-calls";
import {
	answerWith,
	client,
	clockOf,
	freshServer,
	server,
} from "../helpers/api-connect";
import { clientFor, failureOf, json } from "../helpers/api-servers";

freshServer(({ response }) => json(response, 200, []), { maxConcurrentWrites: 1 });

describe("the signal of a scope", () => {
	const aborted = { name: "AbortedError", attempts: 0 };

	test("ends every kind of call, uploads and followed logs too, and none of the client it came from", async () => {
		const scoped = client.scoped({ signal: AbortSignal.abort() });
		expect(await failureOf(scoped.clusters.list())).toMatchObject(aborted);
		expect(await failureOf(scoped.schedules.delete({ schedule_id: 1 }))).toMatchObject(
			aborted,
		);
		expect(
			await failureOf(scoped.jobs.uploadFile({ name: "a", content: "b" })),
		).toMatchObject(aborted);
		expect(
			await failureOf(scoped.jobs.followLogs({ job_id: JOB_ID }).next()),
		).toMatchObject({
			name: "AbortedError",
		});
		expect(server.requests).toHaveLength(0);
		expect(await client.clusters.list()).toEqual([]);
	});

	test("ends a call that brings a signal of its own, and that one ends it too", async () => {
		answerWith(() => {});
		for (const which of ["scope", "own"] as const) {
			const signals = { scope: new AbortController(), own: new AbortController() };
			const scoped = client.scoped({ signal: signals.scope.signal });
			const sent = server.requests.length;
			const outcome = failureOf(
				scoped.jobs.uploadFile(
					{ name: "a", content: "b" },
					{ signal: signals.own.signal },
				),
			);
			await vi.waitFor(() => expect(server.requests).toHaveLength(sent + 1));
			signals[which].abort();
			expect(await outcome).toMatchObject({
				name: "AbortedError",
				received: "unknown",
			});
		}
	});

	test("is not listened to any longer when a call is over, however it ended", async () => {
		const { signal } = new AbortController();
		const own = new AbortController().signal;
		answerWith(({ index, request, response }) => {
			if (index === 0) json(response, 429, {}, { "retry-after": "0" });
			else if (index === 1) json(response, 503, {});
			else json(response, 200, request.method === "GET" ? [] : { id: 1, ok: true });
		});
		const scoped = client.scoped({ signal }).scoped({ signal: () => signal });
		for (let poll = 0; poll < 5; poll += 1) {
			await Promise.all(
				[1, 2, 3].map((schedule_id) =>
					scoped.schedules.delete({ schedule_id }, { signal: own }),
				),
			);
			await scoped.clusters.list({}, { signal: own });
			await scoped.jobs.uploadFile({ name: "a", content: "b" }, { signal: own });
			const impossible = { signal: own, deadlineMillis: 0 };
			const wrong = "The client option deadlineMillis must be";
			await expect(scoped.jobs.list({}, impossible)).rejects.toThrow(wrong);
			await expect(
				scoped.jobs.followLogs({ job_id: JOB_ID }, impossible).next(),
			).rejects.toThrow(wrong);
			const log = scoped.jobs.followLogs(
				{ job_id: JOB_ID },
				{ signal: own, deadlineMillis: 20 },
			);
			await failureOf(log.next());
			expect(
				[signal, own].map((one) => getEventListeners(one, "abort").length),
			).toEqual([0, 0]);
		}
	});
});

test("a scope ends its calls when its time is over, except those that are untimed", async () => {
	answerWith(({ response }) => setTimeout(() => json(response, 200, []), 100));
	const clock = clockOf(30);
	const scoped = client.scoped({ clock: () => clock });
	const longer = scoped.clusters.list({}, { untimed: true });
	expect(await failureOf(scoped.clusters.list())).toMatchObject({
		name: "AbortedError",
	});
	expect(clock.stopped).toBe("deadline");
	expect(await longer).toEqual([]);
});

describe("attempts", () => {
	test("onAttempt of every scope around a call is told of each request once", async () => {
		answerWith(({ index, response, socket }) => {
			if (index === 0) socket.destroy();
			else if (index === 1) json(response, 503, {});
			else if (index === 2)
				response
					.writeHead(200, { "content-length": "9" })
					.write("part", () => socket.destroy());
			else json(response, 200, []);
		});
		const [outer, inner]: [AttemptInfo[], AttemptInfo[]] = [[], []];
		const start = performance.now();
		const scoped = client.scoped({ onAttempt: (info) => outer.push(info) });
		await scoped
			.scoped({ onAttempt: (info) => inner.push(info) })
			.clusters.list({ team_name: "other" });
		const common = {
			operation: "listClusters",
			method: "GET",
			path: "/datachain/clusters/",
			teamName: "other",
		};
		expect(outer).toEqual(inner);
		expect(outer).toMatchObject([
			{
				...common,
				attempt: 1,
				status: undefined,
				error: "NetworkError",
				serviceTime: undefined,
			},
			{
				...common,
				attempt: 2,
				status: 503,
				error: "ServerError",
				serviceTime: expect.any(Number),
			},
			{ ...common, attempt: 3, status: 200, error: "UnexpectedReplyError" },
			{ ...common, attempt: 4, status: 200, error: undefined },
		]);
		for (const { durationMillis } of outer) {
			expect(durationMillis).toBeGreaterThan(0);
			expect(durationMillis).toBeLessThan(performance.now() - start);
		}
		await client.clusters.list();
		expect(outer).toHaveLength(4);
	});

	test("onAttempt is told the innermost resource around the call", async () => {
		const told: (string | undefined)[] = [];
		const scoped = client.scoped({ onAttempt: ({ resource }) => told.push(resource) });
		await scoped.clusters.list();
		await scoped
			.scoped({ resource: "outer" })
			.scoped({ resource: "inner" })
			.clusters.list();
		await scoped.scoped({ resource: "outer" }).scoped({}).clusters.list();
		expect(told).toEqual([undefined, "inner", "outer"]);
	});

	test("a listener that throws does not fail the call", async () => {
		const warn = vi.spyOn(process, "emitWarning").mockReturnValue();
		onTestFinished(() => warn.mockRestore());
		const heard: AttemptInfo[] = [];
		const failing = (reason: unknown) => ({
			onAttempt: () => {
				throw reason;
			},
		});
		const scoped = client
			.scoped(failing(new Error("full disk")))
			.scoped(failing("a text"))
			.scoped({ onAttempt: (info) => heard.push(info) });
		expect(await scoped.clusters.list()).toEqual([]);
		expect(heard).toHaveLength(1);
		const why = ["full disk", "unknown"];
		expect(warn.mock.calls).toEqual(
			why.map((each) => [`a listener of requests failed: ${each}`]),
		);
	});
});

test("DATACHAIN_LOG has a line for each attempt, without the values that were sent", async () => {
	vi.stubEnv("DATACHAIN_LOG", "debug");
	const said = vi.spyOn(process.stderr, "write").mockReturnValue(true);
	onTestFinished(() => {
		vi.unstubAllEnvs();
		said.mockRestore();
	});
	answerWith(({ response }) => json(response, 503, {}));
	const logging = clientFor(server.url, { maxAttempts: 2 });
	await failureOf(
		logging.schedules.update({ schedule_id: 7, schedule_name: "canary" }),
	);
	const lines = said.mock.calls.map(([line]) => String(line));
	expect(lines).toEqual(
		[1, 2].map((attempt) => expect.stringContaining(` attempt=${attempt} status=503 `)),
	);
	expect(lines.join()).not.toMatch(/canary|Bearer/);
});
