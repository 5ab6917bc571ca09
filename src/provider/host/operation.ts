import { AbortedError } from "../../api";
import type { Call } from "../context";
import { resourceName } from "../urn";

/** The dynamic host hands on neither a timeout nor a cancel, so each operation ends itself. */
const OPERATION_MILLIS = 60_000;

/** Runs one operation with a client that gives up when the operation's time is over, whatever it was waiting for. */
export async function withinTime<T>(
	call: Call,
	work: (call: Call) => Promise<T>,
	limitMillis = OPERATION_MILLIS,
): Promise<T> {
	const clock = new OperationClock(limitMillis);
	try {
		const client = call.client.scoped({
			signal: () => clock.signal,
			onAdmission: (waiting) => clock.pause(waiting),
			resource: resourceName(call.urn),
		});
		return await work({ ...call, client });
	} catch (error) {
		if (!(error instanceof AbortedError) || !clock.isOver) throw error;
		throw new Error(
			`Gave up after ${limitMillis / 1000} seconds. ${error.message} Check that the service answers, then run "pulumi up" again.`,
		);
	} finally {
		clock.stop();
	}
}

/** Counts down only while nobody waits for a place in the service's rate limit: that wait is the service's own wish. */
class OperationClock {
	private readonly controller = new AbortController();
	private timer: NodeJS.Timeout | undefined;
	private waiting = 0;
	private startedAt = performance.now();

	constructor(private leftMillis: number) {}

	/** The timer starts with the first request: most operations are answered from lists and need none. */
	get signal(): AbortSignal {
		if (this.timer === undefined && this.waiting === 0) this.start();
		return this.controller.signal;
	}

	get isOver(): boolean {
		return this.controller.signal.aborted;
	}

	pause(waiting: boolean): void {
		this.waiting += waiting ? 1 : -1;
		if (waiting && this.waiting === 1) this.stop();
		if (!waiting && this.waiting === 0) this.start();
	}

	stop(): void {
		if (this.timer === undefined) return;
		clearTimeout(this.timer);
		this.timer = undefined;
		this.leftMillis -= performance.now() - this.startedAt;
	}

	private start(): void {
		this.startedAt = performance.now();
		this.timer = setTimeout(() => this.controller.abort(), Math.max(0, this.leftMillis));
	}
}
