import { ApiError } from "../client";
import { needlesFor, redact } from "../client/redaction";
import { isFinishedJobStatus } from "../schemas/job";
import { withoutUrlCredentials } from "../text/credentials";
import type { OperationContext } from "./context";
import { unhurried } from "./wait";

/** As many lines of one job are shown while it runs; who writes more reads it elsewhere. */
const MOST_SHOWN = 1_000;
const LAST_LINES = 20;
/** A line that does not end is shown in pieces of this many characters. */
const LONGEST_PIECE = 65_536;
/** How long the log of a job that had ended before anybody waited may take to be complete. */
const ENDED_MILLIS = 30_000;

export interface LogTarget {
	readonly team: string;
	readonly jobId: string;
	/** How its lines are marked: the resource's name. */
	readonly label: string;
	/** Takes secrets out of what the job wrote. */
	readonly clean: Clean;
	/**
	 * Where its text, as the job wrote it but for secrets, and its status go. If omitted, its lines go to the deployment's own
	 * output, with the label, and with a bound.
	 */
	readonly to?: { text(text: string): void; status(status: string): void };
}

/** Shows a job's log while it grows, and keeps its end. Never fails: a log that cannot be followed is told once. */
export class LogLines {
	private readonly kept: string[] = [];
	private shown = 0;
	/** What has come of a line that goes on in the next message. */
	private begun = "";
	private lastStatus = "";
	private readonly stopping = new AbortController();
	private readonly done: Promise<void>;
	private tellEnd: () => void = () => {};
	/** Resolves when the log says that the job has ended, or breaks off for good. */
	readonly whenEnded = new Promise<void>((resolve) => {
		this.tellEnd = resolve;
	});

	constructor(
		private readonly context: OperationContext,
		private readonly target: LogTarget,
	) {
		this.done = this.follow();
	}

	/** The status as the log or a look at the job tells it; each is shown once. */
	status(status: string): void {
		if (status === this.lastStatus) return;
		this.lastStatus = status;
		const { to, label, jobId } = this.target;
		if (to !== undefined) to.status(status);
		else this.context.line(`${label}: job ${jobId} is ${status}`);
	}

	/** The last lines, once the log is complete, or as far as it came within the grace time. */
	async last(graceMillis: number): Promise<readonly string[]> {
		await Promise.race([
			this.done,
			this.context.time.sleep(graceMillis, this.stopping.signal),
		]);
		this.stop();
		this.endLine();
		return this.kept;
	}

	stop(): void {
		this.stopping.abort();
	}

	/** The client follows on over interruptions: the job goes on meanwhile. */
	private async follow(): Promise<void> {
		const { team, jobId, label } = this.target;
		const { signal } = this.stopping;
		const request = { team_name: team, job_id: jobId };
		const tell = (error: ApiError) =>
			this.context.notice(`${label}: its log cannot be followed. ${error.message}`);
		try {
			const options = { ...unhurried(), signal, onInterrupted: tell };
			for await (const event of this.context.client.jobs.followLogs(request, options)) {
				if (event.type === "line") this.take(event.message);
				else {
					this.status(event.status);
					if (isFinishedJobStatus(event.status)) this.tellEnd();
				}
			}
		} catch (error) {
			if (!(error instanceof ApiError)) throw error;
			if (!signal.aborted) tell(error);
		} finally {
			this.endLine();
			this.tellEnd();
		}
	}

	/** A message ends where it ends: its lines have line breaks of their own, and a secret may lie across two messages. */
	private take(message: string): void {
		const lines = (this.begun + message).split("\n");
		this.begun = lines.pop() ?? "";
		for (const line of lines) this.show(line);
		if (this.begun.length > LONGEST_PIECE) this.endLine("");
	}

	private endLine(end = "\n"): void {
		if (this.begun !== "") this.show(this.begun, end);
		this.begun = "";
	}

	private show(raw: string, end = "\n"): void {
		const { label, clean, to } = this.target;
		const text = clean(raw);
		const line = oneLine(text);
		this.kept.push(line);
		if (this.kept.length > LAST_LINES) this.kept.shift();
		this.shown += 1;
		if (to !== undefined) to.text(text + end);
		else if (this.shown <= MOST_SHOWN) this.context.line(`${label} | ${line}`);
		else if (this.shown === MOST_SHOWN + 1)
			this.context.line(
				`${label} | … more than ${MOST_SHOWN} lines; the rest is not shown here`,
			);
	}
}

/** The last lines of a job that has ended, for a message; none if they cannot be read. */
export const lastLines = (
	context: OperationContext,
	target: LogTarget,
): Promise<readonly string[]> =>
	new LogLines(context, { ...target, to: { text: () => {}, status: () => {} } }).last(
		ENDED_MILLIS,
	);

const LONGEST_LINE = 2_000;

export type Clean = (text: string) => string;

/**
 * What a job writes may repeat the secrets it was given, and credentials in URLs; they are taken out. A log comes line by
 * line, so each line of a secret is searched for, too.
 */
export function cleanOf(secrets: readonly string[]): Clean {
	const texts = secrets.flatMap((text) => [
		text,
		...text.split(/\r?\n/).map((line) => line.trim()),
	]);
	const needles = [...new Set(texts)].flatMap(needlesFor);
	return (text) => withoutUrlCredentials(redact(text, needles));
}

/** A line that is fit for a message. Its indentation stays, because tracebacks mean something by it. */
export function oneLine(text: string): string {
	const line = text
		.replaceAll("\t", "    ")
		.replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+/gu, " ")
		.trimEnd();
	return line.length > LONGEST_LINE
		? `${line.slice(0, LONGEST_LINE).replace(/\p{Cs}/u, "")}…`
		: line;
}
