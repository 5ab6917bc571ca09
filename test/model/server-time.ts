import type { Time } from "../../src/client/read-back";
import type { Clock, RequestLog } from "../../src/server";
import type { Random } from "./random";

/** Turns of the event loop without a request under way after which everybody is taken to be asleep. */
const QUIET_TURNS = 25;

/**
 * The provider's time on the server's clock. It stands still while anybody works, and jumps to the next wake-up once
 * all that is left to do is wait: nobody sleeps for real, and what runs at the same time really does.
 */
export class ServerTime implements Time {
	/** How far the server's clock is ahead of the provider's. */
	aheadMillis = 0;
	private sleepers: { readonly at: number; readonly wake: () => void }[] = [];
	private driving = false;

	constructor(
		private readonly clock: Clock,
		private readonly requests: RequestLog,
	) {}

	now(): number {
		return this.clock.now() - this.aheadMillis;
	}

	sleep(millis: number): Promise<void> {
		return new Promise((wake) => {
			this.sleepers.push({ at: this.now() + millis, wake });
			void this.drive();
		});
	}

	/** The same object, each of whose calls is some time on the way there and back: a seed stands for one order of events. */
	slowed<Calls extends object>(calls: Calls, random: Random): Calls {
		return new Proxy(calls, {
			get: (target, key) => {
				const call: unknown = Reflect.get(target, key);
				if (typeof call !== "function") return call;
				return async (...args: unknown[]) => {
					await this.sleep(latency(random));
					try {
						return await call(...args);
					} finally {
						await this.sleep(latency(random));
					}
				};
			},
		});
	}

	private async drive(): Promise<void> {
		if (this.driving) return;
		this.driving = true;
		while (this.sleepers.length > 0) {
			await this.quiet();
			const next = Math.min(...this.sleepers.map(({ at }) => at));
			this.clock.advance(Math.max(0, next - this.now()));
			const due = this.sleepers.filter(({ at }) => at <= this.now());
			this.sleepers = this.sleepers.filter((sleeper) => !due.includes(sleeper));
			for (const { wake } of due) wake();
		}
		this.driving = false;
	}

	private async quiet(): Promise<void> {
		let seen = this.requests.entries.length;
		for (let turns = 0; turns < QUIET_TURNS; turns += 1) {
			await new Promise((resolve) => setImmediate(resolve));
			const { entries, inFlight } = this.requests;
			if (inFlight === 0 && entries.length === seen) continue;
			seen = entries.length;
			turns = 0;
		}
	}
}

/** Mostly a few milliseconds, now and then seconds: longer than the provider's shared lists live. */
function latency(random: Random): number {
	const longest = random.chance(0.7) ? 30 : random.chance(0.8) ? 400 : 2_500;
	return 1 + random.next() * longest;
}
