import { resolveWriteLimit } from "../api";
import { isKind, type Kind } from "../schemas/kinds";
import { createContext, type ProviderContext } from "./context";
import type { ResourceHandler } from "./handler";
import { type DynamicProvider, serveDynamically } from "./host/dynamic-host";

/** Each is loaded when a resource of its kind turns up: most deployments have one kind only. */
export const HANDLERS: Readonly<Record<Kind, () => ResourceHandler>> = {
	PipelineSchedule: () =>
		(require("./pipeline-schedule/handler") as typeof import("./pipeline-schedule/handler")).pipelineSchedule,
	PipelineSettings: () =>
		(require("./pipeline-settings/handler") as typeof import("./pipeline-settings/handler")).pipelineSettings,
	JobFile: () => (require("./job-file/handler") as typeof import("./job-file/handler")).jobFile,
};

let shared: ProviderContext | undefined;

/** The connection is resolved at the first call that needs it, and then shared by all kinds in this process. */
function contextFor(config: (key: string) => string | undefined): ProviderContext {
	shared ??= createContext({ config }, (line) => console.log(line), {
		maxConcurrentWrites: resolveWriteLimit({ config }),
	});
	return shared;
}

/**
 * The entry points that the resources in every state name: `require("pulumi-datachain/provider").schedule`. They are
 * a contract for ever; old states must find them in new versions.
 */
export const schedule = (): DynamicProvider => dynamicProvider("PipelineSchedule");
export const settings = (): DynamicProvider => dynamicProvider("PipelineSettings");
export const file = (): DynamicProvider => dynamicProvider("JobFile");

/** The form that states of the first previews name. */
export function dynamicProvider(kind: string): DynamicProvider {
	return serveDynamically(handlerOf(kind), contextFor);
}

export function handlerOf(kind: string): ResourceHandler {
	if (isKind(kind)) return HANDLERS[kind]();
	throw new Error(
		`This version of pulumi-datachain has no resource "${kind}". Install the version that made this state, or a newer one.`,
	);
}
