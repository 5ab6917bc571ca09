import { endpoints } from "../schemas/endpoints";
import type { EndpointName } from "../schemas/wire/endpoints";

/** An endpoint, every endpoint, or the log WebSocket. */
export type FaultTarget = EndpointName | "followLogs" | "*";

interface Where {
	/** Which endpoint; `*` (the default) is every REST endpoint. `followLogs` is the log WebSocket. */
	endpoint?: FaultTarget | undefined;
	/** Only requests for this team; without it, for all. */
	team?: string | undefined;
}

interface Often extends Where {
	/** How many requests it hits; without it, all until `clear()`. */
	times?: number | undefined;
	/** How many matching requests pass before the first is hit. */
	skip?: number | undefined;
	/** 0 to 1, drawn from a generator started with `seed`, so that a run can be repeated. */
	probability?: number | undefined;
	seed?: number | undefined;
}

interface Timed extends Often {
	ms: number;
}

interface AfterWork extends Often {
	/** The work is done before the reply says otherwise, as behind a gateway that gave up. */
	afterWork?: boolean | undefined;
}

/**
 * What can go wrong, and how. `delay` and `slow-body` take real time, whatever the server's clock; the times of
 * `late-commit`, `late-effect`, `rate-limit`, `stale-list` and `stale-read` go by the server's clock.
 */
interface Kinds {
	delay: Timed;
	"reset-before": Often;
	"reset-after": Often;
	status: AfterWork & {
		/** 400 to 599. */
		status: number;
		retryAfter?: number | string | undefined;
		message?: string | undefined;
	};
	html: AfterWork & { status?: number | undefined };
	"truncated-json": Often;
	"endless-body": Often;
	/** The connection drops at once; the request is worked on `ms` later. */
	"late-commit": Timed;
	"slow-body": Timed;
	"drop-log-socket": Often & { frames: number };
	"failed-upload": Often & { message?: string | undefined };
	/** A write is answered at once, with the ids it will have; what it did can be seen `ms` later. */
	"late-effect": Timed;
	/** A GET is answered from the state `ms` ago, and no further back than when the rule was added. */
	"stale-read": Timed;
	/** The same for lists only. */
	"stale-list": Timed;
	/** A list shows this many elements at most. */
	"capped-list": Often & { limit: number; which: "oldest" | "newest" };
	/**
	 * The reply says something else than what is. A path such as `schedule.id` is a field of a field, `0.name` one of
	 * the first element, `*.name` one of every element.
	 */
	rewrite: Often & {
		set?: Record<string, unknown> | undefined;
		remove?: string[] | undefined;
		/** Instants get this many digits behind the second, cut or filled up with zeros. */
		fraction?: Record<string, number> | undefined;
	};
	/** Counts the POSTs it lets through, of all endpoints together unless one is named; refuses the others with 429. */
	"rate-limit": Where &
		(
			| { shape: "window"; limit: number; windowMs: number }
			| { shape: "bucket"; limit: number; perSecond: number }
		);
}

export type FaultKind = keyof Kinds;
/** One thing that goes wrong, and where. */
export type FaultRule = { [Kind in FaultKind]: { kind: Kind } & Kinds[Kind] }[FaultKind];
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
