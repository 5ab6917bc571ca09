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

/** Something that goes wrong during one `pulumi up`. */
export interface PlannedFault {
	readonly kind: string;
	/** What the server does; empty where it is not even reached. */
	readonly rules: readonly FaultRule[];
	/** Another base URL: nothing listens there, or no such host exists. */
	readonly instead?: "closed port" | "unknown host";
	/** The connection is fine while the program is checked, and fails at the write. */
	readonly onlyAtWrite: boolean;
	/** How long after its reply was lost the server may still do the work. */
	readonly lateMillis: number;
}

/** One operation: the slot's schedule becomes `declared`, or goes away. */
export interface Step {
	readonly slot: number;
	readonly declared: Declared | undefined;
	readonly fault: PlannedFault;
	/** Now and then the second try fails as well. */
	readonly again: PlannedFault | undefined;
}

/**
 * While something is to go wrong, one attempt waits this long for a reply; the slow faults take longer. A quick run
 * has an eighth of the patience with lost replies, and late work comes that much sooner.
 */
export const TIMES = {
	quick: { attemptMillis: 1_000, latestMillis: 1_200, patience: PATIENCE.map((millis) => millis / 8) },
	full: { attemptMillis: 1_000, latestMillis: 12_000, patience: PATIENCE },
};

/** The faults that a server can play; each draws what is open in it. */
const faultsOf = (random: Random, scale: Scale): Readonly<Record<string, FaultRule>> => {
	const { attemptMillis, latestMillis } = TIMES[scale];
	const afterWork = random.chance(0.5);
	return {
		"reset before": { kind: "reset-before" },
		"reset after": { kind: "reset-after" },
		"header timeout": { kind: "delay", ms: 2.4 * attemptMillis },
		"body timeout": { kind: "slow-body", ms: 2 * attemptMillis },
		"408": { kind: "status", status: 408, afterWork },
		"429": { kind: "status", status: 429 },
		"429 with Retry-After": { kind: "status", status: 429, retryAfter: 1 },
		"500": { kind: "status", status: 500, afterWork },
		"502 with HTML": { kind: "html", status: 502, afterWork },
		"truncated JSON": { kind: "truncated-json" },
		"late commit": { kind: "late-commit", ms: random.integer(100, latestMillis) },
	};
};

export const FAULT_KINDS = 13;

function drawFault(random: Random, write: FaultRule["endpoint"], scale: Scale): PlannedFault {
	const rules = Object.entries(faultsOf(random, scale));
	const [kind, rule] = random.pick([...rules, ["refused connection"], ["DNS failure"]] as const);
	const onlyAtWrite = random.chance(0.5);
	if (rule === undefined) {
		const instead = kind === "DNS failure" ? "unknown host" : "closed port";
		return { kind, rules: [], instead, onlyAtWrite, lateMillis: 0 };
	}
	// Mostly the write itself, where it hurts; else whichever request comes at that turn.
	const place = random.chance(0.75)
		? { endpoint: write, times: random.chance(0.8) ? 1 : 2 }
		: { endpoint: "*" as const, times: 1, skip: random.integer(0, 4) };
	return {
		kind,
		rules: [{ ...rule, ...place } as FaultRule],
		onlyAtWrite,
		lateMillis: "ms" in rule ? rule.ms : 0,
	};
}

/** What every lane's team has. */
export const PIPELINES = ["p1", "p2", "p3"];

/** The operations of one lane: creates, updates, renames, replacements and deletes over a few slots. */
export function drawPlan(random: Random, lane: number, steps: number, slots: number, scale: Scale): Step[] {
	const now = new Map<number, Declared>();
	return Array.from({ length: steps }, (_, index) => {
		const slot = random.integer(0, slots - 1);
		const before = now.get(slot);
		const declared = before ? changed(random, before, index) : fresh(random, `lane-${lane}-${index}`);
		if (declared === undefined) now.delete(slot);
		else now.set(slot, declared);
		const write = !before ? "createSchedule" : declared ? "updateSchedule" : "deleteSchedule";
		const fault = drawFault(random, write, scale);
		return { slot, declared, fault, again: random.chance(0.2) ? drawFault(random, write, scale) : undefined };
	});
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
	if (draw < 0.65) return { ...before, pipelineName: random.pick(PIPELINES) };
	return { ...before, cronExpression: cron(random) };
}
