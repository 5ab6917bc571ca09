import { z } from "zod";
import { endpoints } from "../schemas/endpoints";
import type { EndpointName } from "../schemas/wire/endpoints";
import type { Clock } from "./clock";
import type { FaultKind, FaultRule, FaultTarget, Often, RuleOf } from "./fault-rules";
import { faultRuleSchema } from "./fault-schema";
import { invalid } from "./inputs";
import { COLLECTION_NAMES, type State, type TeamState } from "./state";

/** What a rule is asked about. */
export interface FaultRequest {
	readonly target: Exclude<FaultTarget, "*">;
	/** As the request names it, whether there is such a team or not. */
	readonly team?: string | undefined;
}

function matches(rule: FaultRule, { target, team }: FaultRequest): boolean {
	const { endpoint = "*" } = rule;
	if (rule.team !== undefined && rule.team !== team) return false;
	if (!isEndpoint(target)) return endpoint === target;
	if (endpoint !== "*" && endpoint !== target) return false;
	switch (rule.kind) {
		case "stale-list":
		case "capped-list":
		case "reversed-list":
		case "wrapped-list":
			return isList(target);
		case "stale-read":
			return endpoints[target].method === "GET";
		case "late-effect":
		case "rate-limit":
			return endpoints[target].method === "POST";
		default:
			return true;
	}
}

const isEndpoint = (target: FaultTarget): target is EndpointName =>
	Object.hasOwn(endpoints, target);
const isList = (target: FaultTarget): boolean => target.startsWith("list");

/** Makes requests fail on purpose. Off unless the server was started with `faults`. */
export interface FaultSwitch {
	/**
	 * Adds a rule; the result removes it. Of the rules that end a request or damage its reply, the first that matches
	 * applies. Beside it apply the first matching rule of each other kind, and every matching `rewrite`, `misread`, `required` and
	 * `rate-limit`.
	 */
	add(rule: FaultRule): () => void;
	/** Removes all rules; reads show at once what they hid. */
	clear(): void;
}

interface ActiveRule {
	readonly rule: FaultRule;
	remaining: number;
	skip: number;
	/** What reads that lag behind are answered from. */
	readonly past: Past | undefined;
	readonly rate: (() => number | undefined) | undefined;
}

/** The rules in force, and the decision which request one of them hits. */
export class Faults implements FaultSwitch {
	#rules: ActiveRule[] = [];
	/** What reads other than lists are answered from. Undefined until a `late-effect` rule was added. */
	#visibleToReads: Past | undefined;
	/** The same for lists. */
	#visibleToLists: Past | undefined;
	/** How long reads, and lists, do not show the write that is under way. */
	#hiddenMillis = { reads: 0, lists: 0 };

	constructor(
		readonly enabled: boolean,
		private readonly state: State,
		private readonly clock: Clock,
	) {}

	add(rule: unknown): () => void {
		if (!this.enabled)
			throw new Error(
				"Faults are off. Start the server with { faults: true } (--faults).",
			);
		const parsed = faultRuleSchema.safeParse(rule);
		if (!parsed.success)
			throw invalid(`Not a fault rule: ${z.prettifyError(parsed.error)}`);
		const active = this.#activate(parsed.data);
		this.#rules.push(active);
		return () => this.#remove(active);
	}

	clear(): void {
		this.#rules = [];
		this.#visibleToReads = undefined;
		this.#visibleToLists = undefined;
	}

	/** The rule of these kinds that hits this request, if one does; counts it as used. */
	take<Kind extends FaultKind>(
		request: FaultRequest,
		kinds: readonly Kind[],
	): RuleOf<Kind> | undefined {
		const [hit] = this.#hits(request, kinds);
		return hit?.rule as RuleOf<Kind> | undefined;
	}

	/** All such rules, in the order in which they were added. */
	takeAll<Kind extends FaultKind>(
		request: FaultRequest,
		kinds: readonly Kind[],
	): RuleOf<Kind>[] {
		return Array.from(this.#hits(request, kinds), ({ rule }) => rule as RuleOf<Kind>);
	}

	/** The rule for a refusal with this status, if there is one; it counts the refusals it hits, and no other request. */
	takeRefusal(request: FaultRequest, status: number): RuleOf<"refusal"> | undefined {
		const [hit] = this.#hits(
			request,
			["refusal"],
			(rule) => rule.kind === "refusal" && rule.of === status,
		);
		return hit?.rule as RuleOf<"refusal"> | undefined;
	}

	/** The one authorization scheme that this endpoint takes, if a rule says so. Asked before anybody is authenticated. */
	scheme(target: EndpointName): "Bearer" | "token" | undefined {
		return this.take({ target }, ["scheme"])?.only;
	}

	/** How many seconds a request has to wait that is over a rate limit; undefined for one that may pass. */
	secondsToWait(request: FaultRequest): number | undefined {
		for (const { rate } of this.#hits(request, ["rate-limit"])) {
			const seconds = rate?.();
			if (seconds !== undefined) return seconds;
		}
		return undefined;
	}

	/** The team as this request sees it: a write as it is, a read maybe as it was. */
	teamFor(request: FaultRequest, team: TeamState): TeamState {
		const { target } = request;
		if (!isEndpoint(target) || endpoints[target].method === "POST") return team;
		const [stale] = this.#hits(request, ["stale-read", "stale-list"]);
		const snapshots = isList(target) ? this.#visibleToLists : this.#visibleToReads;
		return (stale?.past ?? snapshots)?.view(team) ?? team;
	}

