import type { FaultRule } from "../../../../src/server";
import type { Random } from "../../random";

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

/** While something is to go wrong, one attempt waits this long for a reply; the slow faults below take longer. */
export const ATTEMPT_MILLIS = 1_000;
/** Otherwise as long as in a deployment: a busy machine must not look like a fault. */
export const CALM_ATTEMPT_MILLIS = 20_000;
/** Below the time the provider goes on looking for a lost schedule, which is a little over eight seconds. */
const LATEST_COMMIT_MILLIS = 6_000;

type Make = (random: Random) => readonly FaultRule[];
const one =
	(rule: (random: Random) => FaultRule): Make =>
	(random) => [rule(random)];

/** The faults that a server can play. */
const SERVER_FAULTS: Readonly<Record<string, Make>> = {
	"reset before": one(() => ({ kind: "reset-before" })),
	"reset after": one(() => ({ kind: "reset-after" })),
	"header timeout": one(() => ({ kind: "delay", ms: 2.4 * ATTEMPT_MILLIS })),
	"body timeout": one(() => ({ kind: "slow-body", ms: 2 * ATTEMPT_MILLIS })),
	"408": one((random) => ({ kind: "status", status: 408, afterWork: random.chance(0.5) })),
	"429": one(() => ({ kind: "status", status: 429 })),
	"429 with Retry-After": one(() => ({ kind: "status", status: 429, retryAfter: 1 })),
	"500": one((random) => ({ kind: "status", status: 500, afterWork: random.chance(0.5) })),
	"502 with HTML": one((random) => ({ kind: "html", status: 502, afterWork: random.chance(0.5) })),
	"truncated JSON": one(() => ({ kind: "truncated-json" })),
	"late commit": one((random) => ({ kind: "late-commit", ms: random.integer(100, LATEST_COMMIT_MILLIS) })),
};

const NETWORK_FAULTS: Readonly<Record<string, "closed port" | "unknown host">> = {
	"refused connection": "closed port",
	"DNS failure": "unknown host",
};

export const FAULT_KINDS = [...Object.keys(SERVER_FAULTS), ...Object.keys(NETWORK_FAULTS)];

export function drawFault(
	random: Random,
	write: "createSchedule" | "updateSchedule" | "deleteSchedule",
): PlannedFault {
	const kind = random.pick(FAULT_KINDS) ?? "500";
	const instead = NETWORK_FAULTS[kind];
	const onlyAtWrite = random.chance(0.5);
	if (instead !== undefined) return { kind, rules: [], instead, onlyAtWrite, lateMillis: 0 };
	// Mostly the write itself, where it hurts; else whichever request comes at that turn.
	const place = random.chance(0.75)
		? { endpoint: write, times: random.chance(0.8) ? 1 : 2 }
		: { endpoint: "*" as const, times: 1, skip: random.integer(0, 4) };
	const rules = (SERVER_FAULTS[kind]?.(random) ?? []).map((rule) => ({ ...rule, ...place }));
	const lateMillis = Math.max(0, ...rules.map((rule) => ("ms" in rule ? rule.ms : 0)));
	return { kind, rules, onlyAtWrite, lateMillis };
}

export interface Load {
	readonly lane: number;
	readonly steps: number;
	/** How many schedules the operations go to. */
	readonly slots: number;
	readonly pipelines: readonly string[];
}

/** The operations of one lane: creates, updates, renames, replacements and deletes over a few slots. */
export function drawPlan(random: Random, { lane, steps, slots: count, pipelines }: Load): Step[] {
	const slots: (Declared | undefined)[] = Array.from({ length: count }, () => undefined);
	return Array.from({ length: steps }, (_, index) => {
		const slot = random.integer(0, slots.length - 1);
		const before = slots[slot];
		const declared =
			before === undefined
				? fresh(random, lane, index, pipelines)
				: changed(random, before, index, pipelines);
		slots[slot] = declared;
		const write =
			before === undefined ? "createSchedule" : declared === undefined ? "deleteSchedule" : "updateSchedule";
		const fault = drawFault(random, write);
		return { slot, declared, fault, again: random.chance(0.2) ? drawFault(random, write) : undefined };
	});
}

const cron = (random: Random): string =>
	`${random.integer(0, 59)} ${random.integer(0, 23)} * * ${random.integer(0, 6)}`;
const pipeline = (random: Random, names: readonly string[]): string => random.pick(names) ?? "";

function fresh(random: Random, lane: number, index: number, pipelines: readonly string[]): Declared {
	const base = {
		scheduleName: `lane-${lane}-${index}`,
		pipelineName: pipeline(random, pipelines),
		cronExpression: cron(random),
	};
	return random.chance(0.3) ? { ...base, startAfter: "2031-01-01T00:00:00Z" } : base;
}

function changed(
	random: Random,
	before: Declared,
	index: number,
	pipelines: readonly string[],
): Declared | undefined {
	const draw = random.next();
	if (draw < 0.45) return undefined;
	if (draw < 0.55) return { ...before, scheduleName: `${before.scheduleName}-${index}` };
	if (draw < 0.65) return { ...before, pipelineName: pipeline(random, pipelines) };
	return { ...before, cronExpression: cron(random) };
}
