import { AbortedError, type DataChainClient } from "../api";
import { leftOut, type UnreadableInfo } from "../api/options";
import type { DriftReport } from "../commands/drift-report";
import { forecastOf } from "../commands/forecast-analyse";
import { eachRunOf, groupBy, windowOf } from "../commands/forecast-runs";
import {
	type ForecastSchedule,
	instantOf,
	pipelinesByName,
	schedulesOfTeam,
} from "../commands/forecast-schedules";
import { DAY_MS, describeSchedule, MINUTE_MS } from "../cron";
import { messageOf } from "../report/report";
import { isPausedPipeline } from "../schemas/pipeline-status";
import type { Cluster } from "../schemas/wire/cluster";
import type { Job } from "../schemas/wire/job";
import type { Pipeline } from "../schemas/wire/pipeline";
import type { ScheduleItem } from "../schemas/wire/schedule";
import { attention, type Timing, usualLength } from "./attention";
import { clusterRow, jobRow, pipelineRow, scheduleRow } from "./rows";
import { type FutureRuns, outcomeOf, type PipelineRow, type Rows } from "./snapshot";

/** What the Pulumi project in whose folder the board was started knows of the team. */
export interface ProjectFacts {
	readonly stack: string | null;
	/** The stack's schedules in this team, by the service's id. */
	readonly managed: ReadonlyMap<string, ForecastSchedule>;
	readonly drift: DriftReport;
}

/** The most jobs and pipelines to ask for: the service answers with 20 of each unless it is told otherwise. */
const MOST = 20_000;
/** So many of each are enough for a first view, and are there at once. */
const NEWEST = 2_000;
/** Requests for single schedules under way at once: the lists must not wait behind them. */
const CONCURRENT = 4;
/** After so many failures the other schedules would most likely fail, too. */
const MOST_FAILURES = 20;
/** So many schedules are asked for one by one in no time. */
const SMALL = 100;
/** Future runs in one answer. */
const MOST_RUNS = 200_000;