	/** Does the work of a request. What it changes is shown late if a rule says so. */
	work<Reply>(request: FaultRequest, work: () => Reply): Reply {
		const { ms = 0, listsOnly = false } = this.take(request, ["late-effect"]) ?? {};
		this.#hiddenMillis = { reads: listsOnly ? 0 : ms, lists: ms };
		try {
			return work();
		} finally {
			this.#hiddenMillis = { reads: 0, lists: 0 };
		}
	}

	/** Called after every change of a team. */
	recordChange(team: TeamState): void {
		const now = this.clock.now();
		const { reads, lists } = this.#hiddenMillis;
		this.#visibleToReads?.record(team, now + reads);
		this.#visibleToLists?.record(team, now + lists);
		for (const { rule, past } of this.#rules)
			past?.record(team, now + (rule.kind === "stale-list" ? lists : reads));
	}

	#activate(rule: FaultRule): ActiveRule {
		if (rule.kind === "late-effect") {
			this.#visibleToReads ??= this.#newPast(0);
			this.#visibleToLists ??= this.#newPast(0);
		}
		const { times = Number.POSITIVE_INFINITY, skip = 0 }: Partial<Often> = rule;
		const isStale = rule.kind === "stale-read" || rule.kind === "stale-list";
		return {
			rule,
			remaining: times,
			skip,
			past: isStale ? this.#newPast(rule.ms) : undefined,
			rate:
				rule.kind === "rate-limit"
					? limiterOf(rule, () => this.clock.now())
					: undefined,
		};
	}

	#newPast(millis: number): Past {
		const past = new Past(millis, this.clock);
		for (const team of this.state.teams) past.record(team, this.clock.now());
		return past;
	}

	*#hits(
		request: FaultRequest,
		kinds: readonly FaultKind[],
		isWanted: (rule: FaultRule) => boolean = () => true,
	): Generator<ActiveRule> {
		for (const active of this.#rules) {
			const { rule } = active;
			if (!kinds.includes(rule.kind) || !matches(rule, request) || !isWanted(rule))
				continue;
			if (active.skip > 0) {
				active.skip--;
				continue;
			}
			active.remaining--;
			if (active.remaining <= 0) this.#remove(active);
			yield active;
		}
	}

	#remove(active: ActiveRule): void {
		this.#rules = this.#rules.filter((other) => other !== active);
	}
}

/**
 * Counts requests as a service with a rate limit does. The result is asked for each request: undefined for one that
 * may pass, and then it counts; else how many seconds to wait, rounded up.
 */
function limiterOf(
	rule: RuleOf<"rate-limit">,
	now: () => number,
): () => number | undefined {
	/** What is left in the window or in the bucket, and since when that has been so. */
	let left = rule.limit;
	let since = now();
	return () => {
		const passed = now() - since;
		if (rule.shape === "bucket") {
			left = Math.min(rule.limit, left + (passed / 1_000) * rule.perSecond);
			since = now();
		} else if (passed >= rule.windowMs || passed < 0) {
			left = rule.limit;
			// Windows follow each other without a gap, whenever requests come.
			since = now() - (Math.max(0, passed) % rule.windowMs);
		}
		if (left >= 1) {
			left--;
			return undefined;
		}
		const millis =
			rule.shape === "window"
				? since + rule.windowMs - now()
				: ((1 - left) / rule.perSecond) * 1_000;
		return Math.ceil(millis / 1_000);
	};
}

interface Moment {
	/** From when on it can be seen. */
	readonly at: number;
	readonly team: TeamState;
}

/** How teams were, for reads that lag behind by `millis`. Knows nothing of before it was made. */
class Past {
	/** Oldest first. What can be seen from one instant on is one entry, so a clock that stands still keeps it short. */
	readonly #moments = new WeakMap<TeamState, Moment[]>();

	constructor(
		private readonly millis: number,
		private readonly clock: Clock,
	) {}

	/** Called with a team as it is, first when the past begins and then after every change. */
	record(team: TeamState, at: number): void {
		const moments = this.#moments.get(team);
		if (moments === undefined) {
			// The first record answers for all time before it.
			this.#moments.set(team, [{ at: Number.NEGATIVE_INFINITY, team: copyOf(team) }]);
			return;
		}
		// A change that follows a hidden one contains it, so it cannot be seen earlier.
		const seenAt = Math.max(at, moments.at(-1)?.at ?? at);
		if (moments.at(-1)?.at === seenAt) moments.pop();
		moments.push({ at: seenAt, team: copyOf(team) });
	}

	/** The team as it was then. Anything older is forgotten: nobody asks for it again. */
	view(team: TeamState): TeamState {
		const moments = this.#moments.get(team) ?? [];
		const then = this.clock.now() - this.millis;
		while ((moments[1]?.at ?? Number.POSITIVE_INFINITY) <= then) moments.shift();
		return moments[0]?.team ?? team;
	}
}

/** What a record's field holds is replaced, never changed in place, so a shallow copy of each record is enough. */
const copyOf = (team: TeamState): TeamState => ({
	...team,
	...Object.fromEntries(
		COLLECTION_NAMES.map((name) => [name, team[name].map((record) => ({ ...record }))]),
	),
});
