import type { CallOptions } from "../../../../src/api";
import type { Time } from "../../../../src/api/read-back";
import type { Clock } from "../../../../src/server";
import type { Random } from "../../random";

/**
 * Time that moves only when nothing can go on: no request is under way and every operation sleeps. Then it jumps to the
 * next wake-up, wakes that one sleeper, and takes the server's clock along. Each request spends a random time on the
 * way there and back, so that a seed stands for one order of events among all that could happen.
 */
export class VirtualTime implements Time {
	private sleepers: { readonly at: number; wake(): void }[] = [];
	private underWay = 0;

	constructor(private readonly clock: Clock) {}

	now(): number {
		return this.clock.now();
	}

	sleep(millis: number): Promise<void> {
		const at = this.now() + millis;
		return new Promise((wake) => {
			const later = this.sleepers.findIndex((other) => other.at > at);
			this.sleepers.splice(later < 0 ? this.sleepers.length : later, 0, { at, wake });
		});
	}

	/** The same object; each of its calls takes its time and is waited for before time moves. */
	slowed<Calls extends object>(calls: Calls, random: Random): Calls {
		return new Proxy(calls, {
			get: (target, key) => {
				const call: unknown = Reflect.get(target, key);
				if (typeof call !== "function") return call;
				return async (...args: unknown[]) => {
					await this.sleep(latency(random));
					this.underWay += 1;
					try {
						return await call(...args.map((arg) => this.withLooks(arg)));
					} finally {
						this.underWay -= 1;
						await this.sleep(latency(random));
					}
				};
			},
		});
	}

	/** Before a create is sent again the provider looks for what it made, by calls within the call: time moves for those. */
	private withLooks(arg: unknown): unknown {
		const { mayRepeat } = Object(arg) as CallOptions;
		if (mayRepeat === undefined) return arg;
		const looked = async () => {
			this.underWay -= 1;
			try {
				return await mayRepeat();
			} finally {
				this.underWay += 1;
			}
		};
		return { ...Object(arg), mayRepeat: looked };
	}

	/** Lets time pass until the work is done. Two at once move it in turn. */
	async until<T>(work: Promise<T>): Promise<T> {
		let done = false;
		const ended = work.finally(() => {
			done = true;
		});
		ended.catch(() => {});
		for (;;) {
			await this.quiet();
			if (done) return ended;
			const [next, ...rest] = this.sleepers;
			if (next === undefined) throw new Error("Every operation waits for another one, for ever.");
			this.sleepers = rest;
			this.clock.advance(Math.max(0, next.at - this.now()));
			next.wake();
		}
	}

	/** What a reply or a wake-up sets off may need a few turns before it sends or sleeps again. */
	private async quiet(): Promise<void> {
		for (let turns = 0; turns < 2; turns = this.underWay > 0 ? 0 : turns + 1) {
			await new Promise((resolve) => setImmediate(resolve));
		}
	}
}

/** Mostly a few milliseconds, now and then seconds: longer than the provider's shared lists live. */
function latency(random: Random): number {
	const longest = random.chance(0.7) ? 30 : random.chance(0.8) ? 400 : 2_500;
	return 1 + random.next() * longest;
}
