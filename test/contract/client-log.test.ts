import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type DataChainClient, resolveRequestLog } from "../../src/api";
import { tempFolder } from "../../tools/process/temp-folder";
import { clientFor, failureOf, json, type RawServer, startRawServer } from "../helpers/api-raw-server";

let folder: ReturnType<typeof tempFolder>;
let server: RawServer;
let client: DataChainClient;
let status: number;
let replyId: string | undefined;

beforeEach(async () => {
	folder = tempFolder("log-");
	status = 200;
	replyId = undefined;
	server = await startRawServer(({ response }) => {
		if (replyId !== undefined) response.setHeader("x-request-id", replyId);
		json(response, status, status === 200 ? [] : {});
	});
	const log = resolveRequestLog({ env: { DATACHAIN_LOG: `debug:${join(folder.path, "requests.log")}` } });
	client = clientFor(server.url, { log, maxAttempts: 2, random: () => 0 });
});
afterEach(async () => {
	await client.close();
	await server.close();
	folder.remove();
});

const lines = () => readFileSync(join(folder.path, "requests.log"), "utf8").trimEnd().split("\n");

describe("DATACHAIN_LOG=debug", () => {
	test("has one line a request: when, what, for whom, how it ended, how long, under which id", async () => {
		await client.scoped({ resource: '"nightly"' }).clusters.list();
		const id = server.requests[0]?.headers["x-request-id"];
		expect(lines()).toEqual([
			expect.stringMatching(
				new RegExp(
					`^\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z listClusters GET /datachain/clusters/ team="ml" resource="nightly" attempt=1 status=200 \\d+ms request=${id}$`,
				),
			),
		]);
	});

	test("shows each attempt with its error, and never the token, a value or the query", async () => {
		status = 503;
		await failureOf(client.schedules.update({ schedule_id: 7, schedule_name: "canary-name" }));
		await failureOf(client.jobs.list({ limit: 17 }));
		const [first, second] = lines();
		expect(first).toMatch(/updateSchedule POST .* attempt=1 status=503 error=ServerError /);
		expect(second).toMatch(/updateSchedule POST .* attempt=2 status=503 error=ServerError /);
		expect(lines().join("\n")).not.toMatch(/canary-name|limit=17|Bearer|secret/);
	});

	test.each([
		["the token", () => "dcp_canary-token-4711"],
		["the token's end", () => "req.dcp_canary-token-4711"],
		["a value that was sent", () => "value-canary-0123456789"],
	])("keeps its own id where a gateway answers with %s as one", async (_, id) => {
		replyId = id();
		status = 403;
		const failure = await failureOf(
			client.jobs.create({
				query: "print(1)",
				query_type: "PYTHON",
				environment: "PASSWORD=value-canary-0123456789",
			}),
		);
		const message = String(failure);
		const own = server.requests[0]?.headers["x-request-id"];
		expect(message).toContain(own);
		expect(lines()[0]).toContain(`request=${own}`);
		expect(message + lines().join()).not.toMatch(/dcp_canary-token-4711|value-canary-0123456789/);
	});

	test("takes the service's id where it names one", async () => {
		replyId = "req-7f3a";
		await client.clusters.list();
		expect(lines()[0]).toContain("request=req-7f3a");
	});

	test.runIf(existsSync("/dev/full"))("that cannot be written any more fails no request", async () => {
		const said = vi.spyOn(process.stderr, "write").mockReturnValue(true);
		try {
			const log = resolveRequestLog({ env: { DATACHAIN_LOG: "debug:/dev/full" } });
			const logging = clientFor(server.url, { log });
			expect(await logging.clusters.list()).toEqual([]);
			expect(await logging.clusters.list()).toEqual([]);
			await logging.close();
			expect(said.mock.calls.map(([text]) => text)).toEqual([
				"DATACHAIN_LOG: lines are missing in /dev/full (ENOSPC).\n",
			]);
		} finally {
			said.mockRestore();
		}
	});

	test.each([
		["verbose", /DATACHAIN_LOG .* cannot be "verbose": use debug for stderr, debug:FILE for a file, or off/],
		["debug:/no/such/folder/x.log", /names a file that cannot be written \(ENOENT\)/],
	])("refuses %s with what can be used", (text, message) => {
		expect(() => resolveRequestLog({ env: { DATACHAIN_LOG: text } })).toThrow(message);
	});

	test("is off where nobody asks for it, and the config asks where the environment does not", () => {
		expect(resolveRequestLog({ env: {} })).toBeUndefined();
		expect(resolveRequestLog({ env: {}, config: () => "debug" })).toBeTypeOf("function");
	});

	test("is not asked where a client was told off", async () => {
		vi.stubEnv("DATACHAIN_LOG", `debug:${join(folder.path, "other.log")}`);
		try {
			const log = resolveRequestLog({ env: {}, config: () => "off" });
			const quiet = clientFor(server.url, { log });
			await quiet.clusters.list();
			await quiet.close();
			expect(existsSync(join(folder.path, "other.log"))).toBe(false);
		} finally {
			vi.unstubAllEnvs();
		}
	});
});
