import { createHash } from "node:crypto";
import type { Time } from "../api/read-back";
import type { Kind } from "../schemas/kinds";
import type { Props } from "./handler";
import type { RunClaims } from "./run-claims";

/** How long to wait for a foreign object: another resource's diff may be under way, and release it. */
export const NEWS_MILLIS = 4_000;

/** How long to wait for an object that this run releases. */
export const RELEASE_MILLIS = 5_000;

/** An object on the service: a schedule by its id, settings by their pipeline. */
export interface ObjectRef {
	readonly kind: Kind;
	readonly team: string;
	readonly id: string;
}

/** What one resource of a program can have: a schedule's name, a pipeline's settings. */
export interface Slot {
	readonly kind: Kind;
	readonly team: string;
	readonly name: string;
	/** The name in the form in which two names are compared. */
	readonly folded: string;
}

/** What this run knows of an object. Resources are named by their URN; `elsewhere` is in another process of the run. */
export type Claim =
	/** Nothing in this run has named it so far: it is foreign, or belongs to a resource whose turn comes later. */
	| { readonly is: "foreign" }
	/** The refresh of this run read it from this stack's state; its resource has not had its turn. */
	| { readonly is: "ours" }
	| {
			readonly is: "held";
			readonly by: string;
			/** `"run"` if this run created or adopted it; otherwise it was in the state, and the diff keeps it. */
			readonly since: "state" | "run";
			readonly written: "not yet" | "done" | "failed";
			/** The slot that its holder declares; undefined while that is not known. */
			readonly slot?: string | undefined;
			readonly elsewhere?: true;
	  }
	/** Its own replacement, or its removal, deletes it. Until the delete has `started`, the engine may still refuse it. */
	| { readonly is: "releasing"; readonly by: string; readonly started: boolean; readonly elsewhere?: true }
	| { readonly is: "released" }
	/** Its delete failed. */
	| { readonly is: "stuck" };

const FOREIGN: Claim = { is: "foreign" };

/** A resource asks for a slot: to create an object there, to rename its own one, or for a replacement before its own one is deleted. */
export interface Ask {
	readonly urn: string;
	readonly slot: Slot;
	readonly to: "make" | "rename" | "replace";
	/** Its own object, which is not in its way. */
	readonly own?: string | undefined;
	/** `adopt: true`. */
	readonly adopts: boolean;
	/** The run's consent to adopt equal objects. */
	readonly adoptsEqual: boolean;
	/** The object is there before and after every claim, as a pipeline's settings are. */
	readonly persists: boolean;
	readonly inputs: Props;
}

/** An object in the slot, as the kind found it. */
export interface Row<Live> {
	readonly id: string;
	readonly live: Live;
	/** It has no values of other users, so adopting it needs no consent. */
	readonly empty: boolean;
	readonly equal: boolean;
	/** False if no request could make it what is declared; undefined if that cannot be read. */
	readonly fits: boolean | undefined;
}

export interface Occupant<Live = unknown> extends Row<Live> {
	readonly claim: Claim;
	/** Fetched a moment ago, and nobody has claimed it since; otherwise from a list that may be some seconds old. */
	readonly sure: boolean;
	/** Its holder moves to another slot. */
	readonly moves: boolean;
	/** Its holder waits for the asker, directly or through others. */
	readonly circle: boolean;
	/** Why its holder cannot release the slot: null for nothing, undefined before a look. */
	readonly blocked: Blocked<Live> | null | undefined;
}

/** Why a resource will not release its object: the refusal of its own ask. */
export interface Blocked<Live = unknown> {
	readonly ask: Ask;
	readonly because: Refusal<Live>;
}

export type Refusal<Live = unknown> =
	| { readonly why: "foreign"; readonly of: Occupant<Live> }
	| { readonly why: "several"; readonly all: readonly Occupant<Live>[]; readonly of: Occupant<Live> }
	| { readonly why: "unfit"; readonly of: Occupant<Live> }
	| { readonly why: "held"; readonly of: Occupant<Live>; readonly by: string }
	/** It should have been deleted or renamed first. `failed` if that was tried; otherwise it did not begin in time. */
	| {
			readonly why: "stuck";
			readonly of: Occupant<Live>;
			readonly should: "deleted" | "renamed";
			readonly failed: boolean;
			readonly blocked?: Blocked<Live>;
	  };

