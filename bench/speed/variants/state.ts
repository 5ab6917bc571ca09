import { readFileSync } from "node:fs";
import { checkpointSchema, managedResources } from "../../../tools/stack";

export interface StateSize {
	/** The whole file. */
	readonly bytes: number;
	/** The resources alone, without the lines of the program that the SDK puts into the state. */
	readonly bareBytes: number;
}

/**
 * How large a checkpoint is. A stack trace a resource is as long as the way to node_modules, and ours leaves most of
 * it out: without it the two sizes say what the dynamic form itself adds.
 */
export function stateSize(file: string): StateSize {
	const text = readFileSync(file, "utf8");
	const bare = managedResources(checkpointSchema.parse(JSON.parse(text))).map(
		({ sourcePosition: _, stackTrace: __, ...rest }) => Buffer.byteLength(JSON.stringify(rest)),
	);
	return { bytes: Buffer.byteLength(text), bareBytes: bare.reduce((sum, size) => sum + size, 0) };
}
