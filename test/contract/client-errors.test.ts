import { inspect } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
	ApiError,
	ConflictError,
	type DataChainClient,
	InvalidRequestError,
	NotAuthenticatedError,
	NotAuthorizedError,
	NotFoundError,
	RateLimitedError,
	RefusedError,
	ServerError,
	TimeoutError,
	UnexpectedReplyError,
} from "../../src/api";
import { calls } from "../helpers/api-calls";
import {
	clientFor,
	type Exchange,
	failureOf,
	json,
	type RawServer,
	startRawServer,
	TOKEN,
} from "../helpers/api-raw-server";

let answer: (exchange: Exchange) => void;
let server: RawServer;
let client: DataChainClient;

beforeEach(async () => {
	server = await startRawServer((exchange) => answer(exchange));
	client = clientFor(server.url, { maxAttempts: 1 });
});
afterEach(async () => {
	await client.close();
	await server.close();
});

const update = () => client.schedules.update({ schedule_id: 7, schedule_name: "nightly" });

describe("each cause has its class", () => {
	test.each([
		[400, InvalidRequestError, false],
		[401, NotAuthenticatedError, false],
		[403, NotAuthorizedError, false],
		[404, NotFoundError, false],
		[408, TimeoutError, "unknown"],
		[409, ConflictError, false],
		[422, InvalidRequestError, false],
		[429, RateLimitedError, false],
		[500, ServerError, "unknown"],
		[503, ServerError, "unknown"],
		[302, UnexpectedReplyError, false],
		[418, UnexpectedReplyError, false],
	] as const)("%d", async (status, kind, received) => {
		answer = ({ response }) =>
			json(response, status, { message: "because" }, { location: "http://elsewhere" });
		const error = await failureOf(update());
		expect(error).toBeInstanceOf(kind);
		expect(error).toBeInstanceOf(ApiError);
		expect(error).toMatchObject({
			name: kind.name,
			method: "POST",
			path: "/datachain/pipeline/update-schedule",
			status,
			serverMessage: status === 302 ? undefined : "because",
			attempts: 1,
			received,
		});
	});

	test("the message says what, which, why and what next", async () => {
		answer = ({ response }) => json(response, 403, { message: "not in this team" });
		const error = await failureOf(update());
		const sent = server.requests.at(-1)?.headers["x-request-id"];
		expect(error).toMatchObject({ requestId: sent });
		expect(String(error)).toBe(
			'NotAuthorizedError: Could not update a pipeline schedule (schedule_name "nightly", schedule_id 7) in team "ml" ' +
				`(POST /datachain/pipeline/update-schedule, request ${sent}): ` +
				'403, the token may not do this in team "ml". ' +
				'The service says: "not in this team". ' +
				"Check the team name, or use a token with the needed read or write access to the JOB scope.",
		);
	});

	test('"ok": false is an error with the service\'s message', async () => {
		answer = ({ response }) => json(response, 200, { ok: false, message: "paused" });
		const error = await failureOf(update());
		expect(error).toBeInstanceOf(RefusedError);
		expect(error).toMatchObject({ serverMessage: "paused", received: "unknown" });
	});

	test.each(["<html>log in</html>", "[]"])("a web page is neither a log nor a list: %s", async (page) => {
		answer = ({ response }) =>
			response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(page);
		expect(await failureOf(calls.jobLogs.run(client))).toBeInstanceOf(UnexpectedReplyError);
		expect(await failureOf(calls.listJobs.run(client))).toBeInstanceOf(UnexpectedReplyError);
	});

	test("a log may be plain text", async () => {
		answer = ({ response }) => response.writeHead(200, { "content-type": "text/plain" }).end("a\nb\n");
		expect(await client.jobs.logs({ job_id: "x" })).toEqual({
			text: "a\nb\n",
			lines: [{ message: "a\n" }, { message: "b\n" }],
		});
	});

	test("a redirect is not followed and points to the base URL", async () => {
		answer = ({ response }) => json(response, 301, {}, { location: `${server.url}/api/elsewhere` });
		const error = await failureOf(client.clusters.list());
		expect(server.requests).toHaveLength(1);
		expect(String(error)).toContain("DATACHAIN_STUDIO_URL");
	});
});