export type Verdict<Live = unknown> =
	| { readonly do: "make" }
	| { readonly do: "adopt"; readonly of: Occupant<Live> }
	| { readonly do: "wait" }
	/** The verdict needs something that must be fetched first. */
	| { readonly do: "look" }
	| { readonly do: "refuse"; readonly because: Refusal<Live> };

const MAKE = { do: "make" } as const;
const WAIT = { do: "wait" } as const;
const LOOK = { do: "look" } as const;
const refuse = <Live>(because: Refusal<Live>): Verdict<Live> => ({ do: "refuse", because });

/** Whether a resource may have its slot: the rules R1 to R4 of who owns what, for create, rename, replacement and preview. */
export function decide<Live>(ask: Ask, occupants: readonly Occupant<Live>[], waited: number): Verdict<Live> {
	const verdicts = occupants.map((occupant) => ({ occupant, is: standing(ask, occupant, waited) }));
	for (const { is } of verdicts) if (typeof is === "object") return refuse(is);
	const open = verdicts.filter(({ is }) => is === "open").map(({ occupant }) => occupant);
	const first = open.length > 0 ? takeOrRefuse(ask, open, waited) : MAKE;
	// A delete waits for no other resource; it is only refused.
	if (first !== MAKE || ask.to === "replace") return first;
	if (verdicts.some(({ is }) => is === "wait")) return WAIT;
	return verdicts.some(({ is }) => is === "look") ? LOOK : MAKE;
}

/** One object in the slot: out of the way, in the way for a while, open to be adopted, or a reason to refuse. */
function standing<Live>(
	ask: Ask,
	occupant: Occupant<Live>,
	waited: number,
): Refusal<Live> | "clear" | "wait" | "look" | "open" {
	const { claim } = occupant;
	const clear = ask.persists ? "open" : "clear";
	switch (claim.is) {
		case "foreign": // R1
			return "open";
		case "ours": // R4: its own resource may still have its turn, and release it.
			if (!ask.persists && ask.adopts && ask.to !== "rename") return "open";
			return waited < NEWS_MILLIS ? "wait" : clear;
		case "released":
			return clear;
		case "stuck": // R2, R4
			return { why: "stuck", of: occupant, should: "deleted", failed: true };
		case "held":
			if (claim.by === ask.urn) return "clear";
			if (occupant.moves && claim.written === "done") return "clear";
			if (claim.written === "failed") return { why: "stuck", of: occupant, should: "renamed", failed: true };
			if (!occupant.moves) return { why: "held", of: occupant, by: claim.by }; // R2, R3
			return going(ask, occupant, waited, claim.elsewhere ? "never" : "renamed");
		case "releasing":
			if (claim.by === ask.urn) return clear;
			// A delete that is under way ends by itself, and it waits for nobody.
			if (claim.started) return "wait";
			return going(ask, occupant, waited, ask.persists ? "taken as it is" : "never");
	}
}

/**
 * R4: the asker waits for a slot that this run releases. A holder that is renamed may be passed after a while, or in a
 * circle: the name exists twice until its turn. A holder that is deleted may not, because the engine may never send that
 * delete; nor may one in another process, because this process cannot know what blocks it. Settings are taken as they are.
 */
