import { expect, it, onTestFinished } from "vitest";
import { endpoints } from "../../src/schemas/endpoints";
import type { EndpointName } from "../../src/schemas/wire/endpoints";
import { type FaultRule, startServer } from "../../src/server";
import { type AssumptionId, assumptionIds } from "../../src/verify/table";
import { connectionTo, idsOf, NAMES, PAUSED, verified } from "../helpers/verify-run";

/** A team in which every assumption can be tried: more than twenty jobs, and variables on the paused pipeline. */
async function team() {
	const server = await startServer({ faults: true });
	onTestFinished(() => server.close());
	const colleague = server.team(server.teamName);
	for (let made = 0; made < 6; made++)
		colleague.trigger(["dev.images.final_result"], true);
	colleague.setVariable(PAUSED, "QUOTED", '"a b"');
	colleague.setVariable(PAUSED, "PLAIN", " x=1 ");
	colleague.setSettings({ pipeline_name: PAUSED, workers: 3, requirements: "pillow" });
	return { server, colleague };
}

/** Without the times of the last change, which a write to the pipeline moves. */
const stateOf = ({ colleague }: Awaited<ReturnType<typeof team>>) => ({
	schedules: colleague.schedules(),
	jobs: colleague.jobs().map(({ id }) => id),
	pipelines: colleague.pipelines().map(({ updatedAt: _, ...pipeline }) => pipeline),
});

const rewrite = (
	endpoint: EndpointName | "openApi",
	set: Record<string, unknown>,
): FaultRule => ({
	kind: "rewrite",
	endpoint,
	set,
});
const remove = (endpoint: EndpointName | "openApi", path: string): FaultRule => ({
	kind: "rewrite",
	endpoint,
	remove: [path],
});

type Described = { readonly [Name in EndpointName as `describes-${Name}`]: FaultRule };

/** Of each operation another part of the description is other than the provider takes for granted. */
const described = Object.fromEntries(
	(Object.keys(endpoints) as EndpointName[]).map((name) => {
		const { path, method } = endpoints[name];
		const required = {
			in: "query",
			name: "workspace",
			required: true,
			schema: { type: "string" },
		};
		const set = { [`paths.${path}.${method.toLowerCase()}.parameters.9`]: required };
		return [`describes-${name}`, rewrite("openApi", set)];
	}),
) as unknown as Described;

const HOUR = 3_600_000;

