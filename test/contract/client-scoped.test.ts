import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import type { AttemptInfo, DataChainClient } from "../../src/api";
import { JOB_ID } from "../helpers/api-calls";
import {
	clientFor,
	type Exchange,
	failureOf,
	json,
	type RawServer,
	startRawServer,
} from "../helpers/api-raw-server";

let answer: (exchange: Exchange) => void;
let server: RawServer;
let client: DataChainClient;

beforeEach(async () => {
	answer = ({ response }) => json(response, 200, []);
	server = await startRawServer((exchange) => answer(exchange));
	client = clientFor(server.url, { maxConcurrentWrites: 1 });
});
afterEach(async () => {
	await client.close();
	await server.close();
});

describe("the signal of a scope", () => {
	const aborted = { name: "AbortedError", attempts: 0 };

	test("ends every kind of call, uploads and followed logs too, and none of the client it came from", async () => {
		const scoped = client.scoped({ signal: AbortSignal.abort() });
		expect(await failureOf(scoped.clusters.list())).toMatchObject(aborted);
		expect(await failureOf(scoped.schedules.delete({ schedule_id: 1 }))).toMatchObject(aborted);
		expect(await failureOf(scoped.jobs.uploadFile({ name: "a", content: "b" }))).toMatchObject(aborted);
		expect(await failureOf(scoped.jobs.followLogs({ job_id: JOB_ID }).next())).toMatchObject({
			name: "AbortedError",
		});
		expect(server.requests).toHaveLength(0);
		expect(await client.clusters.list()).toEqual([]);
	});

	test("may be made at the first call", async () => {
		let asked = 0;
		const scoped = client.scoped({
			signal: () => {
				asked += 1;
				return AbortSignal.abort();
			},
		});
		expect(asked).toBe(0);
		await failureOf(scoped.clusters.list());
		expect(asked).toBe(1);
	});

	test("gives way to the signal that a call brings", async () => {
		const scoped = client.scoped({ signal: AbortSignal.abort() });
		expect(await scoped.clusters.list({}, { signal: new AbortController().signal })).toEqual([]);
	});

	test("ends calls of scopes within it, and the other way round it does not", async () => {
		const outer = new AbortController();
		const inner = new AbortController();
		const scoped = client.scoped({ signal: outer.signal });
		const nested = scoped.scoped({ signal: inner.signal });
		inner.abort();
		expect(await failureOf(nested.clusters.list())).toMatchObject(aborted);
		expect(await scoped.clusters.list()).toEqual([]);
		outer.abort();
		expect(await failureOf(scoped.scoped({}).clusters.list())).toMatchObject(aborted);
	});
});

