import { redactor } from "../api/redaction";
import { messageOf } from "../report/report";
import type { LogPart } from "./snapshot";
import type { Client } from "./team";

/** Lines in one answer; the page asks for the rest at once. */
const MOST_LINES = 20_000;
/** Logs that are kept open; whoever looks at more gets the oldest anew. */
const MOST_LOGS = 4;
/** A log that no page has asked for in this time is let go. */
const IDLE_MILLIS = 60_000;
/** More than this much text of one log is not kept: the first lines go. */
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
	askedAt: number;
	readonly stop: AbortController;
}

/** The logs that pages look at: each is followed once, however many pages ask for it. */
export class Logs {
	private readonly open = new Map<string, OpenLog>();

	constructor(private readonly client: Client) {}

	/** Lines from number `from` on; the first answer may have none yet. */
	async part(jobId: string, from: number): Promise<LogPart> {
		const log = this.open.get(jobId) ?? this.follow(jobId);
		log.askedAt = Date.now();
		this.tidy();
		// Most logs come at once; a page that waits a moment needs one request less.
		for (let tries = 0; tries < 20 && log.lines.length + log.dropped <= from && !isOver(log); tries += 1) {
			await new Promise((resolve) => setTimeout(resolve, 25));
		}
		const whole = log.isComplete && log.partial !== "" ? [...log.lines, log.partial] : log.lines;
		const start = Math.max(0, from - log.dropped);
		const lines = whole.slice(start, start + MOST_LINES);
		const isLast = start + lines.length >= whole.length;
		return {
			from: start + log.dropped,
			lines,
			status: log.status,
			isComplete: log.isComplete && isLast,
			problem: log.problem,
		};
	}

	private follow(jobId: string): OpenLog {
		const log: OpenLog = {
			lines: [],
			partial: "",
			dropped: 0,
			status: "",
			isComplete: false,
			problem: null,
			askedAt: Date.now(),
			stop: new AbortController(),
		};
		this.open.set(jobId, log);
		this.read(jobId, log).catch((error: unknown) => {
			log.problem = messageOf(error);
			// The next request tries again.
			this.open.delete(jobId);
		});
		return log;
	}

	private async read(jobId: string, log: OpenLog): Promise<void> {
		const which = { job_id: jobId };
		const { signal } = log.stop;
		const job = (await this.client.jobs.list(which, { signal })).find(({ id }) => id === jobId);
		if (job === undefined) throw new Error("The service does not know this job.");
		log.status = job.status.toUpperCase();
		const redact = redactor(job.environment);
		for await (const event of this.client.jobs.followLogs(which, { signal })) {
			if (event.type === "status") log.status = event.status.toUpperCase();
			else add(log, redact(event.message));
		}
		log.isComplete = true;
	}

	private tidy(): void {
		const oldest = [...this.open].sort(([, a], [, b]) => b.askedAt - a.askedAt);
		for (const [index, [id, log]] of oldest.entries()) {
			if (index < MOST_LOGS && Date.now() - log.askedAt < IDLE_MILLIS) continue;
			log.stop.abort();
			this.open.delete(id);
		}
	}

	close(): void {
		for (const { stop } of this.open.values()) stop.abort();
		this.open.clear();
	}
}

const isOver = ({ isComplete, problem }: OpenLog): boolean => isComplete || problem !== null;

/** A message may hold several lines, or part of one. */
function add(log: OpenLog, message: string): void {
	const parts = `${log.partial}${message}`.split("\n");
	log.partial = parts.pop() ?? "";
	for (const line of parts) log.lines.push(line);
	const surplus = log.lines.length - MOST_KEPT_LINES;
	if (surplus < MOST_KEPT_LINES / 10) return;
	log.lines.splice(0, surplus);
	log.dropped += surplus;
}
