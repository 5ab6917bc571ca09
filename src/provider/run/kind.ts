import type { ConflictError } from "../../client";
import type { Freshness } from "../../operations/context";
import type { Kind } from "../../schemas/kinds";
import type { CheckResult, Problem, Props } from "../model/props";
import type { AnyTable, Diff, Table } from "../model/table";
import type { Call } from "./context";
import type { ReadResult } from "./handler";
import type { Candidate, NameRequest, Refusal } from "./name-check";

/** What every kind has. */
export interface KindBase {
	readonly kind: Kind;
	/** Fills in defaults and computed inputs, and says what is wrong; the inputs have their team already. */
	check(call: Call, olds: Props, inputs: Props): Promise<CheckResult>;
	/** Called after the diff of a resource of the program. */
	diffed?(call: Call, id: string, olds: Props, result: Diff): void;
	remove(call: Call, id: string, outs: Props): Promise<void>;
	/** Removes what the resource had beside what another one, which has taken the object, declares now. */
	removeRest?(call: Call, outs: Props, declaredByOwner: Props): Promise<void>;
	readonly words: {
		/** `Schedule "a" (id 7) in team "ml"`. */
		label(props: Props, id: string): string;
	};
}

/** A kind whose objects are not adopted by a name, and have no field that a request changes. */
export interface UnnamedKind extends KindBase {
	readonly fields: AnyTable;
	/** The input that the engine shows as the reason of a replacement if no input has changed. */
	readonly identity: string;

	diff(call: Call, olds: Props, news: Props): Diff;
	create(call: Call, inputs: Props): Promise<Created>;
	/** An import and a lookup know the team only. */
	read(call: Call, id: string, outs: Props): Promise<ReadResult>;
	/** Returns the outputs. */
	update(call: Call, id: string, olds: Props, inputs: Props): Promise<Props>;
}

/** A kind of which a program can declare one for each name. The lifecycle below is the same for all of them. */
export interface NamedKind<Live> extends KindBase {
	readonly fields: Table<Live>;

	/** A name in the form in which two names are compared. */
	folded(name: string): string;
	/** Problems and notices that need the service. The name is known, the other inputs only if `knowsAll`. */
	checkLive(
		call: Call,
		inputs: Props,
		olds: Props,
		knowsAll: boolean,
	): Promise<Problem[]>;
	/** Outputs that a preview can tell from checked inputs alone. */
	predict?(call: Call, inputs: Props): Props;

	/** Left out if the kind's objects always exist, as a pipeline's settings do. */
	readonly creation?: Creation<Live>;
	/** The object that a create finds, for a kind whose objects always exist. */
	readonly existing?: {
		idOf(inputs: Props): string;
		get(call: Call, inputs: Props): Promise<Live>;
	};

	/**
	 * The object: from a list, undefined if that does not show all of it; or asked for `now`, undefined if the service itself
	 * says that it is gone.
	 */
	get(
		call: Call,
		id: string,
		recorded: Props,
		from: Freshness,
	): Promise<Live | undefined>;
	/** An import or a lookup: only the id is known. */
	imported?(call: Call, id: string): Promise<ReadResult>;

	/** Notices of a refresh. Returns the inputs that the state declares. */
	refreshed(call: Call, id: string, outs: Props, live: Live): Promise<Props>;
	outs(call: Call, inputs: Props, live: Live, adopted: boolean, recorded: Props): Props;

	/** The requests by which the object becomes what is declared. Throws if they must not be sent. */
	plan(call: Call, id: string, live: Live, change: Change): Promise<Plan<Live>>;

	readonly words: KindBase["words"] & {
		/** The predicate of two resources that declare one name. */
		duplicate(inputs: Props): string;
		gone(call: Call, inputs: Props, id: string): Promise<string>;
	};
}

/** What a write starts from. */
export interface Change {
	readonly inputs: Props;
	/** What the resource had there before; empty if it had nothing. */
	readonly olds: Props;
	/** An update sends every declared field, because the state may not tell what an earlier attempt sent. */
	readonly isUpdate: boolean;
	readonly adopted: boolean;
}

/** Objects that a request creates under a name. */
export interface Creation<Live> {
	/** The objects of the name; from a list, which leaves fields out. */
	list(
		call: Call,
		request: NameRequest,
		from: "recent" | "now",
	): Promise<readonly Candidate<Live>[]>;
	/** The same object, from a request of its own. */
	detail(
		call: Call,
		request: NameRequest,
		candidate: Candidate<Live>,
	): Promise<Candidate<Live> | undefined>;
	/** The new object. A `problem` says why it is not the declared one, though it is ours. */
	create(
		call: Call,
		inputs: Props,
	): Promise<{ id: string; live: Live; problem?: string | undefined }>;
	/** The service refuses a rename because of another object of the name. */
	conflict(error: ConflictError): string;
	/** Fails if a create cannot count as done. */
	confirm(call: Call, inputs: Props): Promise<void>;
	/** Called when a create has ended, also if it failed. */
	afterCreate(call: Call, inputs: Props): void;
	refused(call: Call, request: NameRequest, refusal: Refusal<Live>): string;
	/** For a preview: the resource that has the name may still have its turn. */
	mayBeRefused(call: Call, request: NameRequest, refusal: Refusal<Live>): string;
}

/** The requests by which an object comes to what is declared, before anything is sent. */
export interface Plan<Live> {
	/** False if there is nothing to send; then the object is not read again. */
	readonly writes: boolean;
	/** The inputs, with what the program has removed and the requests take away: until they are done, the state keeps it. */
	readonly untilDone: Props;
	/** Nothing was written if it fails with an ApiError that the service did not receive. */
	send(): Promise<void>;
	read(): Promise<Live>;
	/** What is not as declared, in words. */
	wrong(now: Live): readonly Wrong[];
	/** Called after each read that shows something wrong. */
	sendAgain?(wrong: readonly Wrong[]): Promise<void>;
	/** A reason why sending it again would not help; undefined if there is none. */
	explain?(wrong: readonly Wrong[], now: Live): string | undefined;
}

export interface Wrong {
	/** Left out if it is none of ours. */
	readonly field?: string;
	readonly text: string;
}

export interface Created {
	readonly id: string;
	readonly outs: Props;
}
