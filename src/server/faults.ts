import type { Clock } from "./clock";
import { faultRuleSchema } from "./fault-rule-schema";
import { type FaultKind, type FaultRequest, type FaultRule, matches, type RuleOf } from "./fault-rules";
import { Past } from "./past";
import { rateLimit } from "./rate-limit";
import { repeatableNumbers } from "./repeatable";
import type { State, TeamState } from "./state";

/** Makes requests fail on purpose. Off unless the server was started with `faults`. */
export interface FaultSwitch {
	/**
	 * Adds a rule; the result takes it back. Of the rules that end or spoil a request the first that matches decides.
	 * `stale-read`, `late-effect` and `capped-list` come on top of it (the first of each), `rewrite` and `rate-limit`
	 * too, and there every rule that matches counts.
	 */
	add(rule: FaultRule): () => void;
	clear(): void;
}

interface ActiveRule {
	readonly rule: FaultRule;
	remaining: number;
	skip: number;
	readonly draw: () => number;
	/** What reads that lag behind are answered from. */
	readonly past: Past | undefined;
	readonly rate: (() => number | undefined) | undefined;
}

/** The rules in force, and the decision which request one of them hits. */
export class Faults implements FaultSwitch {
	#rules: ActiveRule[] = [];

	constructor(
		readonly enabled: boolean,
		private readonly state: State,
		private readonly clock: Clock,
	) {}

	add(rule: FaultRule): () => void {
		if (!this.enabled) throw new Error("Faults are off. Start the server with { faults: true } (--faults).");
		const active = this.#activate(faultRuleSchema.parse(rule));
		this.#rules.push(active);
		return () => this.#remove(active);
	}

	clear(): void {
		this.#rules = [];
	}

	/** The rule of these kinds that hits this request, if one does; counts it as used. */
	take<Kind extends FaultKind>(request: FaultRequest, kinds: readonly Kind[]): RuleOf<Kind> | undefined {
		const [hit] = this.#hits(request, kinds);
		return hit?.rule as RuleOf<Kind> | undefined;
	}

	/** All such rules, in the order in which they were added. */
	takeAll<Kind extends FaultKind>(request: FaultRequest, kinds: readonly Kind[]): RuleOf<Kind>[] {
		return Array.from(this.#hits(request, kinds), ({ rule }) => rule as RuleOf<Kind>);
	}

	/** How many seconds a request has to wait that is over a rate limit; undefined for one that may pass. */
	secondsToWait(request: FaultRequest): number | undefined {
		for (const { rate } of this.#hits(request, ["rate-limit"])) {
			const seconds = rate?.();
			if (seconds !== undefined) return seconds;
		}
		return undefined;
	}

	/** The team as this request sees it. */
	view(request: FaultRequest, team: TeamState): TeamState {
		const [hit] = this.#hits(request, ["stale-read", "stale-list"]);
		return hit?.past?.view(team) ?? team;
	}

	/** Called after every change of a team. */
	changed(team: TeamState): void {
		for (const { rule, past } of this.#rules) if ((rule.team ?? team.name) === team.name) past?.record(team);
	}

	#activate(rule: FaultRule): ActiveRule {
		const now = (): number => this.clock.now();
		const stale = rule.kind === "stale-read" || rule.kind === "stale-list";
		const past = stale ? new Past(rule.ms, now) : undefined;
		for (const team of this.state.teams) if ((rule.team ?? team.name) === team.name) past?.record(team);
		const often: Pick<RuleOf<"delay">, "times" | "skip" | "seed"> = rule.kind === "rate-limit" ? {} : rule;
		return {
			rule,
			remaining: often.times ?? Number.POSITIVE_INFINITY,
			skip: often.skip ?? 0,
			draw: repeatableNumbers(often.seed ?? 1),
			past,
			rate: rule.kind === "rate-limit" ? rateLimit(rule, now) : undefined,
		};
	}

	*#hits(request: FaultRequest, kinds: readonly FaultKind[]): Generator<ActiveRule> {
		for (const active of this.#rules) {
			const { rule } = active;
			if (!kinds.includes(rule.kind) || !matches(rule, request)) continue;
			if (active.skip > 0) {
				active.skip--;
				continue;
			}
			if ("probability" in rule && rule.probability !== undefined && active.draw() >= rule.probability)
				continue;
			active.remaining--;
			if (active.remaining <= 0) this.#remove(active);
			yield active;
		}
	}

	#remove(active: ActiveRule): void {
		this.#rules = this.#rules.filter((other) => other !== active);
	}
}
