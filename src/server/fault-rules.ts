import { z } from "zod";
import { type EndpointName, endpoints } from "../schemas/endpoints";

/** An endpoint, every endpoint, or the log WebSocket. */
export type FaultTarget = EndpointName | "followLogs" | "*";
const targets: readonly FaultTarget[] = [...(Object.keys(endpoints) as EndpointName[]), "followLogs", "*"];

const ms = z.number().min(0).max(3_600_000);
const status = z.int().min(400).max(599);
/** The work is done before the reply says otherwise, as behind a gateway that gave up. */
const afterWork = z.boolean().optional();
const where = {
	/** Which endpoint; `*` (the default) is every REST endpoint. `followLogs` is the log WebSocket. */
	endpoint: z.enum(targets).optional(),
	/** Only requests for this team; without it, for all. */
	team: z.string().optional(),
};
const common = {
	...where,
	/** How many requests it hits; without it, all until `clear()`. */
	times: z.int().min(1).optional(),
	/** How many matching requests pass before the first is hit. */
	skip: z.int().min(0).optional(),
	/** 0 to 1, drawn from a generator started with `seed`, so that a run can be repeated. */
	probability: z.number().min(0).max(1).optional(),
	seed: z.int().optional(),
};
/** `schedule.id` is a field of a field, `0.name` a field of the first element, `*.name` one of every element. */
const path = z.string().min(1);
const limit = z.int().min(1);

/**
 * What can go wrong, and how. `delay` and `slow-body` take real time, whatever the server's clock; the times of
 * `late-commit`, `late-effect`, `rate-limit`, `stale-list` and `stale-read` go by the server's clock.
 */
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
	/** The connection drops at once; the request is worked on `ms` later. */
	z.strictObject({ ...common, kind: z.literal("late-commit"), ms }),
	z.strictObject({ ...common, kind: z.literal("slow-body"), ms }),
	z.strictObject({ ...common, kind: z.literal("drop-log-socket"), frames: z.int().min(0) }),
	z.strictObject({ ...common, kind: z.literal("failed-upload"), message: z.string().optional() }),
	/** A write is answered at once, with the ids it will have; what it did can be seen `ms` later. */
	z.strictObject({ ...common, kind: z.literal("late-effect"), ms }),
	/** A GET is answered from the state `ms` ago, and no further back than when the rule was added. */
	z.strictObject({ ...common, kind: z.literal("stale-read"), ms }),
	/** The same for lists only. */
	z.strictObject({ ...common, kind: z.literal("stale-list"), ms }),
	/** A list shows this many elements at most. */
	z.strictObject({
		...common,
		kind: z.literal("capped-list"),
		limit: z.int().min(0),
		which: z.enum(["oldest", "newest"]),
	}),
	/** The reply says something else than what is. */
	z.strictObject({
		...common,
		kind: z.literal("rewrite"),
		set: z.record(path, z.unknown()).optional(),
		remove: z.array(path).optional(),
		/** Instants get this many digits behind the second, cut or filled up with zeros. */
		fraction: z.record(path, z.int().min(0).max(9)).optional(),
	}),
	/** Counts the POSTs it lets through, of all endpoints together unless one is named; refuses the others with 429. */
	z.discriminatedUnion("shape", [
		z.strictObject({
			...where,
			kind: z.literal("rate-limit"),
			shape: z.literal("window"),
			limit,
			windowMs: z.int().min(1).max(3_600_000),
		}),
		z.strictObject({
			...where,
			kind: z.literal("rate-limit"),
			shape: z.literal("bucket"),
			limit,
			perSecond: z.number().positive(),
		}),
	]),
]);

/** One thing that goes wrong, and where. */
export type FaultRule = z.infer<typeof faultRuleSchema>;
export type FaultKind = FaultRule["kind"];
/** The rules of some kinds. */
export type RuleOf<Kind extends FaultKind> = Extract<FaultRule, { kind: Kind }>;

/** Kinds that end or spoil a request: the first rule of any of them decides. The others come on top of it. */
export const FAILURES = [
	"delay",
	"reset-before",
	"reset-after",
	"status",
	"html",
	"truncated-json",
	"endless-body",
	"late-commit",
	"slow-body",
	"failed-upload",
] as const satisfies readonly FaultKind[];
export type Failure = RuleOf<(typeof FAILURES)[number]>;

/** What a rule is asked about. */
export interface FaultRequest {
	readonly target: Exclude<FaultTarget, "*">;
	/** As the request names it, whether there is such a team or not. */
	readonly team: string | undefined;
}

export function matches(rule: FaultRule, { target, team }: FaultRequest): boolean {
	if (rule.team !== undefined && rule.team !== team) return false;
	const wanted = rule.endpoint ?? "*";
	if (rule.kind === "drop-log-socket") return target === "followLogs";
	if (rule.kind === "failed-upload") return target === "uploadFile";
	if (wanted !== target && (wanted !== "*" || target === "followLogs")) return false;
	const method = target === "followLogs" ? undefined : endpoints[target].method;
	switch (rule.kind) {
		case "stale-list":
		case "capped-list":
			return target.startsWith("list");
		case "stale-read":
			return method === "GET";
		case "late-effect":
		case "rate-limit":
			return method === "POST";
		default:
			return true;
	}
}
