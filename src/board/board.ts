import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { type ConnectionSettings, createClient, type DataChainClient } from "../client";
import { PiecesRedactor } from "../client/redaction";
import type { AttemptInfo } from "../client/request-log";
import {
	type Answer,
	type Facts,
	type FutureRuns,
	type LogPart,
	type Rows,
	TABLES,
	type TableName,
	type Typing,
} from "../team/snapshot";
import { lengthWords } from "../text/report";
import { messageOf } from "../text/wording";
import { type ProjectFacts, Team } from "./team";

interface BoardOptions {
	/** The address that the page shows. */
	readonly service: string;
	/** Ends every call to the service. */
	readonly signal?: AbortSignal | undefined;
	/** The service's clock, if it does not tell the time itself. */
	readonly now?: (() => number) | undefined;
	/** For the commands that the page shows. */
	readonly typing?: Typing | undefined;
	/** Reads the Pulumi project of the folder; undefined if there is none. */
	readonly project?: (() => Promise<ProjectFacts>) | undefined;
	/** Time between two readings of the team, in milliseconds. Default: 30 seconds. */
	readonly everyMillis?: number | undefined;
	/** Counts the service's changes, where that can be known without a request: each one is then read soon. */
	readonly revision?: (() => number) | undefined;
}

const EVERY_MILLIS = 30_000;
const LEAST_PAUSE_IF_CHANGED_MILLIS = 2_000;
/** The pause is this many times as long as the reading before it, so a large team is read less often. */
const PAUSE_PER_READING = 10;
/** But no less often than this: a reading may have taken long because the service limits requests. */
const LONGEST_PAUSE_MILLIS = 5 * 60_000;
/** A page that has waited this long is told what is known. */
const LONGEST_WAIT_MILLIS = 10_000;
/** How long the first view waits for the pipelines of schedules. */
const FIRST_WAIT_MILLIS = 500;
/** How long many requests for single schedules wait, so that the first view comes before them. */
const PAUSE_BEFORE_SINGLE_READS_MILLIS = 2_000;
/** While the pipelines of schedules are asked for one by one, pages get what is known this often. */
const PARTIAL_PUBLISH_MILLIS = 5_000;
const PROJECT_EVERY_MILLIS = 10 * 60_000;
/** Clocks that differ by less agree. */
const TOLERATED_SKEW_MILLIS = 60_000;

/** Keeps what pages are told of a team. Once read, the team is asked for only while a page asks, however many there are. */
export class Board {
	private readonly client: DataChainClient;
	private readonly team: Team;
	private readonly changes = new Changes();
	private readonly logs: Logs;
	private readonly now: () => number;
	private reading: Promise<void> | undefined;
	/** After a reading: the older jobs and pipelines, and then the rest that the first view does not wait for. */
	private readingOlder: Promise<void> | undefined;
	private readingRest: Promise<void> | undefined;
	private asOf = 0;
	/** How far the service's clock is ahead of this machine's, in milliseconds; 0 if they agree. */
	private skew = 0;
	/** By this machine's clock: when to read again, and from when on to do so if something changed. */
	private nextReading = 0;
	private nextIfChanged = 0;
	private revision: number | undefined;
	private nextProject = 0;
	private every: number;
	private problem: string | null = null;
	private projectProblem: string | null = null;

	constructor(
		connection: ConnectionSettings,
		private readonly options: BoardOptions,
	) {
		const onAttempt = (info: AttemptInfo) => this.compareClocks(info);
		this.client = createClient(connection).scoped({
			signal: options.signal,
			onAttempt,
		});
		this.now = options.now ?? (() => Date.now() + this.skew);
		this.team = new Team(this.client, this.now);
		this.logs = new Logs(this.client);
		this.every = options.everyMillis ?? EVERY_MILLIS;
	}

	/** What is late, and how long something runs, is judged by the clock that starts it. */
	private compareClocks({ serviceTime, durationMillis }: AttemptInfo): void {
		if (serviceTime === undefined) return;
		const skew = serviceTime - (Date.now() - durationMillis / 2);
		this.skew = Math.abs(skew) > TOLERATED_SKEW_MILLIS ? skew : 0;
	}

	private get clockNotes(): string[] {
		if (this.skew === 0 || this.options.now !== undefined) return [];
		const apart = `${lengthWords(Math.abs(this.skew))} ${this.skew > 0 ? "behind" : "ahead of"}`;
		return [
			`This machine's clock is ${apart} the service's clock. Times here use the service's clock.`,
		];
	}

	/** Reads the team if it is time: before a page asks, so that its first question waits less. */
	refresh(): void {
		// The newest alone must not replace older ones that come at the same time.
		const isReading = this.reading !== undefined || this.readingOlder !== undefined;
		if (isReading || !this.isDue()) return;
		this.reading = this.read().finally(() => {
			this.reading = undefined;
		});
	}

