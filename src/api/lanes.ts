import { endpoints } from "../schemas/endpoints";
import { Admission, type Denial, type Pass } from "./admission";
import type { Call } from "./call";
import type { Scopes } from "./call-scope";
import { ApiError, NetworkError, RateLimitedError, TimeoutError } from "./errors";
import type { CallFacts } from "./errors/api-error";
import { stopError } from "./fault-error";
import type { Limits } from "./options";

/** The two queues of a client: a limit on writes must not keep reads waiting. */
export class Lanes {
	private readonly reads: Admission;
	private readonly writes: Admission;

	constructor(private readonly limits: Limits) {
		// Reads are bounded by the pool of connections, until the service refuses one.
		this.reads = new Admission(Number.POSITIVE_INFINITY, limits.random);
		this.writes = new Admission(limits.maxConcurrentWrites, limits.random);
	}

	/** Sends when it is the request's turn, and learns from the answer. Waiting does not count against the deadline. */
	async admitted<T>(call: Call, facts: CallFacts, scopes: Scopes, send: () => Promise<T>): Promise<T> {
		const lane = this.of(call);
		const pass = call.clock.stopped ? "stopped" : (lane.enter() ?? (await this.wait(call, facts, scopes)));
		if (typeof pass === "string") throw this.denied(pass, call, unsent(facts));
		try {
			if (call.clock.stopped) throw stopError(unsent(facts), call.clock, false);
			const reply = await send();
			pass.passed();
			return reply;
		} catch (error) {
			if (error instanceof RateLimitedError) this.refused(call, pass, error);
			else if (error instanceof ApiError && error.status !== undefined) pass.passed();
			throw error;
		} finally {
			pass.leave();
		}
	}

	/** How long the next attempt of a call that was sent away will wait; undefined where that is longer than it may. */
	delayFor(call: Call): number | undefined {
		const delay = this.of(call).opensInMillis;
		return delay <= this.patienceOf(call) ? delay : undefined;
	}

	close(): void {
		this.reads.close();
		this.writes.close();
	}

	private of({ operation }: Call): Admission {
		return endpoints[operation].access === "write" ? this.writes : this.reads;
	}

	private patienceOf({ clock }: Call): number {
		return this.limits.maxWaitMillis - clock.pausedMillis;
	}

	private async wait(call: Call, facts: CallFacts, scopes: Scopes): Promise<Pass | Denial> {
		const { clock } = call;
		const patienceMillis = this.patienceOf(call);
		clock.pause();
		scopes.waiting(true);
		try {
			return await this.of(call).wait({ signal: clock.signal, patienceMillis, again: facts.attempts > 1 });
		} finally {
			clock.resume();
			scopes.waiting(false);
		}
	}

	private refused(call: Call, pass: Pass, { retryAfterMillis }: RateLimitedError): void {
		pass.refused(retryAfterMillis);
		// Who refuses reads most likely refuses writes too, and those do harm when they are sent in vain.
		if (retryAfterMillis !== undefined && this.of(call) === this.reads) this.writes.hold(retryAfterMillis);
	}

	private denied(denial: Denial, call: Call, facts: CallFacts): ApiError {
		switch (denial) {
			case "stopped":
				return stopError(facts, call.clock, false);
			case "closed":
				return new NetworkError(facts, "UND_ERR_CLOSED", false);
			case "announced":
				return new RateLimitedError(facts, undefined, undefined, this.of(call).opensInMillis);
			case "impatient":
				return new TimeoutError(facts, "admission", false, this.limits.maxWaitMillis);
		}
	}
}

/** The attempt was counted before it was made. */
const unsent = (facts: CallFacts): CallFacts => ({ ...facts, attempts: facts.attempts - 1 });
