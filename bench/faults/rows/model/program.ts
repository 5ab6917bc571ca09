import type { Props } from "../../../../src/provider/handler";
import { KINDS, type Kind } from "../../../../src/schemas/kinds";

/** Who serves the handlers to the engine. */
export type Host = "dynamic" | "plugin";

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
	readonly deleteBeforeReplace?: boolean;
	/** Who serves it, where that is not the place's usual host. */
	readonly host?: Host;
}

export type Program = readonly Resource[];

/** The program as a person reads it. */
export function render(program: Program): string {
	if (program.length === 0) return "(empty)";
	return program
		.map(({ kind, name, args, ...opts }) => {
			const text = Object.keys(opts).length > 0 ? `  ${JSON.stringify(opts)}` : "";
			return `${KINDS[kind].entry} ${name} ${JSON.stringify(args)}${text}`;
		})
		.join("\n");
}
