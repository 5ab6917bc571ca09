import { inspect } from "node:util";
import { describe, expect, test, vi } from "vitest";
import { ApiError, type DataChainClient, type UnreadableInfo } from "../../src/client";
import { answerWith, client, freshServer, server } from "../helpers/api-connect";
import { clientFor, failureOf, json, TOKEN } from "../helpers/api-servers";
import type { Exchange } from "../helpers/raw-server";

freshServer(({ response }) => json(response, 500, {}), { maxAttempts: 1 });

const errorOf = async (work: Promise<unknown>): Promise<ApiError> => {
	const error = await failureOf(work);
	if (error instanceof ApiError) return error;
	throw error;
};

describe("a message says what was tried", () => {
	test.each<[string, string, () => Promise<unknown>]>([
		[
			'list jobs in team "ml"',
			"GET /datachain/jobs/",
			() => client.jobs.list({ status: "ACTIVE" }),
		],
		[
			'change a pipeline\'s settings (pipeline_name "p") in team "o\\"ther"',
			"POST /datachain/pipeline/settings",
			() =>
				client.pipelines.settings({
					pipeline_name: "p",
					workers: 1,
					team_name: 'o"ther',
				}),
		],
		[
			'cancel a running or queued job (job_id "j-1") in team "ml"',
			"POST /datachain/jobs/j-1/cancel",
			() => client.jobs.cancel({ job_id: "j-1" }),
		],
	])("%s", async (what, where, run) => {
		const { message } = await errorOf(run());
		const id = server.requests[0]?.headers["x-request-id"];
		expect(message).toBe(
			`Could not ${what} (${where}, request ${id}): 500, the service failed. ` +
				"Try again later; if that does not help, contact the operator of the service.",
		);
	});

	test("and where nothing was sent, the path without what was wrong in it", async () => {
		expect(await errorOf(client.jobs.cancel({ job_id: "../x" }))).toMatchObject({
			message:
				'Could not cancel a running or queued job (job_id "../x") in team "ml" (POST /datachain/jobs/{job_id}/cancel): ' +
				"job_id must be an id, a UUID for instance. Nothing was sent; correct the request.",
			received: false,
		});
		await expect(client.jobs.uploadFile({ path: "missing.py" })).rejects.toThrow(
			"(ENOENT)",
		);
		expect(
			(await errorOf(client.clusters.list({ team_name: 5 as never }))).message,
		).toContain(
			'in team "ml" (GET /datachain/clusters/): team_name must be a string, in quotes.',
		);
		expect(server.requests).toEqual([]);
	});

	test("and, for a 404, whether an object or the address is not there", async () => {
		answerWith(({ response }) => json(response, 404, { message: "no" }));
		expect((await errorOf(client.clusters.list())).message).toContain(
			'404, the service has nothing at this address for team "ml".',
		);
		expect((await errorOf(client.schedules.get({ schedule_id: 7 }))).message).toContain(
			'404, the service knows no such object in team "ml".',
		);
		expect(
			(await errorOf(client.pipelines.trigger({ datasets: ["a"] }))).message,
		).toContain('404, the service knows no such object in team "ml".');
		const misdirected = clientFor(`${server.url}/team/ml`, { maxAttempts: 1 });
		expect((await errorOf(misdirected.clusters.list())).message).toContain(
			"The path /team/ml of the base URL looks wrong",
		);
	});
});

test.each<[string, string | string[], boolean]>([
	["the service's own", `req_7.f:3-A${"a".repeat(89)}`, true],
	["longer than an id may be", "a".repeat(101), false],
	["a sentence", "req 7", false],
	["one of two", ["a", "b"], false],
	["the token", TOKEN, false],
	["what begins with a secret of the request", "canary-value.7", false],
])("the id of a request, %s: %j is used in the message: %s", async (_, id, taken) => {
	answerWith(({ response }) => {
		response.setHeader("x-request-id", id);
		json(response, 500, {});
	});
	const environment = "KEY=canary-value";
	const { requestId } = await errorOf(
		client.pipelines.settings({ pipeline_name: "p", environment }),
	);
	const ours = server.requests[0]?.headers["x-request-id"];
	expect(ours).toMatch(/^[0-9a-f-]{36}$/);
	expect(requestId).toBe(taken ? id : ours);
});

test("the id in a message is that of the last request that was sent, if the call ends before the next one", async () => {
	answerWith(({ response }) => json(response, 429, {}, { "retry-after": "60" }));
	const patient = clientFor(server.url);
	const stopped = await errorOf(
		patient.clusters.list({}, { signal: AbortSignal.timeout(200) }),
	);
	expect(stopped).toMatchObject({ name: "AbortedError", attempts: 1 });
	expect(stopped.requestId).toBe(server.requests[0]?.headers["x-request-id"]);
});

test.each([
	["the client's", undefined, "0.03 s"],
	["its own", 20, "0.02 s"],
])("the time of a call is %s", async (_, deadlineMillis, limit) => {
	answerWith(() => {});
	const hasty = clientFor(server.url, { deadlineMillis: 30 });
	const error = await errorOf(hasty.clusters.list({}, { deadlineMillis }));
	expect(error.message).toContain(
		`it was not done within ${limit}, the deadline of the whole call`,
	);
});