	/** What changed since a page's last answer. Only the first one waits for the service. */
	async answer(since: string | null): Promise<Answer> {
		this.refresh();
		if (this.asOf === 0)
			await Promise.race([
				this.reading,
				sleep(LONGEST_WAIT_MILLIS, undefined, { ref: false }),
			]);
		return this.changes.since(since, {
			team: this.client.teamName,
			typing: this.options.typing,
			service: this.options.service,
			stack: this.team.project?.stack ?? null,
			now: this.now(),
			asOf: this.asOf,
			every: this.every,
			problem: this.problem,
			notes: [...this.team.notes, ...this.clockNotes, this.projectProblem ?? []].flat(),
			unread: [...this.team.unread.keys()],
		});
	}

	future(from: number, to: number): FutureRuns {
		return this.team.future(from, to);
	}

	log(jobId: string, from: number): Promise<LogPart> {
		return this.logs.part(jobId, from);
	}

	async close(): Promise<void> {
		this.logs.close();
		await this.client.close();
	}

	private isDue(): boolean {
		const isChanged = this.options.revision?.() !== this.revision;
		return Date.now() >= (isChanged ? this.nextIfChanged : this.nextReading);
	}

	private async read(): Promise<void> {
		const began = Date.now();
		this.revision = this.options.revision?.();
		try {
			await this.team.read();
			// A small team is known whole at once; a large one is shown before all of its schedules were asked for.
			if (this.asOf === 0 && this.team.isSmall)
				await Promise.race([this.team.readPipelineNames(), sleep(FIRST_WAIT_MILLIS)]);
			this.publish();
			this.asOf = this.now();
			this.problem = null;
		} catch (error) {
			this.problem = messageOf(error);
		}
		// What failed took its time without giving the service much to do.
		this.planNextReading(this.problem === null ? Date.now() - began : 0);
		if (this.problem === null) this.readMore();
	}

	/** After a reading that took this long. */
	private planNextReading(millis: number): void {
		const endedAt = Date.now();
		const pause = Math.min(PAUSE_PER_READING * millis, LONGEST_PAUSE_MILLIS);
		this.every = Math.max(this.options.everyMillis ?? EVERY_MILLIS, pause);
		this.nextReading = endedAt + this.every;
		this.nextIfChanged = endedAt + Math.max(LEAST_PAUSE_IF_CHANGED_MILLIS, pause);
	}

	/** What the first view does not wait for. The pipelines of many schedules take longer than the pause between readings. */
	private readMore(): void {
		if (this.team.isPartial)
			this.readingOlder = this.readOlder().finally(() => {
				this.readingOlder = undefined;
			});
		this.readingRest ??= this.readRest().finally(() => {
			this.readingRest = undefined;
		});
	}

	private async readOlder(): Promise<void> {
		const began = Date.now();
		await this.team.readOlder();
		this.planNextReading(Date.now() - began);
		this.publish();
	}

	/** The project, and the pipelines of schedules. */
	private async readRest(): Promise<void> {
		await this.readingOlder;
		if (!this.team.isSmall)
			await sleep(PAUSE_BEFORE_SINGLE_READS_MILLIS, undefined, { ref: false });
		// First, because it names pipelines that are then not asked for.
		await this.readProject();
		const showing = setInterval(() => this.publish(), PARTIAL_PUBLISH_MILLIS);
		const isMore = await this.team
			.readPipelineNames()
			.finally(() => clearInterval(showing));
		if (isMore) this.publish();
	}

	private async readProject(): Promise<void> {
		const { project } = this.options;
		if (project === undefined || Date.now() < this.nextProject) return;
		this.nextProject = Date.now() + PROJECT_EVERY_MILLIS;
		try {
			this.team.project = await project();
			this.projectProblem = null;
			this.publish();
		} catch (error) {
			this.projectProblem = `The Pulumi project in this folder could not be compared with the team: ${messageOf(error)}`;
		}
	}

	private publish(): void {
		this.changes.update(this.team.rows());
	}
}

// ── What pages have ──

/** Remembers when each table last changed, so that a page is sent only those that it does not have yet. */
export class Changes {
	/** Distinguishes this process from an earlier one at the same address. */
	private readonly origin = randomBytes(6).toString("hex");
	private revision = 0;
	private readonly tables = new Map<
		TableName,
		{ readonly rows: unknown; readonly revision: number }
	>();

	update(rows: Rows): void {
		this.revision += 1;
		for (const name of TABLES) {
			if (isDeepStrictEqual(this.tables.get(name)?.rows, rows[name])) continue;
			this.tables.set(name, { rows: rows[name], revision: this.revision });
		}
	}

