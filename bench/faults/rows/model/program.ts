import type { Props } from "../../../../src/provider/handler";

export type ResourceKind = "PipelineSchedule" | "PipelineSettings" | "Pipeline";

/** One resource of a program, as a user writes it. */
export interface Resource {
	readonly kind: ResourceKind;
	/** Its name in the program. */
	readonly name: string;
	readonly args: Props;
	/** Names of resources before it. */
	readonly dependsOn?: readonly string[];
	/** Names it had before. */
	readonly aliases?: readonly string[];
	readonly protect?: boolean;
	readonly deleteBeforeReplace?: boolean;
}

const WORDS: Readonly<Record<ResourceKind, string>> = {
	PipelineSchedule: "schedule",
	PipelineSettings: "settings",
	Pipeline: "pipeline",
};

export type Program = readonly Resource[];

/** The program as a person reads it. */
export function render(program: Program): string {
	if (program.length === 0) return "(empty)";
	return program
		.map(({ kind, name, args, ...opts }) => {
			const given = Object.entries(opts).filter(([, value]) => value !== undefined);
			const text = given.length > 0 ? `  ${JSON.stringify(Object.fromEntries(given))}` : "";
			return `${WORDS[kind]} ${name} ${JSON.stringify(args)}${text}`;
		})
		.join("\n");
}
