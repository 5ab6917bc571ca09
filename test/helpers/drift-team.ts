import { onTestFinished } from "vitest";
import { checkDrift } from "../../src/commands/drift-check";
import { type DriftReport, driftReportSchema } from "../../src/commands/drift-report";
import { readState } from "../../src/commands/stack-state";
import {
	type Colleague,
	type LocalServer,
	manualClock,
	type ScheduleView,
	type ServerOptions,
	startServer,
} from "../../src/server";

export const TEAM = "audio";
const CRON = "0 3 * * *";
const SECRET = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270" };

/** A value as the exported state marks it. */
export const secret = (value: unknown) => ({ ...SECRET, plaintext: JSON.stringify(value) });

type Entry = Readonly<Record<string, unknown>>;

/** A team, and a stack that says it deployed things to it. */
export interface DriftTeam {
	readonly server: LocalServer;
	readonly env: NodeJS.ProcessEnv;
	readonly others: Colleague;
	/** A schedule that is there, by a colleague's hand. */
	schedule(name: string, pipeline?: string): ScheduleView;
	/** What the state holds of it. `more` replaces inputs, and outputs too. */
	managed(schedule: ScheduleView, more?: Entry): Entry;
	settings(pipeline: string, more?: Entry): Entry;
	stateText(...entries: Entry[]): string;
	check(entries: readonly Entry[], ignore?: readonly string[]): Promise<DriftReport>;
}

export async function driftTeam(
	pipelines: readonly string[] = ["p1", "p2"],
	options: ServerOptions = {},
): Promise<DriftTeam> {
	// Long ago: what was made a moment ago and is missing would be asked for again and again.
	const clock = manualClock("2026-01-01T00:00:00Z");
	const server = await startServer({ empty: true, faults: true, clock, ...options });
	onTestFinished(() => server.close());
	const others = server.addTeam(TEAM, { pipelines });
	const env = { ...server.environment, DATACHAIN_STUDIO_TEAM: TEAM };
	const stateText = (...resources: Entry[]) => JSON.stringify({ version: 3, deployment: { resources } });
	return {
		server,
		env,
		others,
		schedule: (name, pipeline = "p1") =>
			others.createSchedule({ schedule_name: name, pipeline_name: pipeline, cron_expression: CRON }),
		managed: ({ id, name, createdAt, pipelineName }, more = {}) => {
			const inputs = { scheduleName: name, pipelineName, cronExpression: CRON, teamName: TEAM, ...more };
			const made = { scheduleId: id, createdAt: new Date(createdAt).toISOString() };
			return entry("PipelineSchedule", name, String(id), inputs, made);
		},
		settings: (pipeline, more = {}) => {
			const inputs = { pipelineName: pipeline, teamName: TEAM, onDestroy: "keep", ...more };
			return entry("PipelineSettings", pipeline, `${TEAM}/${pipeline}`, inputs);
		},
		stateText,
		check: async (entries, ignore = []) => {
			const report = await checkDrift({ state: readState(stateText(...entries)), sources: { env }, ignore });
			return driftReportSchema.strict().parse(report);
		},
	};
}

/** A resource as version 0.2.0 leaves it in the state, or 0.1.0 with `__urn: undefined` among the inputs. */
export function entry(kind: string, name: string, id: string, inputs: Entry, outputs: Entry = {}): Entry {
	const type = `pulumi-nodejs:dynamic/datachain:${kind}`;
	const urn = `urn:pulumi:dev::songs::${type}::${name}`;
	const own = { __urn: urn, ...inputs };
	return { urn, type, id, inputs: own, outputs: { ...own, ...outputs } };
}

const at = { team: "vision", id: "7" };
const odd = { team: "vision", urn: null, resource: null, id: null };

/** A report with something in each section, and names as unfriendly as a server may send them. */
export function sampleReport(name = "nightly"): DriftReport {
	const ref = {
		...at,
		urn: `urn:pulumi:dev::images::x::${name}`,
		kind: "PipelineSchedule",
		resource: name,
		name,
	};
	return {
		schemaVersion: 1,
		checkedAt: "2026-01-31T03:00:00.000Z",
		stack: "dev",
		project: "images",
		teams: ["vision"],
		serviceUrl: "https://studio.example.com/api",
		requests: 2,
		summary: {
			managed: 6,
			unchanged: 3,
			changed: 1,
			missing: 1,
			unmanaged: 2,
			twins: 1,
			failed: 3,
			unlisted: 1,
			unchecked: 1,
			ignored: 4,
		},
		changed: [
			{
				...ref,
				repair: "update",
				fields: [
					{
						field: "cronExpression",
						how: "changed",
						hidden: false,
						declared: "0 3 * * *",
						live: "9 9 * * *",
					},
					{ field: "environment.KEY", how: "changed", hidden: true },
				],
			},
		],
		missing: [{ ...ref, resource: "weekly", name: "weekly" }],
		unmanaged: [
			{ ...at, kind: "schedule", name, createdBy: "ops-oncall", createdAt: "2026-01-01T02:30:00+00:00" },
			{ ...at, kind: "pipeline", name: "rusty-vise", createdBy: null, createdAt: null },
		],
		twins: [
			{
				...at,
				id: "9",
				name,
				createdBy: "another-stack",
				createdAt: "2026-01-28T03:00:00+00:00",
				pipeline: "quiet-harbor",
				samePipeline: true,
				twinOf: ref,
			},
		],
		failed: [
			{ ...ref, what: "resource", resource: "hourly", name: "hourly", reason: `502 for ${name}.` },
			{ ...odd, what: "element", kind: "pipeline", name: "odd-one", reason: "status: Invalid input" },
			{ ...odd, what: "list", kind: "pipeline", name: null, reason: "403 for the list." },
		],
		unlisted: [{ ...ref, resource: "beyond", name: "beyond-the-cap" }],
		unchecked: [{ ...ref, kind: "JobFile", field: "content", reason: "It cannot be read back." }],
		clockChanges: [
			{
				...ref,
				resource: "berlin",
				name: "berlin",
				timeZone: "Europe/Berlin",
				at: "2026-03-29T01:00:00.000Z",
				isPast: false,
				from: "0 2 * * *",
				to: "0 1 * * *",
			},
		],
	};
}

/** A report of a large team, in which every fourth schedule drifted. */
export function manyDrifts(count: number): DriftReport {
	const report = sampleReport();
	const named = <T extends object>(list: readonly T[], every: number): T[] =>
		Array.from({ length: Math.ceil(count / every) }, (_, index) => {
			const name = `team-prod-schedule-${String(index * every).padStart(4, "0")}`;
			return { ...list[0], ...(list[0] && { name, resource: name }) } as T;
		});
	const [changed, missing, unmanaged] = [
		named(report.changed, 4),
		named(report.missing, 50),
		named(report.unmanaged, 40).map((each) => ({ ...each, resource: undefined })),
	];
	return {
		...report,
		changed,
		missing,
		unmanaged,
		twins: [],
		failed: [],
		unlisted: [],
		summary: {
			...report.summary,
			managed: count,
			changed: changed.length,
			missing: missing.length,
			unmanaged: unmanaged.length,
			unchanged: count - changed.length - missing.length,
			twins: 0,
			failed: 0,
			unlisted: 0,
			ignored: 0,
		},
	};
}
