import type { Kind } from "../schemas/kinds";
import type { Time } from "./time";

/** An object on the service: a schedule by its id, settings by their pipeline. */
export interface ObjectRef {
	readonly kind: Kind;
	readonly team: string;
	readonly id: string;
}

/** A place that one resource of a program can have: a schedule's name, a pipeline's settings. */
export interface Slot {
	readonly kind: Kind;
	readonly team: string;
	readonly name: string;
}

/** What this run will do, or has done, with an object. Resources are named by their URN. */
export type Fate =
	/**
	 * Nothing that arrived so far speaks of it: somebody else's, or a resource's whose turn comes later. `ours` where
	 * this run's refresh found it in the stack's own state, so that whatever happens to it will be this stack's doing.
	 */
	| { readonly is: "unknown"; readonly ours: boolean }
	| {
			readonly is: "held";
			readonly by: string;
			readonly slot: Slot | undefined;
			readonly written: "not yet" | "done" | "failed";
	  }
	/** Its own replacement will delete it; `started` once that is under way. */
	| { readonly is: "leaving"; readonly by: string; readonly started: boolean }
	| { readonly is: "gone" }
	/** It should have been deleted, and could not be. */
	| { readonly is: "stuck" };

interface Entry {
	/** `fresh` where it was made or taken over in this run; otherwise it was in the state, and the diff keeps it. */
	holding?: { readonly by: string; readonly fresh: boolean } | undefined;
	leaving?: { readonly by: string; readonly started: boolean } | undefined;
	ended?: "gone" | "stuck" | undefined;
	/** The resource that a refresh read it for. */
	readBy?: string | undefined;
	/** The refresh found it in the state, as an object that a deployment made or took over. */
	inState?: true | undefined;
	/** Whether its holder has written what it declares. */
	written?: "done" | "failed" | undefined;
	/** A delete that came while the diff kept the object; its own replacement carries it out. */
	deferred?: (() => Promise<void>) | undefined;
}

/**
 * Who owns what, in one run: the API knows no owner, so this process keeps the account. An object that a resource of
 * the program holds is deleted by nobody else and taken by nobody else; what is being deleted is never taken.
 *
 * Only the *program* counts. A refresh calls `diff` too, also for resources that the program no longer has; a
 * program's diff always follows a check of the same resource, a refresh's comes before any.
 */
export class Ownership {
	private readonly slots = new Map<string, string>();
	private readonly declared = new Map<string, Slot | undefined>();
	private readonly objects = new Map<string, Entry>();
	private readonly waitingFor = new Map<string, ObjectRef>();
	private readonly listeners: (() => void)[] = [];

	/** The program declares this resource, at this place where it is known. Answers who has the place already. */
	declare(urn: string, slot: Slot | undefined): string | undefined {
		const before = this.declared.get(urn);
		if (before !== undefined && this.slots.get(slotKey(before)) === urn) this.slots.delete(slotKey(before));
		this.declared.set(urn, slot);
		const other = slot && this.slots.get(slotKey(slot));
		if (slot !== undefined && other === undefined) this.slots.set(slotKey(slot), urn);
		this.tell();
		return other;
	}

	/**
	 * Notes that the object was read for this resource; answers another resource that it was read for too. What a
	 * program only looks up (`PipelineSchedule.get`) is not in the state as its own.
	 */
	alsoReadBy(urn: string, object: ObjectRef, inState: boolean): string | undefined {
		const entry = this.entry(object);
		entry.readBy ??= urn;
		if (inState) entry.inState = true;
		return entry.readBy === urn ? undefined : entry.readBy;
	}

	isDeclared(urn: string): boolean {
		return this.declared.has(urn);
	}

	holder(object: ObjectRef): string | undefined {
		return this.objects.get(objectKey(object))?.holding?.by;
	}

	/** The resource has kept, made or taken an object in this run. */
	holdsAny(urn: string): boolean {
		return [...this.objects.values()].some(({ holding }) => holding?.by === urn);
	}

	fate(object: ObjectRef): Fate {
		const entry = this.objects.get(objectKey(object));
		if (entry?.holding) {
			const { by } = entry.holding;
			return { is: "held", by, slot: this.declared.get(by), written: entry.written ?? "not yet" };
		}
		if (entry?.ended) return { is: entry.ended };
		if (entry?.leaving) return { is: "leaving", ...entry.leaving };
		return { is: "unknown", ours: entry?.inState === true };
	}