describe("a 404", () => {
	test.each([
		{ message: "no such schedule" },
		{ detail: "no such schedule" },
		{ message: 1, detail: "no such schedule" },
	])("with the service's own words speaks of the object: %j", async (words) => {
		answer = ({ response }) => json(response, 404, words);
		expect(await failureOf(update())).toMatchObject({ fromService: true, serverMessage: "no such schedule" });
	});

	test.each<[string, (exchange: Exchange) => void]>([
		[
			"a web page",
			({ response }) => response.writeHead(404, { "content-type": "text/html" }).end("<html>Not Found"),
		],
		["nothing", ({ response }) => response.writeHead(404).end()],
		["other JSON", ({ response }) => json(response, 404, { error: "nope" })],
		["a message that is not text", ({ response }) => json(response, 404, { message: 1 })],
		["a list", ({ response }) => json(response, 404, ["message"])],
	])("with %s does not", async (_, foreign) => {
		answer = foreign;
		expect(await failureOf(update())).toMatchObject({ name: "NotFoundError", fromService: false });
	});
});

describe("a base URL with a path that is not the service's", () => {
	test.each<[string, (exchange: Exchange) => void]>([
		["404", ({ response }) => response.writeHead(404).end()],
		["a web page", ({ response }) => response.writeHead(200, { "content-type": "text/html" }).end("<html>")],
	])("is named where %s answers", async (_, foreign) => {
		answer = foreign;
		const copied = clientFor(`${server.url}/team/ml`, { maxAttempts: 1 });
		expect(String(await failureOf(copied.clusters.list()))).toMatch(
			new RegExp(
				`The path /team/ml of the base URL looks wrong: set .* to ${server.url} if the service is there\\.$`,
			),
		);
		expect(String(await failureOf(update()))).not.toContain("looks wrong");
		await copied.close();
	});
});

