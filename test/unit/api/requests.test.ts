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
const schedule = { schedule_name: "s", pipeline_name: "p" };

const NOTHING = ": the request changes nothing: give at least one field to change";
const NO_TIME = "cron_expression: or start_after is needed, or the schedule would never run";
const NO_PIPELINE = "name: or pipeline_id is needed";
const START = "start_after: is not an ISO 8601 date-time that exists; write 2026-01-31T06:00:00Z";
const CRON = 'cron_expression: cannot be used: minute "61" is out of range: 61 is not between 0 and 59';
const NUMBER = 'must be a number; a text such as "4" becomes one with Number(…)';
const TEXT = "must be a text; other values become one with String(…)";
const MISSING = "invalid input: expected string, received undefined";

describe("a wrong request", () => {
	test.each<[EndpointName, Fields, string[]]>([
		[
			"createJob",
			{ ...job, compute_cluster_id: 1, compute_cluster_name: "a" },
			["compute_cluster_name: and compute_cluster_id exclude each other: give one"],
		],
		["createJob", { ...job, cron_expression: "61 * * * *" }, [CRON]],
		["createJob", { ...job, start_after: "2026-02-30T00:00:00Z" }, [START]],
		[
			"createJob",
			{ ...job, environment: "A=1\n \n# note\n=x\nB\r=1\nC\0=1\nnope" },
			[
				"environment: line 4 does not have the form NAME=VALUE",
				"environment: line 5 has a control character",
				"environment: line 6 has a control character",
				"environment: line 7 does not have the form NAME=VALUE",
			],
		],
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
		["createSchedule", schedule, [NO_TIME]],
		["createSchedule", { ...schedule, cron_expression: "61 * * * *" }, [CRON]],
		["createSchedule", { ...schedule, start_after: "tomorrow" }, [START]],
		["updateSchedule", { schedule_id: 1, team_name: "x", schedule_name: undefined }, [NOTHING]],
		["updateSchedule", { schedule_id: 1, cron_expression: "61 * * * *" }, [CRON]],
		["updateSchedule", { schedule_id: 1, start_after: "tomorrow" }, [START]],
		[
			"updateSchedule",
			{ schedule_id: 1, "a\u0007b": 1, scheduleName: "x" },
			[': unrecognized keys: "a b", "scheduleName"'],
		],
		["updateSettings", { pipeline_name: "p", team_name: "x" }, [NOTHING]],
		[
			"updateSettings",
			{ pipeline_name: "p", environment: "x" },
			["environment: line 1 does not have the form NAME=VALUE"],
		],
		["pausePipeline", {}, [NO_PIPELINE]],
		["resumePipeline", { name: "" }, [NO_PIPELINE]],
		["removeJob", { job_id: "x", pipeline_id: "" }, [NO_PIPELINE]],
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

	test("comes with what was probably meant by a cron of another scheduler", () => {
		const [problem] = problems("createSchedule", { ...schedule, cron_expression: "0 0 12 * * ?" });
		expect(problem).toMatch(
			/^cron_expression: cannot be used: it has 6 fields, but five are needed: [a-z ,]+\. Did you mean "0 12 \* \* \*"\? It would next run at [\dTZ:, -]+Z$/,
		);
	});
});

describe("a request that may be sent", () => {
	test.each<[EndpointName, Fields]>([
		["createJob", { ...job, compute_cluster_id: 1, compute_cluster_name: "" }],
		["createJob", { ...job, compute_cluster_name: "a" }],
		["createJob", { ...job, cron_expression: "@daily", start_after: "2026-01-31T06:00:00Z" }],
		["createJob", { ...job, environment: "A=1\n\n# note\nB==" }],
		["createSchedule", { ...schedule, start_after: "2026-01-31T06:00:00Z" }],
		["createSchedule", { ...schedule, cron_expression: "@daily" }],
		["updateSchedule", { schedule_id: 1, pause_pipeline: false }],
		["updateSettings", { pipeline_name: "p", requirements: "" }],
		["pausePipeline", { name: "p" }],
		["pausePipeline", { pipeline_id: "p" }],
		["cancelJob", { job_id: "a".repeat(128) }],
	])("%s %j", (name, fields) => {
		expect(problems(name, fields)).toEqual([]);
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
