import { expect, it, test } from "vitest";
import { endpoints } from "../../../src/schemas/endpoints";
import type { EndpointName } from "../../../src/schemas/wire/endpoints";
import { openApiDocument } from "../../../src/server/openapi";
import { differenceText } from "../../../src/verify/compare";
import { compareOperation, unknownOperations } from "../../../src/verify/description";

// biome-ignore lint/suspicious/noExplicitAny: a description is changed in any place.
type Json = any;

const names = Object.keys(endpoints) as EndpointName[];
const own = (): Json => JSON.parse(JSON.stringify(openApiDocument()));
const describe = (document: Json, name: EndpointName) =>
	compareOperation(name, { document, basePath: "/api" });
/** What is found, by operation; those without anything are left out. */
const found = (document: Json): Record<string, string> =>
	Object.fromEntries(
		names.flatMap((name) => {
			const comparison = describe(document, name);
			const text = comparison.described
				? differenceText(comparison.differences)
				: `not described${comparison.instead === undefined ? "" : `: ${comparison.instead}`}`;
			return text === "" ? [] : [[name, text]];
		}),
	);

it("finds nothing in the description of the local server, and no news", () => {
	expect(found(own())).toEqual({});
	const news = names.flatMap((name) => {
		const comparison = describe(own(), name);
		return comparison.described ? comparison.news : [name];
	});
	expect([
		...news,
		...unknownOperations({ document: own(), basePath: "/api" }),
	]).toEqual([]);
});

const jobs = (document: Json) => document.paths["/datachain/jobs/"];
const bodyOf = (document: Json, path: string) =>
	document.paths[path].post.requestBody.content["application/json"].schema;
const CREATE = "/datachain/pipeline/create-schedule";
const schemas = (document: Json) => document.components.schemas;

const rename = (fields: Json, from: string, to: string) => {
	fields[to] = fields[from];
	delete fields[from];
};

test.each<[string, (document: Json) => void, Record<string, string>]>([
	[
		"a request field that is renamed",
		(d) => rename(bodyOf(d, CREATE).properties, "cron_expression", "cron"),
		{ createSchedule: "not described: request field cron_expression" },
	],
	[
		"an enum value less",
		(d) =>
			Object.assign(bodyOf(d, "/datachain/jobs/").properties.query_type, {
				enum: ["PYTHON"],
			}),
		{ createJob: "without the value SHELL: request field query_type" },
	],
	[
		"a field that is required now",
		(d) => bodyOf(d, CREATE).required.push("start_after"),
		{ createSchedule: "required: request field start_after" },
	],
	[
		"a required field that nobody knows",
		(d) => {
			bodyOf(d, CREATE).properties.workspace = { type: "string" };
			bodyOf(d, CREATE).required.push("workspace");
		},
		{ createSchedule: "required, and not known: request field workspace" },
	],
	[
		"another type of a request field",
		(d) =>
			Object.assign(bodyOf(d, "/datachain/pipeline/settings").properties, {
				environment: { type: "object" },
			}),
		{ updateSettings: "object and not string: request field environment" },
	],
	[
		"another type of elements",
		(d) =>
			Object.assign(bodyOf(d, "/datachain/jobs/").properties.files, {
				items: { type: "integer" },
			}),
		{ createJob: "its elements integer and not string: request field files" },
	],
	[
		"a priority less",
		(d) =>
			Object.assign(bodyOf(d, "/datachain/pipeline/settings").properties, {
				priority: { enum: [1, 2, 3, 4, 5] },
			}),
		{ updateSettings: "without the value 0: request field priority" },
	],
	[
		"a parameter that is gone",
		(d) => jobs(d).get.parameters.splice(0, 1),
		{ listJobs: "not described: parameter team_name" },
	],
	[
		"a response field that is gone",
		(d) =>
			Reflect.deleteProperty(
				schemas(d).PipelineScheduleItem.properties,
				"cron_expression",
			),
		{ listSchedules: "not described: response field cron_expression" },
	],
	[
		"another type of a response field, in a field of a field",
		(d) =>
			Object.assign(schemas(d).Pipeline.properties, {
				pipeline_id: { type: "integer" },
			}),
		{
			createSchedule:
				"integer and not string: response field schedule.pipeline.pipeline_id",
			updateSchedule:
				"integer and not string: response field schedule.pipeline.pipeline_id",
			getSchedule: "integer and not string: response field pipeline.pipeline_id",
			triggerPipeline: "integer and not string: response field pipeline.pipeline_id",
			updateSettings: "integer and not string: response field pipeline.pipeline_id",
			pipelineStatus: "integer and not string: response field pipeline_id",
			pausePipeline: "integer and not string: response field pipeline.pipeline_id",
			resumePipeline: "integer and not string: response field pipeline.pipeline_id",
			removeJob: "integer and not string: response field pipeline.pipeline_id",
			listPipelines: "integer and not string: response field pipeline_id",
		},
	],
	[
		"a list that is an object now",
		(d) => {
			d.paths["/datachain/clusters/"].get.responses[200].content[
				"application/json"
			].schema = {
				type: "object",
			};
		},
		{ listClusters: "object and not array: response field (all)" },
	],
	[
		"another method",
		(d) => rename(d.paths[CREATE], "post", "put"),
		{ createSchedule: "not described: the path is described for PUT only" },
	],
	[
		"another slash at the end",
		(d) => rename(d.paths, "/datachain/clusters/", "/datachain/clusters"),
		{ listClusters: "not described: the path is described without a slash at its end" },
	],
	[
		"an operation that is left out",
		(d) => Reflect.deleteProperty(d.paths, CREATE),
		{ createSchedule: "not described" },
	],
])("finds %s, and nothing else", (_what, change, expected) => {
	const document = own();
	change(document);
	expect(found(document)).toEqual(expected);
});

