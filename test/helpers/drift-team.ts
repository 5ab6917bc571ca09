import type { ScheduleView, ServerOptions } from "../../src/server";
import { checkDrift } from "../../src/team/drift-check";
import { driftReportSchema } from "../../src/team/drift-report";
import { readState } from "../../src/team/stack-state";
import { testServer } from "./server-harness";

export const TEAM = "audio";
const CRON = "0 3 * * *";
const SECRET = {
	"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
};

/** A value as the exported state marks it. */
export const secret = (value: unknown) => ({
	...SECRET,
	plaintext: JSON.stringify(value),
});

/** A state as the CLI exports it, and as the commands read it. */
export const stateText = (...resources: readonly object[]) =>
	JSON.stringify({ version: 3, deployment: { resources } });
export const stateOf = (...resources: readonly object[]) =>
	readState(stateText(...resources));

type Entry = Readonly<Record<string, unknown>>;

export type DriftTeam = Awaited<ReturnType<typeof driftTeam>>;

/** A team, and a stack that says it deployed things to it. */
export async function driftTeam(
	pipelines: readonly string[] = ["p1", "p2"],
	options: ServerOptions = {},
) {
	const server = await testServer({ empty: true, faults: true, ...options });
	const others = server.addTeam(TEAM, { pipelines });
	const env = { ...server.environment, DATACHAIN_STUDIO_TEAM: TEAM };
	return {
		server,
		env,
		others,
		/** A schedule that is there, by a colleague's hand. */
		schedule: (name: string, pipeline = "p1") =>
			others.createSchedule({
				schedule_name: name,
				pipeline_name: pipeline,
				cron_expression: CRON,
			}),
		/** What the state holds of it. `more` replaces inputs, and outputs too. */
		managed: (
			{ id, name, createdAt, pipelineName }: ScheduleView,
			more: Entry = {},
		) => {
			const inputs = {
				scheduleName: name,
				pipelineName,
				cronExpression: CRON,
				teamName: TEAM,
				...more,
			};
			const made = { scheduleId: id, createdAt: new Date(createdAt).toISOString() };
			return entry("PipelineSchedule", name, String(id), inputs, made);
		},
		settings: (pipeline: string, more: Entry = {}) => {
			const inputs = {
				pipelineName: pipeline,
				teamName: TEAM,
				onDestroy: "keep",
				...more,
			};
			return entry("PipelineSettings", pipeline, `${TEAM}/${pipeline}`, inputs);
		},
		check: async (entries: readonly Entry[], ignore: readonly string[] = []) => {
			// By the service's clock: what was made a moment ago and is missing would be requested again and again.
			server.clock.advance(120_000);
			const report = await checkDrift({
				state: stateOf(...entries),
				sources: { env },
				ignore,
			});
			return driftReportSchema.strict().parse(report);
		},
	};
}

/** A resource as the state has it. */
export function entry(
	kind: string,
	name: string,
	id: string,
	inputs: Entry,
	outputs: Entry = {},
): Entry {
	const type = `pulumi-nodejs:dynamic/datachain:${kind}`;
	const urn = `urn:pulumi:dev::songs::${type}::${name}`;
	const own = { __urn: urn, ...inputs };
	return { urn, type, id, inputs: own, outputs: { ...own, ...outputs } };
}