function going<Live>(
	ask: Ask,
	occupant: Occupant<Live>,
	waited: number,
	passed: "renamed" | "taken as it is" | "never",
): Refusal<Live> | "clear" | "wait" | "look" | "open" {
	const clear = ask.persists ? "open" : "clear";
	if (ask.to === "replace") return clear;
	const should = occupant.claim.is === "held" ? "renamed" : "deleted";
	if (passed === "never")
		return waited < RELEASE_MILLIS ? "wait" : { why: "stuck", of: occupant, should, failed: false };
	if (waited < RELEASE_MILLIS && !occupant.circle) return "wait";
	const { blocked } = occupant;
	if (blocked === undefined) return "look";
	if (blocked === null) return clear;
	// Its holder will be refused, so going ahead would leave two objects in the slot.
	return waited < NEWS_MILLIS ? "wait" : { why: "stuck", of: occupant, should, failed: false, blocked };
}

/** R1: consent or proof; refused only after a while, because another resource's diff may be under way. */
function takeOrRefuse<Live>(ask: Ask, open: readonly Occupant<Live>[], waited: number): Verdict<Live> {
	const isEarly =
		waited < NEWS_MILLIS && open.every(({ claim }) => claim.is === "foreign" || claim.is === "ours");
	if (!mayConsent(ask) && isEarly) return WAIT;
	if (!open.every(({ sure }) => sure)) return LOOK;
	// What belongs to this stack and does not fit is no candidate: its own resource releases the slot later.
	const candidates = open.filter(({ claim, fits }) => fits !== false || claim.is !== "ours" || ask.persists);
	const [first] = candidates;
	if (first === undefined) return MAKE;
	if (candidates.length > 1 && ask.to !== "rename")
		return refuse({ why: "several", all: candidates, of: first });
	const consent = first.empty || ask.adopts || (ask.adoptsEqual && first.equal);
	if (ask.to === "rename" || !consent) return isEarly ? WAIT : refuse({ why: "foreign", of: first });
	return first.fits ? { do: "adopt", of: first } : refuse({ why: "unfit", of: first });
}

const mayConsent = (ask: Ask): boolean =>
	ask.to !== "rename" && (ask.adopts || ask.adoptsEqual || ask.persists);

interface Entry {
	claim: Claim;
	/** Called when the claim changes. */
	readonly listeners: Set<() => void>;
	/** The resource that a refresh read it for. */
	readBy?: string | undefined;
	/** A delete that arrived while the diff kept the object; its own replacement carries it out. */
	deferred?: (() => Promise<unknown>) | undefined;
}

/**
 * Who owns what, in one run. Only the *program* counts: a refresh calls `diff` too, also for resources that the program no
 * longer has; a program's diff always follows a check of the same resource, a refresh's comes before any.
 */
export class Claims {
	private readonly slots = new Map<string, string>();
	private readonly declared = new Map<string, Slot | undefined>();
	private readonly entries = new Map<string, Entry>();
	private readonly waiting = new Map<string, readonly ObjectRef[]>();

	/** `run` holds the claims of the other provider processes of one engine run. */
	constructor(private readonly run?: RunClaims) {}

	/** For a process that outlives a run; others are closed at their exit. */
	close(): void {
		this.run?.close();
	}

	/** The program declares this resource, at this slot if it is known. Answers the resource that has the slot already. */
	declare(urn: string, slot: Slot | undefined): string | undefined {
		const [before, now] = [this.declared.get(urn), slot].map((each) => each && keyOf(each));
		this.declared.set(urn, slot);
		if (before !== undefined && this.slots.get(before) === urn) {
			this.slots.delete(before);
			this.run?.write(slotIn(before), { is: "released" });
		}
		if (now === undefined) return undefined;
		const other = this.slots.get(now) ?? this.declaredElsewhere(urn, now);
		// Under the same URN it is this resource, which another provider served before.
		if (other !== urn) return other;
		this.slots.set(now, urn);
		return undefined;
	}

	/** Tells the other processes of the run about the slot; answers the resource that declares it, in one of them or here. */
	private declaredElsewhere(urn: string, slot: string): string {
		this.run?.write(slotIn(slot), { is: "held", by: urn, since: "state", written: "not yet" });
		const claim = this.run?.read(slotIn(slot));
		return claim?.is === "held" ? claim.by : urn;
	}

