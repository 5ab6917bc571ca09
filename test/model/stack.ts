import type { Props } from "../../src/provider/model/props";
import type { Kind } from "../../src/schemas/kinds";

/** Who serves the handlers to the engine. */
export type Host = "dynamic" | "plugin";

/** A resource in the state. */
export interface Entry {
	readonly kind: Kind;
	readonly name: string;
	readonly id: string;
	readonly inputs: Props;
	readonly outs: Props;
	/** As in the program. */
	readonly host?: Host | undefined;
	/** Names of what it depends on. */
	readonly dependsOn?: readonly string[];
	protect?: boolean;
	retainOnDelete?: boolean;
	/** The resource whose delete makes its own unnecessary: kind, host and name. */
	deletedWith?: string | undefined;
	/** Set where its last create or update was only partly done. */
	readonly problem?: string | undefined;
	/** Replaced by another one, and to be deleted at the end of a run. */
	pendingDelete?: boolean;
	/** Deleted by a replacement whose second half is missing: the next run makes it, whatever the diff says. */
	pendingReplacement?: boolean;
}

/** `drift` is a refresh that leaves the state as it is. */
export type What = "up" | "preview" | "refresh" | "drift" | "destroy";

/** What a command is given by the user. */
export interface EngineOptions {
	/** Names of resources for `--exclude` or `--target`. */
	readonly exclude?: readonly string[];
	readonly target?: readonly string[];
	/** Steps at once; as many as there are unless given. */
	readonly parallel?: number;
	/** What the state has is read first, by the same processes. */
	readonly refresh?: boolean;
}

export interface RunOptions extends EngineOptions {
	readonly parallel: number;
	/** Names of resources for `--replace`. */
	readonly replace?: readonly string[];
	/** Runs with `DATACHAIN_ADOPT_EQUAL=true`. */
	readonly adoptEqual?: boolean;
}

export interface Done {
	/**
	 * In the order in which they began: `create a`, `update b`, `replace c`, `same d`, `delete e`; of a refresh `read a`,
	 * `changed b`, `gone c`.
	 */
	readonly steps: readonly string[];
	/** Messages, each after its resource's name. */
	readonly failures: readonly string[];
	/** What the providers told. */
	readonly notices: readonly string[];
	/** Kind, host and name of resources whose provider was asked for a plan; undefined where nobody can tell. */
	readonly reached?: readonly string[] | undefined;
}

export interface State {
	readonly name: string;
	readonly entries: readonly Entry[];
}

/** Whoever runs commands on a state: the engine, or the model of it. */
export interface Stack extends State {
	run(what: What, program: Program, options: RunOptions): Promise<Done>;
	/** As `pulumi state unprotect --all`. */
	unprotect(): Promise<void>;
}

/** The entry that a resource of a program continues. */
export function entryOf<Known extends Entry>(
	{ entries }: { readonly entries: readonly Known[] },
	{ kind, name, host, aliases = [] }: Resource,
): Known | undefined {
	const present = entries.filter(
		(entry) => entry.kind === kind && entry.host === host && !entry.pendingDelete,
	);
	const found = [name, ...aliases].map((each) =>
		present.find((entry) => entry.name === each),
	);
	return found.find((entry) => entry !== undefined);
}

/** One resource of a program, as a user writes it. */
export interface Resource {
	readonly kind: Kind;
	/** Its name in the program. */
	readonly name: string;
	readonly args: Props;
	/** Names of resources before it. */
	readonly dependsOn?: readonly string[];
	/** Names it had before. */
	readonly aliases?: readonly string[];
	readonly protect?: boolean;
	readonly retainOnDelete?: boolean;
	/** The name of a resource before it. */
	readonly deletedWith?: string | undefined;
	/** Inputs whose change replaces it. */
	readonly replaceOnChanges?: readonly string[];
	readonly deleteBeforeReplace?: boolean | undefined;
	/** Who serves it, where that is not the stack's usual host. */
	readonly host?: Host | undefined;
	/** As by `--replace`; or deleted and made again for the engine's own reasons, whatever the diff said. */
	readonly replace?: boolean | "against the diff";
}

export type Program = readonly Resource[];

/** Kind, host and name: what the engine's URN says. */
export const identityOf = ({ kind, host, name }: Resource | Entry): string =>
	`${kind} ${host ?? ""} ${name}`;
