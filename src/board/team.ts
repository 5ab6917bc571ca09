import { setTimeout as sleep } from "node:timers/promises";
import { AbortedError, type DataChainClient, NotAuthorizedError } from "../client";
import { leftOut, type UnreadableInfo } from "../client/options";
import { DAY_MS, describeSchedule, MINUTE_MS } from "../cron";
import { isPausedPipeline, pipelinesByName } from "../schemas/pipeline-status";
import type { Cluster } from "../schemas/wire/cluster";
import type { Job } from "../schemas/wire/job";
import type { Pipeline } from "../schemas/wire/pipeline";
import type { ScheduleItem } from "../schemas/wire/schedule";
import { attention, type KnownSchedule, usualLength } from "../team/attention";
import type { DriftReport } from "../team/drift-report";
import { forecastOf } from "../team/forecast-analyse";
import { eachRunOf, groupBy, windowOf } from "../team/forecast-runs";
import {
	type ForecastSchedule,
	instantOf,
	scheduleOfTeam,
} from "../team/forecast-schedules";
import { newestAndPaused } from "../team/live-pipelines";
import type { FutureRuns, Rows, TableName } from "../team/snapshot";
import { messageOf } from "../text/wording";
import { clusterRow, jobRow, pipelineRow, scheduleRow } from "./rows";

/** What the Pulumi project in whose folder the board was started knows of the team. */
export interface ProjectFacts {
	readonly stack: string | null;
	/** The stack's schedules in this team, by the service's id. */
	readonly managed: ReadonlyMap<string, ForecastSchedule>;
	/** The pipelines of these schedules, as far as the stack names them. */
	readonly pipelines: ReadonlyMap<number, string>;
	readonly drift: DriftReport;
}

/** The most jobs and pipelines to ask for: the service answers with 20 of each unless it is told otherwise. */
const MOST = 20_000;
/** So many of each are enough for a first view, and are there at once. */
const NEWEST = 2_000;
/** Requests for single schedules under way at once: fewer than the client has connections, so that no list waits. */
const CONCURRENT = 8;
/** Requests for single schedules in a second: the board is one of many users of the service, and in no hurry. */
const MOST_PER_SECOND = 100;
/** How long each of those under way takes at least. */
const LEAST_MILLIS = (CONCURRENT / MOST_PER_SECOND) * 1_000;
/** After so many failures the other schedules would most likely fail, too. */
const MOST_FAILURES = 20;
/** So many schedules are asked for one by one in no time. */
const SMALL = 100;
/** Future runs in one answer. */
const MOST_RUNS = 200_000;

/**
 * A team as the service shows it: four requests for the lists, and once for each schedule, unless the project's stack
 * names its pipeline, one for that.
 */
export class Team {
	private schedules: readonly ScheduleItem[] = [];
	private pipelines: readonly Pipeline[] = [];
	private jobs: readonly Job[] = [];
	private clusters: readonly Cluster[] = [];
	/** How many jobs and pipelines were asked for last, and how many to ask for next. */
	private limit = NEWEST;
	private nextLimit = NEWEST;
	/** Elements of the lists that are not shown. */
	private unreadable: readonly UnreadableInfo[] = [];
	/** Why whole lists could not be read the last time. */
	unread: ReadonlyMap<TableName, unknown> = new Map();
	private olderProblem: string | undefined;
	private namesProblem: string | undefined;
	/** The name of each schedule's pipeline, which never changes. */
	private readonly pipelineOf = new Map<number, string | undefined>();
	private asking: Promise<boolean> | undefined;
	/** Those that are not paused, as the last rows show them. */
	private active: readonly KnownSchedule[] = [];
	private facts: ProjectFacts | undefined;

	constructor(
		private readonly client: DataChainClient,
		private readonly now: () => number,
	) {}

	get project(): ProjectFacts | undefined {
		return this.facts;
	}

	set project(facts: ProjectFacts | undefined) {
		this.facts = facts;
		for (const [id, pipeline] of facts?.pipelines ?? [])
			this.pipelineOf.set(id, pipeline);
	}

