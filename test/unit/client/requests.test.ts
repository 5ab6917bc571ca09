import { describe, expect, test } from "vitest";
import { prepareRequest } from "../../../src/client/requests";
import type { EndpointName } from "../../../src/schemas/wire/endpoints";

type Fields = Readonly<Record<string, unknown>>;

const prepare = (name: EndpointName, fields: Fields) =>
	prepareRequest(name, fields, "ml");

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
		["cancelJob", { job_id: "" }, ["job_id: must be an id, a UUID for instance"]],
		[
			"cancelJob",
			{ job_id: "a".repeat(129) },
			["job_id: must be an id, a UUID for instance"],
		],
		["jobLogs", {}, [`job_id: ${MISSING}`]],
		[
			"updateSchedule",
			{ schedule_id: 1, "a\u0007b": 1, scheduleName: "x" },
			[': unrecognized keys: "a b", "scheduleName"'],
		],
		[
			"listPipelines",
			{ status: 5 },
			["status: invalid input: expected array, received number"],
		],
		["uploadFile", { file: "content" }, [': unrecognized key: "file"']],
	])("%s %j", (name, fields, wrong) => {
		expect(problems(name, fields)).toEqual(wrong);
	});

	test("names at most twenty problems, each in at most 200 characters", () => {
		expect(
			problems("triggerPipeline", { datasets: Array.from({ length: 30 }, () => 1) }),
		).toHaveLength(20);
		const unknown = Object.fromEntries(
			Array.from({ length: 60 }, (_, index) => [`unknown-${index}`, 1]),
		);
		expect(problems("listClusters", unknown)[0]).toHaveLength(202);
	});
});

test("an id of at most 128 characters may be in a path", () => {
	const job_id = "a".repeat(128);
	const request = { path: `/datachain/jobs/${job_id}/cancel`, query: "" };
	expect(prepare("cancelJob", { job_id })).toMatchObject({ request });
});

test("a field that is undefined is not sent", () => {
	const request = { query: "?team_name=ml&limit=5", body: undefined };
	expect(prepare("listJobs", { limit: 5, status: undefined })).toMatchObject({
		request,
	});
});
