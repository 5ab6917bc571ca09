import { describe, expect, test } from "vitest";
import { prepareRequest } from "../../../src/api/requests";
import type { EndpointName } from "../../../src/schemas/wire/endpoints";

type Fields = Readonly<Record<string, unknown>>;

const prepare = (name: EndpointName, fields: Fields) => prepareRequest(name, fields, "ml");

/** What is wrong with a request: each field with its problem. */
function problems(name: EndpointName, fields: Fields): string[] {
	const prepared = prepare(name, fields);
	if ("request" in prepared) return [];
	return prepared.problems.map(({ field, reason }) => `${field}: ${reason}`);
}

const job = { query: "1", query_type: "PYTHON" };

const NUMBER = "must be a number, without quotes";
const TEXT = "must be a string, in quotes";
const MISSING = "invalid input: expected string, received undefined";

describe("a wrong request", () => {
	test.each<[EndpointName, Fields, string[]]>([
		[
			"createJob",
			{ ...job, query: 5, workers: "4", files: [1] },
			[`query: ${TEXT}`, `workers: ${NUMBER}`, `files.0: ${TEXT}`],
		],
		["createJob", { ...job, workers: 1.5 }, ["workers: must be a whole number"]],
		["createJob", { query_type: "PYTHON" }, [`query: ${MISSING}`]],
		["cancelJob", { job_id: "../x" }, ["job_id: must be an id, a UUID for instance"]],
		["cancelJob", { job_id: "a/b" }, ["job_id: must be an id, a UUID for instance"]],
		["cancelJob", { job_id: "" }, ["job_id: must be an id, a UUID for instance"]],
		["cancelJob", { job_id: "a".repeat(129) }, ["job_id: must be an id, a UUID for instance"]],
		["jobLogs", {}, [`job_id: ${MISSING}`]],
		[
			"updateSchedule",
			{ schedule_id: 1, "a\u0007b": 1, scheduleName: "x" },
			[': unrecognized keys: "a b", "scheduleName"'],
		],
		["listPipelines", { status: 5 }, ["status: invalid input: expected array, received number"]],
		["uploadFile", { file: "content" }, [': unrecognized key: "file"']],
	])("%s %j", (name, fields, wrong) => {
		expect(problems(name, fields)).toEqual(wrong);
	});

	test("names at most twenty problems, each in at most 200 characters", () => {
		expect(problems("triggerPipeline", { datasets: Array.from({ length: 30 }, () => 1) })).toHaveLength(20);
		const unknown = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`unknown-${index}`, 1]));
		expect(problems("listClusters", unknown)[0]).toHaveLength(202);
	});
});

describe("a request that may be sent", () => {
	test("has an id of at most 128 characters in its path", () => {
		expect(problems("cancelJob", { job_id: "a".repeat(128) })).toEqual([]);
	});

	test.each<[EndpointName, Fields, object]>([
		[
			"cancelJob",
			{ job_id: "a-b_C9" },
			{ path: "/datachain/jobs/a-b_C9/cancel", query: "", body: { team_name: "ml" } },
		],
		[
			"listPipelines",
			{ status: ["a", "b&c"], limit: undefined },
			{ path: "/datachain/pipeline/list", query: "?team_name=ml&status=a&status=b%26c", body: undefined },
		],
		[
			"deleteSchedule",
			{ schedule_id: 7, team_name: "other" },
			{
				path: "/datachain/pipeline/delete-schedule",
				query: "",
				body: { team_name: "other", schedule_id: 7 },
			},
		],
		["uploadFile", {}, { path: "/datachain/jobs/files", query: "?team_name=ml", body: undefined }],
	])("has each field where it belongs: %s %j", (name, fields, placed) => {
		for (let time = 0; time < 2; time += 1) {
			const prepared = prepare(name, fields);
			expect("request" in prepared && prepared.request).toMatchObject(placed);
		}
	});
});
