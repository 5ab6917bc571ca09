import type { Props } from "../../../../src/provider/handler";
import type { Kind } from "../../../../src/schemas/kinds";
import type { Host, Program, Resource } from "./program";

/** A resource in the state. */
export interface Entry {
	urn: string;
	readonly kind: Kind;
	name: string;
	readonly id: string;
	inputs: Props;
	outputs: Props;
	dependencies: readonly string[];
	protect: boolean;
	/** Replaced by another one, and to be deleted at the end of a run. */
	pendingDelete?: boolean;
	/** Deleted by a replacement whose second half is missing. */
	pendingReplacement?: boolean;
	initErrors?: boolean;
	/** As in the program. */
	readonly host?: Host | undefined;
}

/** `drift` is a refresh that leaves the state as it is. */
export type What = "up" | "preview" | "refresh" | "drift" | "destroy";

export interface RunOptions {
	/** Steps at once. */
	readonly parallel: number;
	readonly refresh?: boolean;
	/** Names of resources for `--replace`. */
	readonly replace?: readonly string[];
	/** Runs with `DATACHAIN_ADOPT_EQUAL=true`. */
	readonly adoptEqual?: boolean;
}

export interface Report {
	readonly failures: readonly string[];
	/** Steps other than "same", as `update a`; of a refresh what it found to have changed. */
	readonly changes: readonly string[];
	/** What the provider told. */
	readonly notices: readonly string[];
}

export interface State {
	readonly name: string;
	readonly entries: readonly Entry[];
}

/** Whoever runs commands on a state: the engine, or the model of it. */
export interface Stack extends State {
	run(what: What, program: Program, options: RunOptions): Promise<Report>;
	/** As `pulumi state unprotect --all`. */
	unprotect(): Promise<void>;
}

/** The entry that a resource of a program continues. */
export function entryOf(
	{ entries }: Pick<State, "entries">,
	{ kind, name, host, aliases = [] }: Resource,
): Entry | undefined {
	const present = entries.filter(
		(entry) => entry.kind === kind && entry.host === host && !entry.pendingDelete,
	);
	const found = [name, ...aliases].map((each) => present.find((entry) => entry.name === each));
	return found.find((entry) => entry !== undefined);
}