	of(object: ObjectRef): Claim {
		const key = keyOf(object);
		const own = this.entries.get(key)?.claim ?? FOREIGN;
		// No other process takes an object that is held here.
		return own.is === "held" ? own : (this.run?.read(key) ?? own);
	}

	holder(object: ObjectRef): string | undefined {
		const claim = this.of(object);
		return claim.is === "held" ? claim.by : undefined;
	}

	/** Whether the resource has kept, created or adopted an object in this run. */
	holdsAny(urn: string): boolean {
		return [...this.entries.values()].some(({ claim }) => claim.is === "held" && claim.by === urn);
	}

	/** A refresh read the object for this resource; answers another one that it was read for too. A mere lookup is not `inState`. */
	readFor(urn: string, object: ObjectRef, inState: boolean): string | undefined {
		const entry = this.entry(object);
		entry.readBy ??= urn;
		if (inState && this.of(object).is === "foreign") this.set(object, { is: "ours" });
		return entry.readBy === urn ? undefined : entry.readBy;
	}

	/** The state gives the object to this resource, and the diff keeps it there. False if another process has it. */
	keep(urn: string, object: ObjectRef): boolean {
		const claim = this.of(object);
		const known = claim.is === "held" ? claim : ({ since: "state", written: "not yet" } as const);
		return this.hold(urn, object, known);
	}

	/** Created by this resource, or adopted. False if another process was faster. */
	take(urn: string, object: ObjectRef): boolean {
		return this.hold(urn, object, { since: "run", written: "not yet" });
	}

	/** Its holder has written what it declares, a new name included, or could not. */
	settle(object: ObjectRef, written: "done" | "failed"): void {
		const claim = this.of(object);
		if (claim.is === "held") this.set(object, { ...claim, written });
	}

	/** This resource's replacing diff means that the object will be deleted. False if another process has it. */
	release(urn: string, object: ObjectRef): boolean {
		return this.set(object, { is: "releasing", by: urn, started: false });
	}

	/**
	 * A create of a resource that the state already has is its replacement, also if its diff saw no reason for one
	 * (`--replace`). Answers deletes that had to wait for this certainty.
	 */
	replaced(urn: string): (() => Promise<unknown>)[] {
		const kept = [...this.entries].filter(
			([, { claim }]) => claim.is === "held" && claim.by === urn && claim.since === "state",
		);
		for (const [key] of kept) this.change(key, { is: "releasing", by: urn, started: false });
		return kept.flatMap(([, { deferred }]) => deferred ?? []);
	}

	/**
	 * Carries a delete out, unless another resource has the object now, which is answered. What a diff has kept may still be
	 * replaced, for a reason that the engine does not tell: whether the delete is its own shows only with its create.
	 */
	async end(
		object: ObjectRef,
		remove: () => Promise<void>,
		/** Fails if the delete must not begin. */
		mayBegin: () => Promise<void> = async () => {},
	): Promise<string | undefined> {
		const carryOut = async () => {
			try {
				await mayBegin();
				const claim = this.of(object);
				const by = "by" in claim ? claim.by : "";
				// Until the delete ends nobody takes the object.
				if (claim.is !== "held") this.set(object, { is: "releasing", by, started: true });
				// Another resource may have taken it meanwhile.
				const holder = this.holder(object);
				if (holder !== undefined) return holder;
				await remove();
				this.set(object, { is: "released" });
				return undefined;
			} catch (error) {
				if (this.holder(object) === undefined) this.set(object, { is: "stuck" });
				throw error;
			}
		};
		const claim = this.of(object);
		if (claim.is !== "held") return carryOut();
		this.entry(object).deferred = carryOut;
		return claim.by;
	}

	/** The rows of a slot with what this run knows of each. */
	occupants<Live>(ask: Ask, rows: readonly Seen<Live>[]): Occupant<Live>[] {
		return rows.map((row) => {
			const claim = this.of(objectIn(ask, row));
			return {
				...row,
				claim,
				sure: row.sure && row.claim === claim,
				moves: !ask.persists && claim.is === "held" && claim.slot !== slotKey(ask.slot),
				circle: this.waitsFor(claim, ask.urn, new Set()),
			};
		});
	}