describe("attempts", () => {
	test("each request that is sent is told once, to every scope around the call", async () => {
		answer = ({ index, response, socket }) => {
			if (index === 0) socket.destroy();
			else if (index === 1) json(response, 503, {});
			else json(response, 200, []);
		};
		const [outer, inner]: [AttemptInfo[], AttemptInfo[]] = [[], []];
		const start = performance.now();
		const scoped = client.scoped({ onAttempt: (info) => outer.push(info) });
		await scoped.scoped({ onAttempt: (info) => inner.push(info) }).clusters.list({ team_name: "other" });
		const common = {
			operation: "listClusters",
			method: "GET",
			path: "/datachain/clusters/",
			teamName: "other",
		};
		expect(outer).toEqual(inner);
		expect(outer).toMatchObject([
			{ ...common, attempt: 1, status: undefined, error: "NetworkError" },
			{ ...common, attempt: 2, status: 503, error: "ServerError" },
			{ ...common, attempt: 3, status: 200, error: undefined },
		]);
		for (const { durationMillis } of outer) {
			expect(durationMillis).toBeGreaterThan(0);
			expect(durationMillis).toBeLessThan(performance.now() - start);
		}
		await client.clusters.list();
		expect(outer).toHaveLength(3);
	});

	test("each is told for the innermost resource around the call", async () => {
		const told: (string | undefined)[] = [];
		const scoped = client.scoped({ onAttempt: ({ resource }) => told.push(resource) });
		await scoped.clusters.list();
		await scoped.scoped({ resource: "outer" }).scoped({ resource: "inner" }).clusters.list();
		await scoped.scoped({ resource: "outer" }).scoped({}).clusters.list();
		expect(told).toEqual([undefined, "inner", "outer"]);
	});

	test.each([
		["its message", new Error("full disk"), "a listener of requests failed: full disk"],
		["no more where it is no error", "text", "a listener of requests failed: unknown"],
	])("a listener that fails costs no call, and is warned of with %s", async (_, thrown, warning) => {
		const warn = vi.spyOn(process, "emitWarning").mockReturnValue();
		onTestFinished(() => warn.mockRestore());
		const heard: AttemptInfo[] = [];
		const failing = client.scoped({
			onAttempt: () => {
				throw thrown;
			},
		});
		const scoped = failing.scoped({ onAttempt: (info) => heard.push(info) });
		expect(await scoped.clusters.list()).toEqual([]);
		expect(heard).toHaveLength(1);
		expect(warn.mock.calls).toEqual([[warning]]);
	});

	test("an error that is none of this client's is told as such, with the reply's status", async () => {
		answer = ({ response }) => json(response, 200, [{ id: "a", name: "x" }, {}]);
		const strict = clientFor(server.url, {
			onUnreadable: () => {
				throw new TypeError("mine");
			},
		});
		onTestFinished(() => strict.close());
		const attempts: AttemptInfo[] = [];
		const scoped = strict.scoped({ onAttempt: (info) => attempts.push(info) });
		expect(await failureOf(scoped.clusters.list())).toBeInstanceOf(TypeError);
		expect(attempts).toMatchObject([{ status: 200, error: "Error", attempt: 1 }]);
	});

	test("what is refused before it is sent is none", async () => {
		const attempts: AttemptInfo[] = [];
		const scoped = client.scoped({ onAttempt: (info) => attempts.push(info) });
		await failureOf(scoped.schedules.create({ schedule_name: "", pipeline_name: "p" }));
		await failureOf(scoped.clusters.list({}, { signal: AbortSignal.abort() }));
		await failureOf(scoped.jobs.uploadFile({ path: "/there/is/no/such/file" }));
		expect(attempts).toEqual([]);
	});

	test("a reply of the wrong form has its status and its error", async () => {
		answer = ({ response }) => json(response, 200, { id: "seven" });
		const attempts: AttemptInfo[] = [];
		const scoped = client.scoped({ onAttempt: (info) => attempts.push(info) });
		await failureOf(scoped.schedules.get({ schedule_id: 7 }));
		expect(attempts).toMatchObject([{ status: 200, error: "UnexpectedReplyError" }]);
	});
});

describe("waiting for a turn", () => {
	test("is told at its beginning and its end, and only where there is any", async () => {
		answer = ({ response }) => setTimeout(() => json(response, 200, { ok: true }), 50);
		const told: (readonly [string, boolean])[] = [];
		const named = (name: string) => client.scoped({ onAdmission: (waiting) => told.push([name, waiting]) });
		const first = named("first").schedules.delete({ schedule_id: 1 });
		const second = named("second").schedules.delete({ schedule_id: 2 });
		await Promise.all([first, second]);
		expect(told).toEqual([
			["second", true],
			["second", false],
		]);
	});

	test("shares one queue among all scopes of a client", async () => {
		let [running, most] = [0, 0];
		answer = ({ response }) => {
			running += 1;
			most = Math.max(most, running);
			setTimeout(() => {
				running -= 1;
				json(response, 200, { ok: true });
			}, 20);
		};
		await Promise.all([1, 2, 3].map((schedule_id) => client.scoped({}).schedules.delete({ schedule_id })));
		expect(most).toBe(1);
	});
});