/** A team as the service shows it: four requests for the lists, and once for each schedule one for its pipeline. */
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
	/** Why something could not be read the last time. */
	private olderProblem: string | undefined;
	private clusterProblem: string | undefined;
	private namesProblem: string | undefined;
	/** The pipeline of each schedule, which never changes. */
	private readonly pipelineOf = new Map<number, string | null>();
	private asking: Promise<boolean> | undefined;
	/** Those that are not paused, as the last rows show them. */
	private active: readonly ForecastSchedule[] = [];
	project: ProjectFacts | undefined;

	constructor(
		private readonly client: DataChainClient,
		private readonly now: () => number,
	) {}

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
		const client = this.client.scoped({ onUnreadable: (info) => void unreadable.push(info) });
		let clusterProblem: string | undefined;
		[this.schedules, this.pipelines, this.jobs, this.clusters] = await Promise.all([
			client.schedules.list(),
			readPipelines(client, limit),
			client.jobs.list({ limit }),
			// All the rest says the same without them.
			client.clusters.list().catch((error: unknown) => {
				clusterProblem = messageOf(error);
				return [];
			}),
		]);
		this.limit = limit;
		this.nextLimit = limit;
		this.unreadable = unreadable;
		this.clusterProblem = clusterProblem;
	}

	/** Whether older jobs or pipelines are still to be read. */
	get isPartial(): boolean {
		return this.limit === NEWEST && (this.jobs.length >= NEWEST || this.pipelines.length >= NEWEST);
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
		const unknown = this.schedules.filter(({ id }) => !this.pipelineOf.has(id)).map(({ id }) => id);
		const waiting = unknown.values();
		let failures = 0;
		const work = async () => {
			for (const id of waiting) {
				try {
					const { pipeline } = await this.client.schedules.get({ schedule_id: id });
					this.pipelineOf.set(id, pipeline?.name ?? null);
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
		const known = this.schedules.filter(({ id }) => this.pipelineOf.has(id)).length;
		const [first, ...others] = this.unreadable;
		return [
			known < all && this.namesProblem === undefined
				? `The pipelines of ${known} of ${all} schedules are known so far; the others are being asked for.`
				: [],
			known < all && this.namesProblem !== undefined
				? `The pipelines of ${all - known} of ${all} schedules are not known, nor whether they are paused: ${this.namesProblem}`
				: [],
			this.isPartial && this.olderProblem === undefined
				? "Only the newest jobs and pipelines are known so far; the others are being read."
				: [],
			this.isPartial && this.olderProblem !== undefined
				? `Only the newest jobs and pipelines are shown; the others could not be read: ${this.olderProblem}`
				: [],
			this.jobs.length >= MOST ? `Only the newest ${MOST} jobs are shown.` : [],
			this.pipelines.length >= MOST ? `Only the newest ${MOST} pipelines are shown.` : [],
			this.clusterProblem === undefined ? [] : `The clusters could not be read: ${this.clusterProblem}`,
			first === undefined
				? []
				: `${leftOut(first)}${others.length === 0 ? "" : ` So were ${others.length} more.`}`,
		].flat();
	}

	/** Everything that the page shows, from what was last read. */
	rows(): Rows {
		const now = this.now();
		const jobsById = new Map(this.jobs.map((job) => [job.id, job]));
		const pipelines = this.pipelines.map((pipeline) => pipelineRow(pipeline, jobsById));
		const jobs = this.jobs.map(jobRow);
		const live = this.forecastSchedules();
		const templates = pipelinesByName(this.pipelines);
		const usual = usualBySchedule(pipelines);
		const items = new Map(this.schedules.map((item) => [String(item.id), item]));
		const timings = new Map<string, Timing>();
		const schedules = live.map((schedule) => {
			const template = templates.get(schedule.pipeline ?? "");
			const each = forecastOf(schedule, isPausedPipeline(template), windowOf(now, 0));
			const { id = "" } = schedule;
			const item = items.get(id);
			timings.set(id, { schedule, changedAt: instantOf(item?.updated_at ?? item?.created_at) });
			const managed = this.project?.managed.get(id);
			const words = managed && describeSchedule(timesOf(managed), now);
			return scheduleRow(words === undefined ? each : { ...each, meaning: words }, {
				id,
				managedBy: managed === undefined ? null : `${this.project?.stack ?? "stack"} / ${managed.resource}`,
				createdBy: item?.created_by?.username ?? null,
				usual: usual.get(each.name) ?? null,
				startAfter: schedule.startAfter,
			});
		});
		this.active = live.filter((_, index) => schedules[index]?.state !== "paused");
		schedules.sort((a, b) => (a.next ?? Number.POSITIVE_INFINITY) - (b.next ?? Number.POSITIVE_INFINITY));
		return {
			schedules,
			pipelines,
			jobs,
			clusters: this.clusters.map(clusterRow),
			attention: attention({ now, schedules, timings, pipelines, jobs, drift: this.project?.drift }),
		};
	}

	/** Schedules as the forecast takes them: the service's, with what the stack says about those that it manages. */
	private forecastSchedules(): ForecastSchedule[] {
		const known = this.schedules.map((item) => ({
			...item,
			pipeline: pipelineNamed(this.pipelineOf.get(item.id)),
		}));
		return schedulesOfTeam(this.client.teamName, known).map((schedule) => {
			const managed = this.project?.managed.get(schedule.id ?? "");
			if (managed === undefined) return schedule;
			const { resource, declared, timeZone, pipeline } = managed;
			return { ...schedule, resource, declared, timeZone, pipeline: schedule.pipeline ?? pipeline };
		});
	}

	/** Every run between two instants, of schedules that are not paused. */
	future(from: number, to: number): FutureRuns {
		const window = windowOf(from, Math.ceil((to - from) / DAY_MS));
		const runs: Record<string, number[]> = {};
		let left = MOST_RUNS;
		for (const schedule of this.active) {
			if (schedule.id === undefined || left <= 0) continue;
			const own: number[] = [];
			eachRunOf(schedule, window, (at) => {
				if (at < to) own.push(Math.round((at - from) / MINUTE_MS));
			});
			left -= own.length;
			if (own.length > 0) runs[schedule.id] = own;
		}
		return { from, to, runs, isCut: left <= 0 };
	}
}

/** The newest, and those that are paused however old they are: their schedules do not run. */
async function readPipelines(client: DataChainClient, limit: number): Promise<Pipeline[]> {
	const newest = await client.pipelines.list({ limit });
	if (newest.length < limit) return newest;
	const known = new Set(newest.map(({ pipeline_id }) => pipeline_id));
	const paused = await client.pipelines.list({ limit, status: ["PAUSED"] });
	return [...newest, ...paused.filter(({ pipeline_id }) => !known.has(pipeline_id))];
}

const pipelineNamed = (name: string | null | undefined) => (name ? { pipeline_id: "", name } : null);

const timesOf = ({ declared, cron, timeZone, startAfter, team, name }: ForecastSchedule) => ({
	cronExpression: declared ?? cron,
	timeZone,
	startAfter: startAfter === undefined ? undefined : new Date(startAfter).toISOString(),
	teamName: team,
	scheduleName: name,
});

/** How long the runs of each schedule usually take, by its name. */
function usualBySchedule(pipelines: readonly PipelineRow[]): Map<string, number> {
	const runs = pipelines.flatMap(({ schedule, status, start, end }) =>
		schedule === null ? [] : [{ schedule, outcome: outcomeOf(status), start, end }],
	);
	return new Map(
		[...groupBy(runs, ({ schedule }) => schedule)].flatMap(([name, own]) => {
			const usual = usualLength(own);
			return usual === undefined ? [] : [[name, usual]];
		}),
	);
}
