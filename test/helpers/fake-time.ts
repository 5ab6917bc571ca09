import type { Time } from "../../src/api/admission";

/** Time that passes only when `run` lets it, from one timer to the next. */
export class FakeTime implements Time {
	private moment = 0;
	private timers: { at: number; run: () => void }[] = [];

	now(): number {
		return this.moment;
	}

	after(millis: number, run: () => void): () => void {
		const timer = { at: this.moment + millis, run };
		this.timers.push(timer);
		return () => {
			this.timers = this.timers.filter((other) => other !== timer);
		};
	}

	wait(millis: number): Promise<void> {
		return new Promise((resolve) => void this.after(millis, resolve));
	}

	/** Lets time pass until the work is done. */
	async run<T>(work: Promise<T>): Promise<T> {
		let done = false;
		const watched = work.finally(() => {
			done = true;
		});
		watched.catch(() => {});
		for (;;) {
			// What the last timer set off may need several turns to come to rest.
			for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
			if (done) return watched;
			const next = this.timers.reduce((first, timer) => (timer.at < first.at ? timer : first), {
				at: Number.POSITIVE_INFINITY,
				run: () => {
					throw new Error("Nothing is left to wait for, and the work is not done.");
				},
			});
			this.timers = this.timers.filter((timer) => timer !== next);
			this.moment = Math.max(this.moment, Math.min(next.at, Number.MAX_SAFE_INTEGER));
			next.run();
		}
	}
}