	/** The state gives the object to this resource, and the diff keeps it there. */
	keep(urn: string, object: ObjectRef): void {
		const entry = this.entry(object);
		entry.holding = { by: urn, fresh: entry.holding?.fresh === true };
		this.tell();
	}

	/** Its holder has written what it declares, a new name included, or could not. */
	settle(object: ObjectRef, written: "done" | "failed"): void {
		this.entry(object).written = written;
		this.tell();
	}

	/**
	 * Made by this resource, or taken over with consent. False where it is no longer free. A schedule that was deleted
	 * never comes back; a pipeline's settings are always there, so they can be let go and taken again (`returns`).
	 */
	take(urn: string, object: ObjectRef, returns = false): boolean {
		const fate = this.fate(object);
		if (fate.is === "held" && fate.by !== urn) return false;
		if (fate.is !== "held" && fate.is !== "unknown" && !returns) return false;
		this.entry(object).holding = { by: urn, fresh: true };
		this.tell();
		return true;
	}

	/** This resource's replacing diff means that the object will be deleted. */
	leave(urn: string, object: ObjectRef): void {
		const entry = this.entry(object);
		entry.holding = undefined;
		entry.leaving = { by: urn, started: false };
		this.tell();
	}

	/**
	 * A create of a resource that the state already has is its replacement, also where its diff saw no reason for one
	 * (`--replace`): what it kept so far is leaving. Answers deletes that had to wait for this certainty.
	 */
	replaced(urn: string): (() => Promise<void>)[] {
		const deletes: (() => Promise<void>)[] = [];
		for (const entry of this.objects.values()) {
			if (entry.holding?.by !== urn || entry.holding.fresh) continue;
			entry.holding = undefined;
			entry.leaving = { by: urn, started: false };
			if (entry.deferred) deletes.push(entry.deferred);
		}
		this.tell();
		return deletes;
	}

	/**
	 * Who holds the object against a delete that arrives for it; undefined where nobody does. What a diff has kept may
	 * still be replaced, for a reason that the engine does not tell the provider: whether the delete is its own shows
	 * only when its resource is made anew, and `remove` is done then.
	 */
	heldAgainst(object: ObjectRef, remove: () => Promise<void>): string | undefined {
		const entry = this.entry(object);
		if (entry.holding?.fresh === false) entry.deferred = remove;
		return entry.holding?.by;
	}

	/** A delete of the object begins; until it ends nobody takes it. */
	deleting(object: ObjectRef): void {
		const entry = this.entry(object);
		entry.holding = undefined;
		entry.leaving = { by: entry.leaving?.by ?? "", started: true };
		this.tell();
	}

	deleteEnded(object: ObjectRef, how: "gone" | "stuck"): void {
		this.entry(object).ended = how;
		this.tell();
	}

	/** Waits for the next news of any object, at most this long. */
	async news(time: Time, millis: number): Promise<void> {
		const heard = new Promise<void>((resolve) => this.listeners.push(resolve));
		await Promise.race([heard, time.sleep(millis)]);
	}

	/**
	 * Notes that the resource waits for the object. False where that would be for ever, because who holds or deletes it
	 * waits in turn, directly or over others, for this resource.
	 */
	await(urn: string, object: ObjectRef): boolean {
		this.waitingFor.set(urn, object);
		const seen = new Set<string>();
		let next: ObjectRef | undefined = object;
		while (next !== undefined) {
			const fate = this.fate(next);
			const by = fate.is === "held" || fate.is === "leaving" ? fate.by : undefined;
			if (by === urn) return false;
			if (by === undefined || seen.has(by)) return true;
			seen.add(by);
			next = this.waitingFor.get(by);
		}
		return true;
	}

	doneWaiting(urn: string): void {
		this.waitingFor.delete(urn);
	}

	private entry(object: ObjectRef): Entry {
		const key = objectKey(object);
		const entry = this.objects.get(key) ?? {};
		this.objects.set(key, entry);
		return entry;
	}

	private tell(): void {
		for (const listener of this.listeners.splice(0)) listener();
	}
}

const objectKey = ({ kind, team, id }: ObjectRef): string => JSON.stringify([kind, team, id]);
const slotKey = ({ kind, team, name }: Slot): string => JSON.stringify([kind, team, name]);
