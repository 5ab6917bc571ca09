import type { Call } from "./context";
import type { AnyTable } from "./shared/table";

/** Plain JSON, as it travels between a host and the handlers. */
export type Props = Readonly<Record<string, unknown>>;

/** A reason why inputs cannot be used. The text names the field itself; it never carries a value that may be secret. */
export interface Problem {
	readonly field: string;
	readonly reason: string;
}

export const problem = (field: string, text: string): Problem => ({ field, reason: `${field}: ${text}` });

export interface CheckResult {
	readonly inputs: Props;
	readonly problems: readonly Problem[];
}

export interface DiffResult {
	readonly changes: boolean;
	readonly replaces: readonly string[];
	readonly deleteBeforeReplace: boolean;
}

export interface ReadResult {
	/** Undefined means: surely gone from the service. */
	readonly state?: { readonly id: string; readonly outs: Props; readonly inputs: Props };
}

/**
 * One resource kind: what it does, free of the host that calls it. The dynamic host and the plugin (src/plugin)
 * are its callers. Each call says which resource is calling.
 */
export interface ResourceHandler {
	/** One row for each input. */
	readonly fields: AnyTable;
	check(call: Call, olds: Props, news: Props): Promise<CheckResult>;
	diff(call: Call, id: string, olds: Props, news: Props): Promise<DiffResult>;
	create(call: Call, inputs: Props): Promise<{ id: string; outs: Props }>;
	read(call: Call, id: string, outs: Props): Promise<ReadResult>;
	update(call: Call, id: string, olds: Props, news: Props): Promise<{ outs: Props }>;
	delete(call: Call, id: string, outs: Props): Promise<void>;
}

/**
 * The object exists, but not everything about it is as declared. The host keeps the id and the outputs, so that
 * the next deployment updates the object instead of making a second one.
 */
export class PartlyDoneError extends Error {
	override readonly name = "PartlyDoneError";

	constructor(
		readonly id: string,
		readonly outs: Props,
		reason: string,
	) {
		super(reason);
	}
}
