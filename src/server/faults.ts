import { z } from "zod";
import { type EndpointName, endpoints } from "../schemas/endpoints";
import { repeatableNumbers } from "./repeatable";

/** An endpoint, every endpoint, or the log WebSocket. */
export type FaultTarget = EndpointName | "followLogs" | "*";
const targets: readonly FaultTarget[] = [...(Object.keys(endpoints) as EndpointName[]), "followLogs", "*"];

const ms = z.number().min(0).max(3_600_000);
const status = z.int().min(400).max(599);
/** The work is done before the reply says otherwise, as behind a gateway that gave up. */
const afterWork = z.boolean().optional();
const common = {
	/** Which endpoint; `*` (the default) is every REST endpoint. `followLogs` is the log WebSocket. */
	endpoint: z.enum(targets).optional(),
	/** How many requests it hits; without it, all until `clear()`. */
	times: z.int().min(1).optional(),
	/** How many matching requests pass before the first is hit. */
	skip: z.int().min(0).optional(),
	/** 0 to 1, drawn from a generator started with `seed`, so that a run can be repeated. */
	probability: z.number().min(0).max(1).optional(),
	seed: z.int().optional(),
};

/** What can go wrong, and how. Times are real time, whatever the server's clock. */
export const faultRuleSchema = z.discriminatedUnion("kind", [
	z.strictObject({ ...common, kind: z.literal("delay"), ms }),
	z.strictObject({ ...common, kind: z.literal("reset-before") }),
	z.strictObject({ ...common, kind: z.literal("reset-after") }),
	z.strictObject({
		...common,
		kind: z.literal("status"),
		status,
		retryAfter: z.union([z.number(), z.string().regex(/^[\x20-\x7e]+$/)]).optional(),
		message: z.string().optional(),
		afterWork,
	}),
	z.strictObject({
		...common,
		kind: z.literal("html"),
		status: z.int().min(200).max(599).optional(),
		afterWork,
	}),
	z.strictObject({ ...common, kind: z.literal("truncated-json") }),
	z.strictObject({ ...common, kind: z.literal("endless-body") }),
	z.strictObject({ ...common, kind: z.literal("late-commit"), ms }),
	z.strictObject({ ...common, kind: z.literal("slow-body"), ms }),
	z.strictObject({ ...common, kind: z.literal("drop-log-socket"), frames: z.int().min(0) }),
	z.strictObject({ ...common, kind: z.literal("stale-list"), ms }),
	z.strictObject({ ...common, kind: z.literal("failed-upload"), message: z.string().optional() }),
]);

/** One thing that goes wrong, and where. */
export type FaultRule = z.infer<typeof faultRuleSchema>;
export type FaultKind = FaultRule["kind"];

/** Makes requests fail on purpose. Off unless the server was started with `faults`. */
export interface FaultSwitch {
	/** Adds a rule; the first rule that matches a request decides. The result takes the rule back. */
	add(rule: FaultRule): () => void;
	clear(): void;
}

interface ActiveRule {
	readonly rule: FaultRule;
	remaining: number;
	skip: number;
	readonly draw: () => number;
}

/** The rules in force, and the decision which request one of them hits. */
export class Faults implements FaultSwitch {
	#rules: ActiveRule[] = [];

	constructor(
		readonly enabled: boolean,
		/** Called when the first stale-list rule comes into force, so that there is a past to answer from. */
		private readonly onStaleRule: () => void,
	) {}

	add(rule: FaultRule): () => void {
		if (!this.enabled) throw new Error("Faults are off. Start the server with { faults: true } (--faults).");
		const parsed = faultRuleSchema.parse(rule);
		const active: ActiveRule = {
			rule,
			remaining: parsed.times ?? Number.POSITIVE_INFINITY,
			skip: parsed.skip ?? 0,
			draw: repeatableNumbers(parsed.seed ?? 1),
		};
		if (parsed.kind === "stale-list") this.onStaleRule();
		this.#rules.push(active);
		return () => {
			this.#rules = this.#rules.filter((other) => other !== active);
		};
	}

	clear(): void {
		this.#rules = [];
	}

	/** True while some list may have to answer from the past. */
	get needsPast(): boolean {
		return this.#rules.some(({ rule }) => rule.kind === "stale-list");
	}

	/** The rule that hits this request, if one does; counts it as used. */
	take(target: FaultTarget, kinds?: readonly FaultKind[]): FaultRule | undefined {
		for (const active of this.#rules) {
			if (!matches(active.rule, target) || (kinds && !kinds.includes(active.rule.kind))) continue;
			if (active.skip > 0) {
				active.skip--;
				continue;
			}
			if (active.rule.probability !== undefined && active.draw() >= active.rule.probability) continue;
			active.remaining--;
			if (active.remaining <= 0) this.#rules = this.#rules.filter((other) => other !== active);
			return active.rule;
		}
		return undefined;
	}
}

function matches(rule: FaultRule, target: FaultTarget): boolean {
	if (rule.kind === "drop-log-socket") return target === "followLogs";
	if (rule.kind === "failed-upload") return target === "uploadFile";
	if (rule.kind === "stale-list" && !target.startsWith("list")) return false;
	const wanted = rule.endpoint ?? "*";
	return wanted === target || (wanted === "*" && target !== "followLogs");
}