describe("a repeated request", () => {
	const request = {
		schedule_name: "a",
		pipeline_name: "p",
		cron_expression: "0 3 * * *",
	};

	test.each([true, false])("is made only if the caller allows it: %s", async (may) => {
		answerWith(({ index, response }) =>
			index === 0
				? json(response, 429, {}, { "retry-after": "0" })
				: json(response, 200, { ok: true }),
		);
		const patient = clientFor(server.url, { deadlineMillis: 500 });
		// The look that the caller takes first is not the call's own time.
		const mayRepeat = () =>
			new Promise<boolean>((resolve) => setTimeout(() => resolve(may), 700));
		const outcome = await patient.schedules
			.create(request, { mayRepeat })
			.catch(String);
		expect(outcome).toEqual(
			may
				? { ok: true }
				: expect.stringMatching(
						/^AbortedError: Could not create a pipeline schedule .* it was cancelled\. /,
					),
		);
		expect(server.requests).toHaveLength(may ? 2 : 1);
	});

	test("has its deadline again after the caller's look", async () => {
		answerWith(({ index, response }) => {
			if (index === 0) json(response, 429, {}, { "retry-after": "0" });
		});
		const hasty = clientFor(server.url, {
			deadlineMillis: 300,
			attemptTimeoutMillis: 2_000,
		});
		const error = await errorOf(
			hasty.schedules.create(request, { mayRepeat: async () => true }),
		);
		expect(error.message).toContain("the deadline of the whole call");
	});
});

const SECRET = "canary-secret-value";
const BODY = "canary-reply-body";

test.each<[string, (exchange: Exchange) => void]>([
	[
		"a 400 that repeats token and body",
		({ response, request }) =>
			json(response, 400, { message: `${TOKEN} ${request.body}` }),
	],
	["text that is not HTTP", ({ socket }) => socket.end(`${BODY} ${SECRET}\r\n\r\n`)],
])(
	"secrets of a request and the content of a reply never appear after %s",
	async (_, given) => {
		answerWith(given);
		const error = await failureOf(
			client.pipelines.settings({
				pipeline_name: "p",
				environment: `A=1\nKEY=${SECRET}`,
				requirements: "numpy",
			}),
		);
		expect(error).toBeInstanceOf(ApiError);
		const shown = `${inspect(error, { depth: 10, showHidden: true })}${JSON.stringify(error)}${String((error as Error).stack)}`;
		for (const canary of [TOKEN, SECRET, BODY]) expect(shown).not.toContain(canary);
	},
);

test.each([
	["schedules", (client: DataChainClient) => client.schedules.list(), "id"],
	["pipelines", (client: DataChainClient) => client.pipelines.list(), "pipeline_id"],
] as const)(
	"an object that a list of %s shows twice counts once, as it is shown first",
	async (_, list, key) => {
		const rows = [1, 2, 1].map((id, row) => ({
			[key]: key === "id" ? id : `p-${id}`,
			row,
		}));
		answerWith(({ response }) => json(response, 200, rows));
		expect((await list(client)).map((element) => element.row)).toEqual([0, 1]);
	},
);

test("a list with an element that does not have the documented form is read without it, and onUnreadable of client and scope is told, without its values", async () => {
	const odd = {
		pipeline_id: "b",
		name: "odd",
		environment_variables: { canary: 4711 },
		workers: "canary",
	};
	answerWith(({ response }) =>
		json(response, 200, [{ pipeline_id: "a", name: "good" }, odd]),
	);
	const [told, toldScope]: [UnreadableInfo[], UnreadableInfo[]] = [[], []];
	const listening = clientFor(server.url, { onUnreadable: (info) => told.push(info) });
	const scoped = listening
		.scoped({ onUnreadable: (info) => toldScope.push(info) })
		.scoped({});
	expect(
		(await scoped.pipelines.list({ team_name: "other" })).map(({ name }) => name),
	).toEqual(["good"]);
	expect(told).toMatchObject([
		{ operation: "listPipelines", teamName: "other", which: "odd", id: "b" },
	]);
	expect(told[0]?.why).toMatch(
		/environment_variables.*workers|workers.*environment_variables/,
	);
	expect(JSON.stringify(told)).not.toMatch(/canary|4711/);
	expect(toldScope).toEqual(told);
});

test("a text is accepted as a log, and not as any other reply", async () => {
	answerWith(({ response }) =>
		response.writeHead(200, { "content-type": "text/plain" }).end("a\n"),
	);
	expect(await client.jobs.logs({ job_id: "j" })).toMatchObject({ text: "a\n" });
	expect((await errorOf(client.clusters.list())).message).toContain(
		"200, but the response is not JSON",
	);
});

test("a scope has the team of its client, and is closed with it", async () => {
	answerWith(({ response }) => json(response, 200, []));
	const scoped = client.scoped({});
	expect([client.teamName, scoped.teamName]).toEqual(["ml", "ml"]);
	expect(await scoped.clusters.list()).toEqual([]);
	await client.close();
	expect(await failureOf(scoped.clusters.list())).toMatchObject({
		name: "AbortedError",
		attempts: 0,
	});
});

test("a client that is closed cancels the calls that it has sent, and those that wait for their turn", async () => {
	answerWith(() => {});
	const narrow = clientFor(server.url, { maxConcurrentWrites: 1 });
	const outcomes = [1, 2].map((schedule_id) =>
		errorOf(narrow.schedules.delete({ schedule_id })),
	);
	await vi.waitFor(() => expect(server.requests).toHaveLength(1));
	await narrow.close();
	expect(await Promise.all(outcomes)).toMatchObject([
		{ name: "AbortedError", attempts: 1, received: "unknown" },
		{ name: "AbortedError", attempts: 0, received: false },
	]);
});