describe("secrets", () => {
	const SECRET = "canary-secret-value";
	const BODY = "canary-reply-body";

	test.each<[string, (exchange: Exchange) => void]>([
		[
			"a 400 that repeats token and body",
			({ response, request }) => json(response, 400, { message: `${TOKEN} ${request.body}` }),
		],
		[
			"a 500 that repeats the request",
			({ response, request }) => response.writeHead(500).end(`${request.body}${BODY}`),
		],
		[
			"broken JSON",
			({ response }) =>
				response.writeHead(200, { "content-type": "application/json" }).end(`{"${BODY}": "${SECRET}`),
		],
		[
			"a web page",
			({ response }) =>
				response.writeHead(200, { "content-type": "text/html" }).end(`<html>${BODY}${SECRET}`),
		],
		[
			"a wrong form",
			({ response }) => json(response, 200, { ok: BODY, pipeline: { environment_variables: { [BODY]: 1 } } }),
		],
		["text that is not HTTP", ({ socket }) => socket.end(`${BODY} ${SECRET}\r\n\r\n`)],
		["a reset", ({ socket }) => socket.destroy()],
		[
			"a cut-off body",
			({ response, socket }) =>
				void response.writeHead(200, { "content-length": "999" }).write(BODY, () => socket.destroy()),
		],
	])("never appear after %s", async (_, given) => {
		answer = given;
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
	});

	test("a server message is one line of at most 500 characters", async () => {
		answer = ({ response }) => json(response, 400, { message: `a\u001b[31m\r\nb${"x".repeat(2000)}` });
		const { serverMessage = "" } = (await failureOf(update())) as ApiError;
		expect(serverMessage).toMatch(/^a \[31m bx+…$/);
		expect(serverMessage.length).toBeLessThanOrEqual(501);
	});

	test("a token that the service puts into a reply's fields never gets in", async () => {
		answer = ({ response }) => json(response, 200, { id: 7, state: "failed", error: `bad token ${TOKEN}` });
		const { file } = await client.jobs.uploadFile({ name: "a", content: "abc" });
		expect(file.error).toBe("bad token [redacted]");
	});

	test("a token that would be cut at the limit is redacted before the cut", async () => {
		answer = ({ response }) => json(response, 400, { message: `${"x".repeat(490)}${TOKEN}` });
		expect(inspect(await failureOf(update()))).not.toContain(TOKEN.slice(0, 8));
	});
});

describe("a wrong request is refused before anything is sent", () => {
	const cases: readonly (readonly [string, string, () => Promise<unknown>])[] = [
		[
			"both cluster selectors",
			"compute_cluster_name",
			() =>
				client.jobs.create({
					query: "1",
					query_type: "PYTHON",
					compute_cluster_id: 1,
					compute_cluster_name: "a",
				}),
		],
		[
			"an impossible cron",
			"cron_expression",
			() => client.jobs.create({ query: "1", query_type: "PYTHON", cron_expression: "0 0 31 2 *" }),
		],
		["no query", "query", () => client.jobs.create({ query: "", query_type: "PYTHON" })],
		[
			"a priority of 6",
			"priority",
			() => client.jobs.create({ query: "1", query_type: "PYTHON", priority: 6 }),
		],
		[
			"a fraction of a worker",
			"workers",
			() => client.jobs.create({ query: "1", query_type: "PYTHON", workers: 1.5 }),
		],
		[
			"a start that does not exist",
			"start_after",
			() => client.jobs.create({ query: "1", query_type: "PYTHON", start_after: "2026-02-30T00:00:00Z" }),
		],
		["a job id that climbs", "job_id", () => client.jobs.cancel({ job_id: "../files" })],
		["a dotted job id", "job_id", () => client.jobs.logs({ job_id: ".." })],
		[
			"a schedule without any time",
			"cron_expression",
			() => client.schedules.create({ schedule_name: "a", pipeline_name: "p" }),
		],
		[
			"a schedule without a name",
			"schedule_name",
			() => client.schedules.create({ schedule_name: "", pipeline_name: "p", cron_expression: "@daily" }),
		],
		[
			"a schedule with a wrong cron",
			"cron_expression",
			() => client.schedules.update({ schedule_id: 1, cron_expression: "61 * * * *" }),
		],
		["an update of nothing", "", () => client.schedules.update({ schedule_id: 1 })],
		["settings of nothing", "", () => client.pipelines.settings({ pipeline_name: "p" })],
		["an unsafe id", "schedule_id", () => client.schedules.get({ schedule_id: 2 ** 53 })],
		["pause of no pipeline", "name", () => client.pipelines.pause({})],
		["resume of an empty name", "name", () => client.pipelines.resume({ name: "" })],
		["removal from no pipeline", "name", () => client.pipelines.removeJob({ job_id: "j" })],
		["trigger of nothing", "datasets", () => client.pipelines.trigger({ datasets: [] })],
		["a limit of zero", "limit", () => client.pipelines.list({ limit: 0 })],
		["a team with a control character", "team_name", () => client.clusters.list({ team_name: "a\nb" })],
		["a log to follow without an id", "job_id", () => client.jobs.followLogs({ job_id: "" }).next()],
	];
	test.each(cases)("%s: %s", async (_, field, run) => {
		answer = ({ response }) => json(response, 200, {});
		const error = await failureOf(run());
		expect(error).toBeInstanceOf(InvalidRequestError);
		expect((error as InvalidRequestError).problems.map((problem) => problem.field)).toContain(field);
		expect(error).toMatchObject({ attempts: 0, received: false, status: undefined });
		expect(server.requests).toHaveLength(0);
	});

	test("a field nobody knows", async () => {
		const input = { schedule_id: 1, pause_pipeline: true, scheduleName: "x" };
		const error = await failureOf(client.schedules.update(input));
		expect(error).toBeInstanceOf(InvalidRequestError);
		expect(String(error)).toContain("scheduleName");
	});

	test("a broken environment is named by its line and never shown", async () => {
		const error = await failureOf(
			client.jobs.create({
				query: "1",
				query_type: "PYTHON",
				environment: "A=1\ncanary-rest-of-a-key\n=canary",
			}),
		);
		expect(String(error)).toContain("line 2");
		expect(String(error)).toContain("line 3");
		expect(inspect(error, { depth: 10 })).not.toContain("canary");
	});

	test("a cron of another scheduler comes with what was probably meant", async () => {
		const error = await failureOf(
			client.schedules.create({ schedule_name: "a", pipeline_name: "p", cron_expression: "0 0 12 * * ?" }),
		);
		expect(String(error)).toMatch(
			/Did you mean "0 12 \* \* \*"\? It would next run at .*Z\. Nothing was sent/,
		);
	});
});

test("calls on a closed client fail and do not hang", async () => {
	await client.close();
	expect(String(await failureOf(calls.listClusters.run(client)))).toContain("the client was closed");
	expect(server.requests).toHaveLength(0);
	await client.close();
});
