import { PATIENCE } from "../../../../src/provider/time";
import type { FaultRule } from "../../../../src/server";
import type { Random } from "../../random";
import type { Scale } from "../../row";

/** One schedule as a program declares it. */
export interface Declared {
	readonly scheduleName: string;
	readonly pipelineName: string;
	readonly cronExpression: string;
	readonly startAfter?: string;
}

/** Something that goes wrong during one `pulumi up`: in the server, or because it is not even reached. */
export interface Fault {
	readonly kind: string;
	readonly rule?: FaultRule;
	/** Where nothing listens, or no such host exists; from the beginning, or only when something is written. */
	readonly instead?: { readonly url: string; readonly onlyAtWrite: boolean };
}

/** One operation: the slot's schedule becomes `declared`, or goes away. Now and then the second try fails as well. */
export interface Step {
	readonly slot: number;
	readonly declared: Declared | undefined;
	readonly faults: readonly Fault[];
}

/**
 * While something is to go wrong, one attempt waits this long for a reply; the slow faults take longer. A quick run
 * has an eighth of the patience with lost replies, and late work comes that much sooner.
 */
export const ATTEMPT_MILLIS = 1_000;
export const PATIENCES = { quick: PATIENCE.map((millis) => millis / 8), full: PATIENCE };
const LATEST_MILLIS = { quick: 1_200, full: 12_000 };

/** What every lane's team has. */
export const PIPELINES = ["p1", "p2", "p3"];
export const FAULT_KINDS = 13;

function drawFault(random: Random, endpoint: FaultRule["endpoint"], scale: Scale, nowhere: string): Fault {
	const afterWork = random.chance(0.5);
	const onlyAtWrite = random.chance(0.5);
	const kinds: Readonly<Record<string, FaultRule | string>> = {
		"reset before": { kind: "reset-before" },
		"reset after": { kind: "reset-after" },
		"header timeout": { kind: "delay", ms: 2.4 * ATTEMPT_MILLIS },
		"body timeout": { kind: "slow-body", ms: 2 * ATTEMPT_MILLIS },
		"408": { kind: "status", status: 408, afterWork },
		"429": { kind: "status", status: 429 },
		"429 with Retry-After": { kind: "status", status: 429, retryAfter: 1 },
		"500": { kind: "status", status: 500, afterWork },
		"502 with HTML": { kind: "html", status: 502, afterWork },
		"truncated JSON": { kind: "truncated-json" },
		"late commit": { kind: "late-commit", ms: random.integer(100, LATEST_MILLIS[scale]) },
		"refused connection": nowhere,
		// No label of a host name may be that long, so the resolver refuses it without asking anybody.
		"DNS failure": `https://${"x".repeat(70)}.invalid`,
	};
	const [kind, what] = random.pick(Object.entries(kinds));
	if (typeof what === "string") return { kind, instead: { url: what, onlyAtWrite } };
	// Mostly the write itself, where it hurts; else whichever request comes at that turn.
	const place = random.chance(0.75)
		? { endpoint, times: random.chance(0.8) ? 1 : 2 }
		: { endpoint: "*" as const, times: 1, skip: random.integer(0, 4) };
	return { kind, rule: { ...what, ...place } as FaultRule };
}

/** The operations of one lane: creates, updates, renames, replacements and deletes over a few slots. */
export function drawPlan(
	random: Random,
	lane: { readonly name: string; readonly steps: number; readonly slots: number },
	scale: Scale,
	nowhere: string,
): Step[] {
	const now = new Map<number, Declared | undefined>();
	return Array.from({ length: lane.steps }, (_, index) => {
		const slot = random.integer(0, lane.slots - 1);
		const before = now.get(slot);
		const declared = before ? changed(random, before, index) : fresh(random, `${lane.name}-${index}`);
		now.set(slot, declared);
		const write = random.pick(writesOf(before, declared));
		const count = random.chance(0.2) ? 2 : 1;
		const faults = Array.from({ length: count }, () => drawFault(random, write, scale, nowhere));
		return { slot, declared, faults };
	});
}

/** The requests that may carry the change out; another pipeline is a replacement, which deletes and creates. */
function writesOf(before: Declared | undefined, declared: Declared | undefined): FaultRule["endpoint"][] {
	if (before === undefined) return ["createSchedule"];
	if (declared === undefined) return ["deleteSchedule"];
	return before.pipelineName === declared.pipelineName
		? ["updateSchedule"]
		: ["deleteSchedule", "createSchedule"];
}

const cron = (random: Random): string =>
	`${random.integer(0, 59)} ${random.integer(0, 23)} * * ${random.integer(0, 6)}`;

const fresh = (random: Random, scheduleName: string): Declared => ({
	scheduleName,
	pipelineName: random.pick(PIPELINES),
	cronExpression: cron(random),
	...(random.chance(0.3) && { startAfter: "2131-01-01T00:00:00Z" }),
});

function changed(random: Random, before: Declared, index: number): Declared | undefined {
	const draw = random.next();
	if (draw < 0.45) return undefined;
	if (draw < 0.55) return { ...before, scheduleName: `${before.scheduleName}-${index}` };
	const others = PIPELINES.filter((name) => name !== before.pipelineName);
	if (draw < 0.65) return { ...before, pipelineName: random.pick(others) };
	return { ...before, cronExpression: cron(random) };
}
