import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { DataChainClient, UnreadableInfo } from "../../src/api";
import { clientFor, failureOf, json, type RawServer, startRawServer } from "../helpers/api-raw-server";

let reply: unknown;
let unreadable: UnreadableInfo[];
let server: RawServer;
let client: DataChainClient;

beforeEach(async () => {
	unreadable = [];
	server = await startRawServer(({ response }) => json(response, 200, reply));
	client = clientFor(server.url, { onUnreadable: (info) => unreadable.push(info) });
});
afterEach(async () => {
	await client.close();
	await server.close();
});

const SECRET = "canary-value";

describe("a list with an element that does not have the documented form", () => {
	test("is read without it, and the element is reported by its name", async () => {
		reply = [
			{ pipeline_id: "a", name: "good" },
			{ pipeline_id: "b", name: "odd", environment_variables: { [SECRET]: 4711 }, workers: SECRET },
			{ pipeline_id: "c", name: "also-good" },
		];
		const pipelines = await client.pipelines.list({ team_name: "other" });
		expect(pipelines.map(({ name }) => name)).toEqual(["good", "also-good"]);
		expect(unreadable).toMatchObject([{ operation: "listPipelines", teamName: "other", which: "odd" }]);
		expect(unreadable[0]?.why).toContain("workers");
		expect(unreadable[0]?.why).toContain("environment_variables");
		expect(JSON.stringify(unreadable)).not.toContain(SECRET);
		expect(JSON.stringify(unreadable)).not.toContain("4711");
	});

	test.each([
		["a name", { id: "7", schedule_name: "nightly" }, "nightly"],
		["an id", { id: 7, cron_expression: 5 }, "7"],
		["nothing to know it by", { cron_expression: "@daily" }, "position 2"],
		["no object at all", null, "position 2"],
	])("names the element that has %s", async (_, odd, which) => {
		reply = [{ id: 1 }, odd];
		expect(await client.schedules.list()).toEqual([{ id: 1 }]);
		expect(unreadable).toMatchObject([{ operation: "listSchedules", which }]);
	});

	test.each([
		["a text", "7"],
		["a fraction", 1.5],
		["beyond what can be held exactly", 2 ** 53],
	])("never guesses an id that is %s", async (_, id) => {
		reply = [{ id: 1 }, { id, schedule_name: "odd" }];
		expect(await client.schedules.list()).toEqual([{ id: 1 }]);
		expect(unreadable).toHaveLength(1);
	});

	test("fails where no element can be read, because an empty list would mean that there are none", async () => {
		reply = [{ id: "7" }, { id: "8" }];
		expect(await failureOf(client.schedules.list())).toMatchObject({ name: "UnexpectedReplyError" });
		expect(unreadable).toEqual([]);
	});

	test("nobody need listen", async () => {
		reply = [{ id: 1 }, { id: "2" }];
		const silent = clientFor(server.url);
		expect(await silent.schedules.list()).toEqual([{ id: 1 }]);
		await silent.close();
	});
});

test("an object in place of a list is no list", async () => {
	reply = { id: 1 };
	expect(await failureOf(client.schedules.list())).toMatchObject({ name: "UnexpectedReplyError" });
});

describe("what can only mean one thing is read", () => {
	test("numbers as text, where they count something", async () => {
		reply = { pipeline_id: "a", workers: "2", priority: "0", completed: "3", total: 4 };
		expect(await client.pipelines.status({ name: "p" })).toEqual({
			pipeline_id: "a",
			workers: 2,
			priority: 0,
			completed: 3,
			total: 4,
		});
	});

	test.each(["", "two", "1.5", "0x10", "1e3", "99999999999999999999"])("but not %j", async (workers) => {
		reply = { pipeline_id: "a", workers };
		expect(await failureOf(client.pipelines.status({ name: "p" }))).toMatchObject({
			name: "UnexpectedReplyError",
		});
	});

	test("a variable without a value keeps its name, so that whoever writes the environment sees it", async () => {
		reply = [{ pipeline_id: "a", environment_variables: { X: null, Y: "1" } }];
		const [pipeline] = await client.pipelines.list();
		expect(pipeline?.environment_variables).toEqual({ X: null, Y: "1" });
		reply = [{ id: "j", status: "RUNNING", workers: "2", environment: { X: null } }];
		expect(await client.jobs.list()).toEqual([
			{ id: "j", status: "RUNNING", workers: 2, environment: { X: null } },
		]);
		expect(unreadable).toEqual([]);
	});
});
