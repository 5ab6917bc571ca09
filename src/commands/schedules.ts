import type { Command } from "commander";
import type { UnreadableInfo } from "../api";
import { isValidCron, nextRuns, tryDescribeCron } from "../cron";
import { created, facts, shortTime, table, utc } from "../report/renderings";
import { parseInstant, showInstant, showInstantOf } from "../schemas/instant";
import { isPausedPipeline } from "../schemas/pipeline-status";
import { didYouMean } from "../schemas/suggest";
import type { Schedule, ScheduleItem } from "../schemas/wire/schedule";
import { list } from "../schemas/wording";
import { listOrShow, type Session, teamCommand } from "./session";

export const define = (command: Command): Command =>
	teamCommand(command).action(listOrShow(listSchedules, showSchedule));

export async function listSchedules({ client, print }: Session): Promise<void> {
	const found = (await client.schedules.list()).map(scheduleView);
	print(found, () =>
		table(found, "No schedules.", {
			id: ({ id }) => id,
			name: ({ name }) => name,
			cron: ({ cron }) => cron,
			means: ({ meaning }) => meaning,
			"next run (UTC)": ({ nextRun }) => shortTime(nextRun),
			by: ({ createdBy }) => createdBy,
		}),
	);
}

async function showSchedule({ client, print }: Session, which: string): Promise<void> {
	const item = await findSchedule(client, which);
	const one = scheduleDetails(await client.schedules.get({ schedule_id: item.id }));
	const [first, ...others] = one.nextRuns;
	const status = one.pipeline?.paused ? "PAUSED: the schedule does not run it" : one.pipeline?.status;
	print(one, () =>
		facts([
			["Schedule", one.name],
			["Id", one.id],
			["Pipeline", one.pipeline && `${one.pipeline.name ?? one.pipeline.id} (${status ?? "status unknown"})`],
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
async function findSchedule(client: Session["client"], which: string): Promise<ScheduleItem> {
	const unreadable: UnreadableInfo[] = [];
	const onUnreadable = (info: UnreadableInfo) => void unreadable.push(info);
	const all = await client.scoped({ onUnreadable }).schedules.list();
	const named = all.filter(({ schedule_name }) => schedule_name === which);
	const found = named.length > 0 ? named : all.filter(({ id }) => String(id) === which);
	const [one] = found;
	if (one !== undefined && found.length === 1) return one;
	const team = `Team "${client.teamName}"`;
	if (one !== undefined) {
		const ids = list(found.map(({ id }) => String(id)));
		throw new Error(
			`${team} has ${found.length} schedules named ${JSON.stringify(which)}, with the ids ${ids}. Use the id.`,
		);
	}
	const hidden = unreadable.find(({ id, name }) => name === which || String(id) === which);
	if (hidden !== undefined)
		throw new Error(
			`${team} has a schedule ${JSON.stringify(which)}, but the response shows it in a form that cannot be read: ${hidden.why}.`,
		);
	const names = all.flatMap(({ schedule_name }) => schedule_name ?? []);
	throw new Error(
		`${team} has no schedule ${JSON.stringify(which)}.${didYouMean(which, names)} "pulumi-datachain schedules" lists them all.`,
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
export const scheduleDetails = (schedule: Schedule) => {
	const { pipeline, latest_run: run } = schedule;
	return {
		...scheduleView(schedule),
		nextRuns: upcoming(schedule),
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

export const runText = (run: { name: string | null; status: string | null; createdAt: string | null }) =>
	`${run.name ?? "a run"}, ${run.status ?? "status unknown"}, ${utc(run.createdAt) ?? "time unknown"}`;

/** The next runs from the one that the service names, because its clock decides. */
function upcoming({ next_run: next, cron_expression: cron }: Schedule): string[] {
	const first = next ? parseInstant(next) : undefined;
	if (first === undefined) return [];
	const later = cron && isValidCron(cron) ? nextRuns(cron, new Date(first), RUNS_SHOWN - 1) : [];
	return [first, ...later.map((run) => run.getTime())].map(showInstant);
}