	/** The tables that changed since the page's last answer; all of them if that was none of this process's. */
	since(given: string | null, facts: Facts): Answer {
		const [origin, number] = (given ?? "").split(".");
		const after = origin === this.origin ? Number(number) : 0;
		// An address that is no number is NaN: then all tables are sent.
		const changed = [...this.tables].filter(([, { revision }]) => !(revision <= after));
		const rows: Partial<Rows> = Object.fromEntries(
			changed.map(([name, table]) => [name, table.rows]),
		);
		return { ...facts, revision: `${this.origin}.${this.revision}`, rows };
	}
}

// ── Logs ──

/** Lines in one answer; the page asks for the rest at once. */
const MOST_LINES = 20_000;
/** A log that no page has asked for in this time is closed. A hidden page asks once a minute. */
const IDLE_LOG_MILLIS = 120_000;
/** A log that could not be read is tried again after this time. */
const RETRY_LOG_MILLIS = 10_000;
/** At most about this many lines of one log are kept: the first lines go. */
const MOST_KEPT_LINES = 500_000;

interface OpenLog {
	readonly lines: string[];
	/** The last line, as long as it is not complete. */
	partial: string;
	/** Lines that were dropped from the beginning. */
	dropped: number;
	status: string;
	isComplete: boolean;
	problem: string | null;
	/** Since when nothing more comes. */
	failedAt: number | undefined;
	readonly stop: AbortController;
	/** Closes the log unless a page asks for it again. */
	readonly idle: NodeJS.Timeout;
}

/** The logs that pages look at: each is followed once, however many pages ask for it. */
class Logs {
	private readonly open = new Map<string, OpenLog>();

	constructor(private readonly client: DataChainClient) {}

	/** Lines from number `from` on; the first answer may have none yet. */
	async part(jobId: string, from: number): Promise<LogPart> {
		const opened = this.open.get(jobId);
		const isToRetry =
			opened?.failedAt !== undefined && Date.now() - opened.failedAt > RETRY_LOG_MILLIS;
		const log =
			opened === undefined || isToRetry ? this.follow(jobId, opened?.problem) : opened;
		log.idle.refresh();
		// Most logs come at once; a page that waits a moment needs one request less.
		for (
			let tries = 0;
			tries < 20 && log.lines.length + log.dropped <= from && !isOver(log);
			tries += 1
		) {
			await new Promise((resolve) => setTimeout(resolve, 25));
		}
		const start = Math.max(0, from - log.dropped);
		const lines = log.lines.slice(start, start + MOST_LINES);
		const isLast = start + lines.length >= log.lines.length;
		return {
			from: start + log.dropped,
			lines,
			status: log.status,
			isComplete: log.isComplete && isLast,
			problem: log.problem,
		};
	}

	/** Reads the log from its beginning. After a failure, the page shows the earlier problem until the first line comes. */
	private follow(jobId: string, problem: string | null = null): OpenLog {
		const stop = new AbortController();
		const log: OpenLog = {
			lines: [],
			partial: "",
			dropped: 0,
			status: "",
			isComplete: false,
			problem,
			failedAt: undefined,
			stop,
			idle: setTimeout(() => {
				stop.abort();
				if (this.open.get(jobId) === log) this.open.delete(jobId);
			}, IDLE_LOG_MILLIS).unref(),
		};
		this.open.set(jobId, log);
		this.read(jobId, log).catch((error: unknown) => {
			log.problem = messageOf(error);
			log.failedAt = Date.now();
		});
		return log;
	}

	private async read(jobId: string, log: OpenLog): Promise<void> {
		const request = { job_id: jobId };
		const { signal } = log.stop;
		const job = (await this.client.jobs.list(request, { signal })).find(
			({ id }) => id === jobId,
		);
		if (job === undefined) throw new Error("The service does not know this job.");
		log.status = job.status.toUpperCase();
		const redacted = new PiecesRedactor(job.environment);
		for await (const event of this.client.jobs.followLogs(request, { signal })) {
			log.problem = null;
			if (event.type === "status") log.status = event.status.toUpperCase();
			else addTo(log, redacted.take(event.message));
		}
		addTo(log, redacted.end());
		if (log.partial !== "") addTo(log, "\n");
		log.problem = null;
		log.isComplete = true;
	}

	close(): void {
		for (const { stop } of this.open.values()) stop.abort();
		this.open.clear();
	}
}

const isOver = ({ isComplete, failedAt }: OpenLog): boolean =>
	isComplete || failedAt !== undefined;

/** A message may hold several lines, or part of one. */
function addTo(log: OpenLog, message: string): void {
	const parts = `${log.partial}${message}`.split("\n");
	log.partial = parts.pop() ?? "";
	for (const line of parts) log.lines.push(line);
	const surplus = log.lines.length - MOST_KEPT_LINES;
	if (surplus < MOST_KEPT_LINES / 10) return;
	log.lines.splice(0, surplus);
	log.dropped += surplus;
}