	/** Reads the lists again, with the older jobs and pipelines if the last reading had them. */
	read(): Promise<void> {
		return this.readLists(this.nextLimit);
	}

	/** Reads also the older jobs and pipelines. If that fails, the newest are still worth showing. */
	async readOlder(): Promise<void> {
		try {
			await this.readLists(MOST);
			this.olderProblem = undefined;
		} catch (error) {
			this.olderProblem = messageOf(error);
		}
	}

	private async readLists(limit: number): Promise<void> {
		// Stays so if this fails, because it may have asked for too much.
		this.nextLimit = NEWEST;
		const unreadable: UnreadableInfo[] = [];
		const client = this.client.scoped({
			onUnreadable: (info) => void unreadable.push(info),
		});
		const unread = new Map<TableName, unknown>();
		// What the token may not read is left out. So are clusters for any reason: all the rest says the same without them.
		const orNothing = <One>(
			tableName: TableName,
			list: Promise<One[]>,
		): Promise<One[]> =>
			list.catch((error: unknown) => {
				if (tableName !== "clusters" && !(error instanceof NotAuthorizedError))
					throw error;
				unread.set(tableName, error);
				return [];
			});
		const lists = await Promise.all([
			orNothing("schedules", client.schedules.list()),
			orNothing("pipelines", newestAndPaused(client, { limit })),
			orNothing("jobs", client.jobs.list({ limit })),
			orNothing("clusters", client.clusters.list()),
		]);
		if (unread.size === lists.length) throw unread.get("schedules");
		[this.schedules, this.pipelines, this.jobs, this.clusters] = lists;
		this.limit = limit;
		this.nextLimit = limit;
		this.unreadable = unreadable;
		this.unread = unread;
	}

	/** Whether older jobs or pipelines are still to be read. */
	get isPartial(): boolean {
		return (
			this.limit === NEWEST &&
			(this.jobs.length >= NEWEST || this.pipelines.length >= NEWEST)
		);
	}

	/** Asks for the pipelines of schedules that are not known yet; true if there were some. */
	readPipelineNames(): Promise<boolean> {
		this.asking ??= this.askPipelineNames().finally(() => {
			this.asking = undefined;
		});
		return this.asking;
	}

	/** What fails is asked for again the next time. */
	private async askPipelineNames(): Promise<boolean> {
		const unknown = this.schedules
			.filter(({ id }) => !this.pipelineOf.has(id))
			.map(({ id }) => id);
		const waiting = unknown.values();
		let failures = 0;
		const work = async () => {
			for (const id of waiting) {
				try {
					const [{ pipeline }] = await Promise.all([
						this.client.schedules.get({ schedule_id: id }),
						sleep(LEAST_MILLIS, undefined, { ref: false }),
					]);
					this.pipelineOf.set(id, pipeline?.name || undefined);
				} catch (error) {
					failures += 1;
					this.namesProblem = messageOf(error);
					if (error instanceof AbortedError || failures >= MOST_FAILURES) return;
				}
			}
		};
		await Promise.all(Array.from({ length: CONCURRENT }, work));
		if (failures === 0) this.namesProblem = undefined;
		return unknown.length > 0;
	}

	get isSmall(): boolean {
		return this.schedules.length <= SMALL;
	}

	get notes(): string[] {
		const all = this.schedules.length;
		const readCount = this.schedules.filter(({ id }) => this.pipelineOf.has(id)).length;
		const [first, ...others] = this.unreadable;
		const notes = [
			readCount < all &&
				(this.namesProblem === undefined
					? `The pipelines of ${readCount} of ${all} schedules are known so far; the others are being asked for.`
					: `The pipelines of ${all - readCount} of ${all} schedules are not known, nor whether they are paused: ${this.namesProblem}`),
			this.isPartial &&
				(this.olderProblem === undefined
					? "Only the newest jobs and pipelines are known so far; the others are being read."
					: `Only the newest jobs and pipelines are shown; the others could not be read: ${this.olderProblem}`),
			this.jobs.length >= MOST && `Only the newest ${MOST} jobs are shown.`,
			this.pipelines.length >= MOST && `Only the newest ${MOST} pipelines are shown.`,
			...[...this.unread].map(
				([tableName, error]) =>
					`The ${tableName} could not be read: ${messageOf(error)}`,
			),
			first &&
				`${leftOut(first)}${others.length === 0 ? "" : ` So were ${others.length} more.`}`,
		];
		return notes.filter((note) => typeof note === "string");
	}