	/** Notes what the resource waits for, and waits for news of it, at most for a moment. */
	async news(time: Time, ask: Ask, occupants: readonly Occupant[]): Promise<void> {
		const objects = occupants.map((occupant) => objectIn(ask, occupant));
		this.waiting.set(ask.urn, objects);
		const timer = new AbortController();
		const heard = new Promise<void>((resolve) => {
			for (const object of objects) this.entry(object).listeners.add(resolve);
			timer.signal.addEventListener("abort", () => {
				for (const object of objects) this.entry(object).listeners.delete(resolve);
			});
		});
		await Promise.race([heard, time.sleep(250, timer.signal)]);
		timer.abort();
	}

	doneWaiting(urn: string): void {
		this.waiting.delete(urn);
	}

	/** Whether who holds or deletes an object waits in turn, directly or over others, for the resource. */
	private waitsFor(claim: Claim, urn: string, seen: Set<string>): boolean {
		if (!("by" in claim) || seen.has(claim.by)) return false;
		if (claim.by === urn) return true;
		seen.add(claim.by);
		return (this.waiting.get(claim.by) ?? []).some((object) => this.waitsFor(this.of(object), urn, seen));
	}

	private entry(object: ObjectRef): Entry {
		return this.entryAt(keyOf(object));
	}

	private entryAt(key: string): Entry {
		const entry = this.entries.get(key) ?? { claim: FOREIGN, listeners: new Set() };
		this.entries.set(key, entry);
		return entry;
	}

	private hold(
		by: string,
		object: ObjectRef,
		{ since, written }: Pick<Extract<Claim, { is: "held" }>, "since" | "written">,
	): boolean {
		const declared = this.declared.get(by);
		return this.set(object, { is: "held", by, since, written, slot: declared && slotKey(declared) });
	}

	private set(object: ObjectRef, claim: Claim): boolean {
		return this.change(keyOf(object), claim);
	}

	private change(key: string, claim: Claim): boolean {
		if (this.run?.write(key, claim) === false) return false;
		const entry = this.entryAt(key);
		entry.claim = claim;
		for (const listener of entry.listeners) listener();
		return true;
	}
}

export const keyOf = (place: ObjectRef | Slot): string =>
	JSON.stringify([place.kind, place.team, "id" in place ? place.id : place.folded]);

/** An object's id may be the name of another one, so slots have keys of their own. */
const slotIn = (key: string): string => `slot ${key}`;

/** Whether two slots are the same is all that anybody asks, and a name may be secret. */
const slotKey = (slot: Slot): string => createHash("sha256").update(keyOf(slot)).digest("hex");

/** A row, and how it was found. */
export interface Seen<Live> extends Row<Live> {
	readonly sure: boolean;
	/** The claim when the look began; if it has changed since, the row is out of date. */
	readonly claim: Claim;
	readonly blocked: Blocked<Live> | null | undefined;
}

/** How a kind finds the objects in a slot. */
export interface Finder<Live> {
	/** All but the asker's own, from a fetched list, or from one that may be some seconds old. */
	list(ask: Ask, how: "recent" | "now"): Promise<readonly Row<Live>[]>;
	/** The object requested directly, with or without retries for reads that lag behind; undefined if it is gone. */
	detail(ask: Ask, row: Row<Live>, how: "with retries" | "once"): Promise<Row<Live> | undefined>;
	/** The ask of another resource of the program. */
	askOf(urn: string, to: "rename" | "replace", own: string): Ask | undefined;
}

const unsure = <Live>(rows: readonly Row<Live>[]): Seen<Live>[] =>
	rows.map((row) => ({ ...row, sure: false, claim: FOREIGN, blocked: undefined }));

type Final<Live> = Exclude<Verdict<Live>, { do: "wait" | "look" }>;

