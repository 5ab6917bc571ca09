import type { EndpointName } from "../schemas/wire/endpoints";

/** An endpoint, every endpoint, the log WebSocket, or the server's own OpenAPI document. */
export type FaultTarget = EndpointName | "followLogs" | "openApi" | "*";

interface Where {
	/**
	 * Which endpoint; `*` (the default) is every REST endpoint. `followLogs` is the log WebSocket, which knows `status` only.
	 * `openApi` is the OpenAPI document.
	 */
	endpoint?: FaultTarget | undefined;
	/** Only requests for this team; without it, for all. */
	team?: string | undefined;
}

export interface Often extends Where {
	/** How many requests it hits; without it, all until `clear()`. */
	times?: number | undefined;
	/** How many matching requests pass before the first is hit. */
	skip?: number | undefined;
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
		/** In seconds. */
		retryAfter?: number | undefined;
		message?: string | undefined;
	};
	html: AfterWork & { status?: number | undefined };
	"truncated-json": Often;
	/** The connection drops at once; the request is worked on `ms` later. */
	"late-commit": Timed;
	"slow-body": Timed;
	/** A write is done at once; reads show it, and what follows it, `ms` later. With `listsOnly`, lists do, and other reads show it at once. */
	"late-effect": Timed & { listsOnly?: boolean | undefined };
	/** A GET is answered from the state `ms` ago, and no further back than when the rule was added. */
	"stale-read": Timed;
	/** The same for lists only. */
	"stale-list": Timed;
	/** A list has its elements in the opposite order. */
	"reversed-list": Often;
	/** A list is one field of an object, as where a service has pages. */
	"wrapped-list": Often;
	/** The `Date` header is off by this much; a positive number is ahead. */
	"wrong-date": Often & { ms: number };
	/** A request that the server refuses with one status gets another one, or says why in another field than `message`. */
	refusal: Often & {
		of: number;
		status?: number | undefined;
		field?: string | undefined;
	};
	/** A request is carried out as if it had other fields: without some, or with other values. */
	misread: Often & {
		ignore?: string[] | undefined;
		set?: Record<string, unknown> | undefined;
	};
	/** The variables of a settings request are added to those that are there, or lose the quotes around their values. */
	variables: Often & { reading: "merge" | "unquote" };
	/** A list shows this many elements at most. */
	"capped-list": Often & { limit: number; which: "oldest" | "newest" };
	/** A schedule cannot get a name that another one has: 409. */
	"unique-names": Often;
	/** A new schedule gets the lowest id that no schedule has, also one that a deleted schedule had. */
	"reused-ids": Often;
	/** A request without these fields is refused with 400. */
	required: Often & { fields: string[] };
	/**
	 * The reply says something else than what is. A path such as `schedule.id` is a field of a field, `0.name` one of
	 * the first element, `*.name` one of every element.
	 */
	rewrite: Often & {
		set?: Record<string, unknown> | undefined;
		remove?: string[] | undefined;
		/** Instants get this many digits behind the second, cut or filled up with zeros. */
		fraction?: Record<string, number> | undefined;
		/** Texts are masked but for some characters: `abc***`, `••••lue`, `*****`. */
		mask?: Record<string, "head" | "tail" | "none"> | undefined;
	};
	/** Of the two authorization schemes the server takes this one only. */
	scheme: Where & { only: "Bearer" | "token" };
	/** Counts the POSTs it lets through, of all endpoints together unless one is named; refuses the others with 429. */
	"rate-limit": Where &
		(
			| { shape: "window"; limit: number; windowMs: number }
			| { shape: "bucket"; limit: number; perSecond: number }
		);
}

export type FaultKind = keyof Kinds;
/** One thing that goes wrong, and where. */
export type FaultRule = {
	[Kind in FaultKind]: { kind: Kind } & Kinds[Kind];
}[FaultKind];
/** The rules of some kinds. */
export type RuleOf<Kind extends FaultKind> = Extract<FaultRule, { kind: Kind }>;

/** Kinds that end a request or damage its reply: only the first matching rule of them applies. Other kinds apply as well. */
export const FAILURES = [
	"delay",
	"reset-before",
	"reset-after",
	"status",
	"html",
	"truncated-json",
	"late-commit",
	"slow-body",
] as const satisfies readonly FaultKind[];
export type Failure = RuleOf<(typeof FAILURES)[number]>;
