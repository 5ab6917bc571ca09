import type { Kind } from "../../schemas/kinds";

/** An object on the service: a schedule by its id, settings by their pipeline. */
export interface ObjectRef {
	readonly kind: Kind;
	readonly team: string;
	readonly id: string;
}

/** A name that one resource of a program can declare. `folded` is the form in which two names are compared. */
export interface NameRef {
	readonly kind: Kind;
	readonly team: string;
	readonly folded: string;
}

/** The resource that has an object in this deployment. */
export interface Owner {
	readonly urn: string;
	/** Under which the state has the resource: with an alias, it is another URN than the program's. */
	readonly stateUrn?: string | undefined;
	/** When the state's entry of the resource was made, by which two entries with one id are told apart; undefined if unknown. */
	readonly madeAt?: number | undefined;
	/** The state gave it the object, or this deployment created or adopted it. */
	readonly since: "state" | "deployment";
}

/** The resource that calls, as the program and the state name it. */
export interface Caller {
	readonly urn: string;
	/** The URN under which the state has it; undefined for a new resource. */
	readonly stateUrn: string | undefined;
	/** When this resource was created, by our own clock; undefined if the state does not say. */
	readonly madeAt?: number | undefined;
}

/** The owners that the deployment's other provider processes know, by the key of the object. */
export interface OtherProcesses {
	of(key: string): Owner | undefined;
	/** False if another process was faster. */
	add(key: string, owner: Owner): boolean;
	remove(key: string): void;
	close(): void;
}

/**
 * Which resource has which object in one deployment, by id. What nobody has here is foreign. Only resources of the program
 * count: a refresh also calls `diff`, for resources that the program may no longer have.
 */
export class Owners {
	private readonly owners = new Map<string, Owner>();
	private readonly released = new Set<string>();
	private readonly readers = new Map<string, string>();
	private readonly inState = new Set<string>();

	constructor(private readonly others?: OtherProcesses) {}

	/** For a process that outlives a deployment; others are closed at their exit. */
	close(): void {
		this.others?.close();
	}

	of(object: ObjectRef): Owner | undefined {
		return this.ownerAt(keyOf(object));
	}

	/** The program declares this name for the resource. Returns another resource that declares it, too. */
	declare(caller: Caller, name: NameRef): string | undefined {
		const key = nameKeyOf(name);
		if (this.claim(key, { urn: caller.urn, since: "state" })) return undefined;
		return this.ownerAt(key)?.urn;
	}

	/** The state gives the object to the resource, and the program still declares it. False if another resource has it. */
	keep({ urn, stateUrn, madeAt }: Caller, object: ObjectRef): boolean {
		const key = keyOf(object);
		if (this.ownerAt(key)?.urn === urn) return true;
		return this.claim(key, { urn, stateUrn, madeAt, since: "state" });
	}

	/** The resource created or adopted the object. False if another resource has it. */
	take(urn: string, object: ObjectRef): boolean {
		return this.claim(keyOf(object), { urn, since: "deployment" });
	}

	/** A refresh read the object for this resource. Returns another resource that has it in the state, too. */
	readFor(urn: string, object: ObjectRef): string | undefined {
		const key = keyOf(object);
		const reader = this.readers.get(key) ?? urn;
		this.readers.set(key, reader);
		return reader === urn ? undefined : reader;
	}

	/** The engine asked for a diff before the program declared the resource: in a refresh, or to delete it before another one. */
	noteInState(object: ObjectRef): void {
		this.inState.add(keyOf(object));
	}

	/** Whether a resource of the state, which the program may not have declared yet, has the object. */
	mayBeReleased(object: ObjectRef): boolean {
		return this.inState.has(keyOf(object));
	}

	/** The object was deleted. The service may use its id again. */
	release(object: ObjectRef): void {
		const key = keyOf(object);
		this.owners.delete(key);
		this.released.add(key);
		this.others?.remove(key);
	}

	/** Nobody has the object in this deployment, and it is none that the deployment deleted and a list may still show. */
	isForeign(object: ObjectRef): boolean {
		return this.of(object) === undefined && !this.isReleased(object);
	}

	/** Whether this process deleted an object of this id. */
	isReleased(object: ObjectRef): boolean {
		return this.released.has(keyOf(object));
	}

	/**
	 * Why the resource must leave the object alone when the engine deletes it: the owner that it has now. Undefined if it may
	 * be deleted. A resource that adopted its own object (`--replace` with `adopt`) in a deployment that failed has two entries
	 * in the state, of which the engine deletes the older one.
	 */
	blocksDelete(
		{ urn, stateUrn, madeAt }: Caller,
		object: ObjectRef,
	): Owner | undefined {
		const owner = this.of(object);
		if (owner === undefined) return undefined;
		if (owner.since === "deployment") return owner;
		const isSameResource =
			owner.urn === urn || (stateUrn !== undefined && owner.stateUrn === stateUrn);
		const isSameEntry = owner.madeAt === undefined || owner.madeAt === madeAt;
		return isSameResource && isSameEntry ? undefined : owner;
	}

	private ownerAt(key: string): Owner | undefined {
		return this.owners.get(key) ?? this.others?.of(key);
	}

	/** In one turn, so that only another process can come in between; the shared file decides which one was first. */
	private claim(key: string, owner: Owner): boolean {
		const before = this.ownerAt(key);
		if (before !== undefined && before.urn !== owner.urn) return false;
		if (this.others?.add(key, owner) === false) return false;
		this.owners.set(key, owner);
		return true;
	}
}

const keyOf = ({ kind, team, id }: ObjectRef): string =>
	JSON.stringify([kind, team, id]);

/** An id may be the text of a name, so names have keys of their own. */
const nameKeyOf = ({ kind, team, folded }: NameRef): string =>
	JSON.stringify(["name", kind, team, folded]);