/** Waits until the slot can be obtained or must be refused. An adopted object is claimed in the same turn. */
export async function obtain<Live>(
	{ claims, time }: { readonly claims: Claims; readonly time: Time },
	ask: Ask,
	find: Finder<Live>,
): Promise<Final<Live>> {
	const startedAt = time.now();
	let rows = unsure(await find.list(ask, "recent"));
	let lookedAfter = 0;
	try {
		for (;;) {
			const waited = time.now() - startedAt;
			// After the wait, objects are looked at again before they are a reason to refuse.
			if (waited >= NEWS_MILLIS && lookedAfter < NEWS_MILLIS) rows = unsure(rows);
			const occupants = claims.occupants(ask, rows);
			const verdict = decide(ask, occupants, waited);
			if (verdict.do === "look") {
				lookedAfter = waited;
				rows = await look(claims, ask, find);
			} else if (verdict.do === "wait") {
				await claims.news(time, ask, occupants);
			} else {
				// In the same turn as the decision, so only another process can come in between.
				const isTaken = verdict.do === "adopt" && ask.to === "make";
				if (isTaken && !claims.take(ask.urn, objectIn(ask, verdict.of))) continue;
				return verdict;
			}
		}
	} finally {
		claims.doneWaiting(ask.urn);
	}
}

/** The verdict for a preview or a diff, which must not wait: as if the resource had waited long enough. */
export async function predictVerdict<Live>(
	claims: Claims,
	ask: Ask,
	find: Finder<Live>,
): Promise<Verdict<Live>> {
	const rows = await find.list(ask, "recent");
	const seen = await Promise.all(rows.map(async (row) => inDetail(claims, ask, row, find, "once")));
	return decide(ask, claims.occupants(ask, seen.flat()), Number.POSITIVE_INFINITY);
}

async function look<Live>(claims: Claims, ask: Ask, find: Finder<Live>): Promise<Seen<Live>[]> {
	const seen = await Promise.all(
		(await find.list(ask, "now")).map(async (row) => {
			const details = await inDetail(claims, ask, row, find, "with retries");
			return Promise.all(
				details.map(async (each) => ({
					...each,
					blocked: await blockedFor(claims, each.claim, row.id, find, [ask.urn]),
				})),
			);
		}),
	);
	return seen.flat();
}

/** Requests only objects that no resource of this run holds: the others are not adopted anyway. */
async function inDetail<Live>(
	claims: Claims,
	ask: Ask,
	row: Row<Live>,
	find: Finder<Live>,
	how: "with retries" | "once",
): Promise<Seen<Live>[]> {
	const claim = claims.of(objectIn(ask, row));
	const isOpen = ask.persists || claim.is === "foreign" || claim.is === "ours";
	const found = isOpen ? await find.detail(ask, row, how) : row;
	// A preview does not promise to adopt an object that it cannot read.
	const detail = found ?? (how === "once" ? { ...row, fits: false } : undefined);
	return detail === undefined ? [] : [{ ...detail, sure: true, claim, blocked: undefined }];
}

/** The refusal that keeps a resource from releasing its object, as far as cached lists show it. */
async function blockedFor<Live>(
	claims: Claims,
	claim: Claim,
	id: string,
	find: Finder<Live>,
	seen: readonly string[],
): Promise<Blocked<Live> | null> {
	if (!("by" in claim) || seen.includes(claim.by)) return null;
	const ask = find.askOf(claim.by, claim.is === "held" ? "rename" : "replace", id);
	if (ask === undefined) return null;
	const rows = (await find.list(ask, "recent")).map(async (row) => {
		const now = claims.of(objectIn(ask, row));
		const blocked = await blockedFor(claims, now, row.id, find, [...seen, claim.by]);
		return { ...row, sure: true, claim: now, blocked };
	});
	const verdict = decide(ask, claims.occupants(ask, await Promise.all(rows)), Number.POSITIVE_INFINITY);
	return verdict.do === "refuse" ? { ask, because: verdict.because } : null;
}

const objectIn = ({ slot: { kind, team } }: Ask, { id }: { readonly id: string }): ObjectRef => ({
	kind,
	team,
	id,
});
