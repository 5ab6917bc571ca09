import type { Command } from "commander";
import type { UnreadableInfo } from "../client";
import { isValidCron, nextRuns, tryDescribeCron } from "../cron";
import { isPausedPipeline } from "../schemas/pipeline-status";
import type { Schedule, ScheduleItem } from "../schemas/wire/schedule";
import { parseInstant, showInstant, showInstantOf } from "../text/instant";
import { created, facts, shortTime, table, utc } from "../text/renderings";
import { didYouMean } from "../text/suggest";
import { list } from "../text/wording";
import {
	listOrShow,
	readSchedules,
	type Session,
	type TeamOptions,
	teamCommand,
} from "./session";

interface SchedulesOptions extends TeamOptions {
	search?: string;
	pipeline?: string;
	paused?: boolean;
}

export const define = (command: Command): Command =>
	teamCommand(command)
		.option(
			"--search <text>",
			"only schedules with this in their name or their creator's",
		)
		.option("--pipeline <name>", "only schedules that run this pipeline")
		.option("--paused", "only schedules whose pipeline is paused")
		.action(listOrShow(listSchedules, showSchedule));

/** The list names no pipelines: each schedule that is shown costs a request. */
export async function listSchedules(
	{ client, print }: Session,
	options: SchedulesOptions,
): Promise<void> {
	const search = options.search?.toLowerCase() ?? "";
	const isWanted = ({ schedule_name, created_by }: ScheduleItem) =>
		`${schedule_name ?? ""}\n${created_by?.username ?? ""}`
			.toLowerCase()
			.includes(search);
	const items = (await client.schedules.list()).filter(isWanted);
	const all = (await readSchedules(client, items)).map(scheduleSummary);
	const matching = all.filter(
		({ pipeline }) =>
			(options.pipeline === undefined || pipeline?.name === options.pipeline) &&
			(options.paused !== true || pipeline?.paused === true),
	);
	print(matching, () =>
		table(matching, "No schedules.", {
			id: ({ id }) => id,
			name: ({ name }) => name,
			cron: ({ cron }) => cron,
			means: ({ meaning }) => meaning,
			"next run (UTC)": ({ nextRun }) => shortTime(nextRun),
			pipeline: ({ pipeline }) => pipeline?.name,
			paused: ({ pipeline }) => (pipeline?.paused ? "yes" : ""),
			"last run": ({ latestRun }) =>
				latestRun &&
				`${latestRun.status ?? "status unknown"}, ${shortTime(latestRun.createdAt)}`,
			by: ({ createdBy }) => createdBy,
		}),
	);
}

async function showSchedule(
	{ client, print }: Session,
	nameOrId: string,
): Promise<void> {
	const item = await findSchedule(client, nameOrId);
	const one = scheduleDetails(await client.schedules.get({ schedule_id: item.id }));
	const [first, ...others] = one.nextRuns;
	const status = one.pipeline?.paused
		? "PAUSED: the schedule does not run it"
		: one.pipeline?.status;
	print(one, () =>
		facts([
			["Schedule", one.name],
			["Id", one.id],
			[
				"Pipeline",
				one.pipeline &&
					`${one.pipeline.name ?? one.pipeline.id} (${status ?? "status unknown"})`,
			],
			["Cron", one.cron],
			["Means", one.meaning],
			["Starts after", utc(one.startAfter)],
			["Next runs", utc(first ?? null) ?? "none"],
			...others.map((run) => [" ", utc(run)] as const),
			["Last run", one.latestRun && runText(one.latestRun)],
			["Created", created(one)],
		]),
	);
}

/** A schedule of that name, or else of that id. */
async function findSchedule(
	client: Session["client"],
	nameOrId: string,
): Promise<ScheduleItem> {
	const unreadable: UnreadableInfo[] = [];
	const onUnreadable = (info: UnreadableInfo) => void unreadable.push(info);
	const all = await client.scoped({ onUnreadable }).schedules.list();
	const named = all.filter(({ schedule_name }) => schedule_name === nameOrId);
	const candidates =
		named.length > 0 ? named : all.filter(({ id }) => String(id) === nameOrId);
	const [one] = candidates;
	if (one !== undefined && candidates.length === 1) return one;
	const team = `Team "${client.teamName}"`;
	if (one !== undefined) {
		const ids = list(candidates.map(({ id }) => String(id)));
		throw new Error(
			`${team} has ${candidates.length} schedules named ${JSON.stringify(nameOrId)}, with the ids ${ids}. Use the id.`,
		);
	}
	const hidden = unreadable.find(
		({ id, name }) => name === nameOrId || String(id) === nameOrId,
	);
	if (hidden !== undefined)
		throw new Error(
			`${team} has a schedule ${JSON.stringify(nameOrId)}, but the response shows it in a form that cannot be read: ${hidden.why}.`,
		);
	const names = all.flatMap(({ schedule_name }) => schedule_name ?? []);
	throw new Error(
		`${team} has no schedule ${JSON.stringify(nameOrId)}.${didYouMean(nameOrId, names)} "pulumi-datachain schedules" lists them all.`,
	);
}

/** A schedule as the commands list it. */
const scheduleView = (schedule: ScheduleItem) => {
	const cron = schedule.cron_expression || null;
	return {
		id: schedule.id,
		name: schedule.schedule_name ?? null,
		cron,
		meaning: meaningOf(cron, schedule.start_after ?? null),
		startAfter: showInstantOf(schedule.start_after),
		nextRun: showInstantOf(schedule.next_run),
		createdAt: showInstantOf(schedule.created_at),
		createdBy: schedule.created_by?.username ?? null,
	};
};

/** Without a cron expression a schedule runs once. */
function meaningOf(cron: string | null, startAfter: string | null): string | null {
	if (cron !== null) return tryDescribeCron(cron) ?? null;
	return startAfter === null ? null : `once at ${shortTime(startAfter)} UTC`;
}

const RUNS_SHOWN = 5;

/** One schedule with its pipeline, its last run and its next ones. */
export const scheduleDetails = (schedule: Schedule) => ({
	...scheduleSummary(schedule),
	nextRuns: upcoming(schedule),
});

/** A schedule with its pipeline and its last run. */
const scheduleSummary = (schedule: Schedule) => {
	const { pipeline, latest_run: run } = schedule;
	return {
		...scheduleView(schedule),
		pipeline: pipeline && {
			id: pipeline.pipeline_id,
			name: pipeline.name ?? null,
			status: pipeline.status ?? null,
			paused: isPausedPipeline(pipeline),
		},
		latestRun: run && {
			id: run.pipeline_id,
			name: run.name ?? null,
			status: run.status ?? null,
			createdAt: showInstantOf(run.created_at),
		},
	};
};

export const runText = (run: {
	name: string | null;
	status: string | null;
	createdAt: string | null;
}) =>
	`${run.name ?? "a run"}, ${run.status ?? "status unknown"}, ${utc(run.createdAt) ?? "time unknown"}`;

/** The next runs from the one that the service names, because its clock decides. */
function upcoming({ next_run: next, cron_expression: cron }: Schedule): string[] {
	const first = next ? parseInstant(next) : undefined;
	if (first === undefined) return [];
	const later =
		cron && isValidCron(cron) ? nextRuns(cron, new Date(first), RUNS_SHOWN - 1) : [];
	return [first, ...later.map((run) => run.getTime())].map(showInstant);
}