	/** Everything that the page shows, from what was last read. */
	rows(): Rows {
		const now = this.now();
		const jobsById = this.unread.has("jobs")
			? undefined
			: new Map(this.jobs.map((job) => [job.id, job]));
		const pipelines = this.pipelines.map((pipeline) => pipelineRow(pipeline, jobsById));
		const jobs = this.jobs.map(jobRow);
		const templates = pipelinesByName(this.pipelines);
		const runsOf = groupBy(pipelines, ({ schedule }) => schedule);
		const knownSchedules = this.schedules.map((item): KnownSchedule => {
			const id = String(item.id);
			const managed = this.project?.managed.get(id);
			const schedule = this.forecastSchedule(item, managed);
			const template = templates.get(schedule.pipeline ?? "");
			const forecast = forecastOf(
				schedule,
				isPausedPipeline(template),
				windowOf(now, 0),
			);
			const meaning =
				(managed && describeSchedule(timesOf(managed), now)) ?? forecast.meaning;
			const row = scheduleRow(
				{ ...forecast, meaning },
				{
					id,
					pipelineId: template?.pipeline_id ?? null,
					managedBy:
						managed === undefined
							? null
							: `${this.project?.stack ?? "stack"} / ${managed.resource}`,
					createdBy: item.created_by?.username ?? null,
					usual: usualLength(runsOf.get(forecast.name) ?? []),
					startAfter: schedule.startAfter,
				},
			);
			return {
				row,
				times: schedule,
				changedAt: instantOf(item.updated_at ?? item.created_at),
			};
		});
		const nextOf = ({ row }: KnownSchedule) => row.next ?? Number.MAX_VALUE;
		knownSchedules.sort((a, b) => nextOf(a) - nextOf(b));
		this.active = knownSchedules.filter(({ row }) => row.state !== "paused");
		return {
			schedules: knownSchedules.map(({ row }) => row),
			pipelines,
			jobs,
			clusters: this.clusters.map(clusterRow),
			attention: attention({
				now,
				schedules: knownSchedules,
				pipelines,
				jobs,
				drift: this.project?.drift,
			}),
		};
	}

	/** A schedule as the forecast takes it: the service's, with what the stack says about it if that manages it. */
	private forecastSchedule(
		item: ScheduleItem,
		managed: ForecastSchedule | undefined,
	): ForecastSchedule {
		const {
			resource = null,
			declared = null,
			timeZone = null,
			pipeline = null,
		} = managed ?? {};
		return {
			...scheduleOfTeam(this.client.teamName, item),
			resource,
			declared,
			timeZone,
			pipeline: this.pipelineOf.get(item.id) ?? pipeline,
		};
	}

	/** Every run between two instants, of schedules that are not paused. */
	future(from: number, to: number): FutureRuns {
		const window = windowOf(from, Math.ceil((to - from) / DAY_MS));
		const runs: Record<string, number[]> = {};
		let left = MOST_RUNS;
		for (const { row, times } of this.active) {
			if (left <= 0) break;
			const own: number[] = [];
			eachRunOf(times, window, (at) => {
				if (at < to) own.push(Math.round((at - from) / MINUTE_MS));
			});
			left -= own.length;
			if (own.length > 0) runs[row.id] = own;
		}
		return { from, to, runs, isTruncated: left <= 0 };
	}
}

const timesOf = ({
	declared,
	cron,
	timeZone,
	startAfter,
	team,
	name,
}: ForecastSchedule) => ({
	cronExpression: declared ?? cron ?? undefined,
	timeZone: timeZone ?? undefined,
	startAfter: startAfter === undefined ? undefined : new Date(startAfter).toISOString(),
	teamName: team,
	scheduleName: name,
});
