import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type DataChainClient, resolveRequestLog } from "../../src/api";
import { tempFolder } from "../../tools/process/temp-folder";
import { clientFor, failureOf, json, type RawServer, startRawServer } from "../helpers/api-raw-server";

let folder: ReturnType<typeof tempFolder>;
let server: RawServer;
let client: DataChainClient;
let status: number;

beforeEach(async () => {
	folder = tempFolder("log-");
	status = 200;
	server = await startRawServer(({ response }) => json(response, status, status === 200 ? [] : {}));
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
		["verbose", /DATACHAIN_LOG .* cannot be "verbose": use debug for stderr, debug:FILE for a file, or off/],
		["debug:/no/such/folder/x.log", /names a file that cannot be written \(ENOENT\)/],
	])("refuses %s with what can be used", (text, message) => {
		expect(() => resolveRequestLog({ env: { DATACHAIN_LOG: text } })).toThrow(message);
	});

	test("is off where nobody asks for it, and the config asks where the environment does not", () => {
		expect(resolveRequestLog({ env: {} })).toBeUndefined();
		expect(resolveRequestLog({ env: { DATACHAIN_LOG: "off" }, config: () => "debug" })).toBeUndefined();
		expect(resolveRequestLog({ env: {}, config: () => "debug" })).toBeTypeOf("function");
	});
});
