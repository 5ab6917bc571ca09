import type { CheckResult, Props } from "../model/props";
import type { AnyTable, Diff } from "../model/table";
import type { Call } from "./context";

export interface DiffResult extends Diff {
	readonly deleteBeforeReplace: boolean;
}

export interface ReadResult {
	/** Undefined means: surely gone from the service. */
	readonly state?: {
		readonly id: string;
		readonly outs: Props;
		readonly inputs: Props;
	};
}

/**
 * One resource kind: what it does, free of the host that calls it. The dynamic host and the plugin (src/provider/hosts/plugin)
 * are its callers. Each call says which resource is calling.
 */
export interface ResourceHandler {
	/** One row for each input. */
	readonly fields: AnyTable;
	check(call: Call, olds: Props, news: Props): Promise<CheckResult>;
	diff(call: Call, id: string, olds: Props, news: Props): Promise<DiffResult>;
	/** Outputs that a preview can tell from checked inputs alone; left out if there are none. */
	predict?(call: Call, inputs: Props): Props;
	create(call: Call, inputs: Props): Promise<{ id: string; outs: Props }>;
	read(call: Call, id: string, outs: Props): Promise<ReadResult>;
	update(call: Call, id: string, olds: Props, news: Props): Promise<{ outs: Props }>;
	delete(call: Call, id: string, outs: Props): Promise<void>;
}

/**
 * The object exists, but not everything about it is as declared. The host keeps the id and the outputs, so that
 * the next deployment updates the object instead of creating a second one.
 */
export class PartialFailureError extends Error {
	override readonly name = "PartialFailureError";

	constructor(
		readonly id: string,
		readonly outs: Props,
		reason: string,
		options?: ErrorOptions,
	) {
		super(reason, options);
	}
}