it("reads a description whose paths begin with the base URL's, with null as a type and forms that are referred to", () => {
	const document = own();
	document.servers = [];
	document.paths = Object.fromEntries(
		Object.entries(document.paths).map(([path, item]) => [`/api${path}`, item]),
	);
	const { schema } = jobs({
		paths: { "/datachain/jobs/": document.paths["/api/datachain/jobs/"] },
	}).post.requestBody.content["application/json"];
	document.components.schemas.Deep = { allOf: [schema] };
	Object.assign(
		document.paths["/api/datachain/jobs/"].post.requestBody.content["application/json"],
		{
			schema: { $ref: "#/components/schemas/Deep" },
		},
	);
	schema.properties.workers = { anyOf: [{ type: ["integer", "null"] }] };
	document.paths["/api/datachain/jobs/{id}/cancel"] =
		document.paths["/api/datachain/jobs/{job_id}/cancel"];
	delete document.paths["/api/datachain/jobs/{job_id}/cancel"];
	expect(found(document)).toEqual({});
});

it("lists what the service has and nobody here knows", () => {
	const document = own();
	document.paths["/datachain/datasets"] = { get: {} };
	bodyOf(document, CREATE).properties.note = { type: "string" };
	expect(unknownOperations({ document, basePath: "/api" })).toEqual([
		"GET /datachain/datasets",
	]);
	const comparison = describe(document, "createSchedule");
	expect(comparison.described && comparison.news).toEqual(["request field note"]);
	expect(found(document)).toEqual({});
});

it("reads a description that refers to itself", () => {
	const document = own();
	schemas(document).Pipeline.properties.parent = {
		$ref: "#/components/schemas/Pipeline",
	};
	schemas(document).Pipeline.properties.name = { $ref: "#/components/schemas/Circle" };
	schemas(document).Circle = { $ref: "#/components/schemas/Circle" };
	expect(found(document)).toEqual({});
});