/** For each assumption, what a service does in which it does not hold. A row without one does not compile. */
const FAULTS: Readonly<Record<AssumptionId, FaultRule>> = {
	...described,
	"description-published": { kind: "status", endpoint: "openApi", status: 404 },
	bearer: { kind: "scheme", only: "token" },
	"no-token-401": { kind: "refusal", endpoint: "listClusters", of: 401, status: 418 },
	"other-team-403": { kind: "refusal", endpoint: "listClusters", of: 403, status: 404 },
	"absent-404": {
		kind: "refusal",
		endpoint: "getSchedule",
		of: 404,
		status: 400,
		times: 1,
	},
	"error-message": {
		kind: "refusal",
		endpoint: "listClusters",
		of: 403,
		field: "detail",
	},
	"lists-are-arrays": { kind: "wrapped-list", endpoint: "listJobs" },
	"clusters-have-ids": rewrite("listClusters", { "0.id": null }),
	"schedules-have-integer-ids": rewrite("listSchedules", { "0.id": "seven" }),
	"jobs-have-text-ids": rewrite("listJobs", { "0.id": 7 }),
	"pipelines-have-text-ids": rewrite("listPipelines", { "0.pipeline_id": 7 }),
	"jobs-newest-first": { kind: "reversed-list", endpoint: "listJobs" },
	"pipelines-newest-first": { kind: "reversed-list", endpoint: "listPipelines" },
	"limit-honoured": {
		kind: "capped-list",
		endpoint: "listJobs",
		limit: 20,
		which: "newest",
	},
	"times-have-offsets": rewrite("listSchedules", {
		"0.created_at": "2026-01-01T00:00:00.000000",
	}),
	"times-have-microseconds": {
		kind: "rewrite",
		endpoint: "listSchedules",
		fraction: { "0.created_at": 3 },
	},
	"clocks-agree": { kind: "wrong-date", endpoint: "listClusters", ms: -HOUR },
	"status-is-of-name": {
		kind: "rewrite",
		endpoint: "pipelineStatus",
		set: { name: "other" },
		skip: 1,
		times: 1,
	},
	"settings-shown": {
		kind: "rewrite",
		endpoint: "pipelineStatus",
		remove: ["workers"],
		skip: 1,
		times: 1,
	},
	"variables-shown": rewrite("pipelineStatus", {
		"environment_variables.LOG_LEVEL": "*****",
	}),
	"schedule-shows-pipeline": remove("getSchedule", "pipeline"),
	"create-answers": remove("createSchedule", "schedule"),
	"get-after-create": { kind: "stale-read", endpoint: "getSchedule", ms: HOUR },
	"list-after-create": { kind: "stale-list", endpoint: "listSchedules", ms: HOUR },
	"echo-name": rewrite("getSchedule", { schedule_name: "Nightly" }),
	"echo-cron": rewrite("getSchedule", { cron_expression: "1 2 3 4 5" }),
	"echo-start": rewrite("getSchedule", { start_after: "2026-01-01T00:00:00Z" }),
	"next-run-after-start": rewrite("getSchedule", { next_run: "2026-01-01T00:00:00Z" }),
	"schedule-runs-pipeline": rewrite("getSchedule", { "pipeline.name": "other" }),
	"same-name": { kind: "status", endpoint: "createSchedule", status: 409, skip: 1 },
	rename: { kind: "misread", endpoint: "updateSchedule", ignore: ["schedule_name"] },
	"update-keeps-rest": {
		kind: "misread",
		endpoint: "updateSchedule",
		set: { start_after: "2040-01-01T00:00:00Z" },
	},
	"same-values": { kind: "status", endpoint: "updateSchedule", status: 409, skip: 1 },
	"get-after-delete": {
		kind: "refusal",
		endpoint: "getSchedule",
		of: 404,
		status: 410,
		skip: 1,
	},
	"list-after-delete": {
		kind: "late-effect",
		endpoint: "deleteSchedule",
		ms: HOUR,
		listsOnly: true,
	},
	"delete-again": { kind: "refusal", endpoint: "deleteSchedule", of: 404, status: 400 },
	"variable-echo": {
		kind: "misread",
		endpoint: "updateSettings",
		ignore: ["environment"],
	},
	"other-variables-kept": {
		kind: "variables",
		endpoint: "updateSettings",
		reading: "unquote",
		times: 1,
	},
	"settings-keep-rest": {
		kind: "misread",
		endpoint: "updateSettings",
		set: { workers: 1 },
		times: 1,
	},
	"settings-keep-paused": rewrite("updateSettings", { "pipeline.status": "PENDING" }),
	"variable-removed": {
		kind: "variables",
		endpoint: "updateSettings",
		reading: "merge",
	},
	"upload-answers": remove("uploadFile", "id"),
};

it("the local server passes every row, and has afterwards what it had before", async () => {
	const all = await team();
	const before = stateOf(all);
	const { results, left, news, file } = await verified(connectionTo(all.server));
	expect(results.filter(({ verdict }) => verdict !== "holds")).toEqual([]);
	expect(results.map(({ id }) => id)).toEqual(assumptionIds);
	expect([left, news, file]).toEqual([[], [], NAMES.file]);
	expect(stateOf(all)).toEqual(before);
});

/** Variables that the service keeps by itself cannot be removed; everything else goes. */
const STAYS: readonly AssumptionId[] = ["variable-removed"];

it.each(Object.entries(FAULTS))(
	"%s differs alone in a service in which it does not hold",
	async (id, fault) => {
		const all = await team();
		const before = stateOf(all);
		all.server.faults.add(fault);
		const { results, left } = await verified(connectionTo(all.server));
		expect(idsOf(results, "differs")).toEqual([id]);
		expect(results).toHaveLength(assumptionIds.length);
		if (STAYS.includes(id as AssumptionId)) {
			expect(left).toMatchObject([{ kind: "variable", name: NAMES.variable }]);
		} else {
			all.server.faults.clear();
			expect(stateOf(all)).toEqual(before);
		}
	},
);
