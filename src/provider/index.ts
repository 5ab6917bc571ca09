import "./hosts/short-lived-process";
import { resolveRequestLog, resolveWriteLimit } from "../client";
import { dynamicType } from "../schemas/kinds";
import {
	type DynamicProvider,
	engineCancel,
	serveDynamically,
} from "./hosts/dynamic-host";
import { connectThroughHost, EngineLog } from "./hosts/engine-log";
import { handlerOf } from "./hosts/hosting";
import { adoptsEqual, createContext, type ProviderContext } from "./run/context";
import { engineAddress } from "./run/shared-owners";

const log = new EngineLog(engineAddress(), connectThroughHost, (text) =>
	console.log(text),
);
let shared: ProviderContext | undefined;

/** The connection is resolved at the first call that needs it, and then shared by all kinds in this process. */
function contextFor(config: (key: string) => string | undefined): ProviderContext {
	shared ??= createContext({ config }, log.info, {
		maxConcurrentWrites: resolveWriteLimit({ config }),
		log: resolveRequestLog({ config }),
		interrupt: engineCancel(),
		engine: engineAddress(),
		adoptEqual: adoptsEqual({}),
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
export const pipeline = (): DynamicProvider => dynamicProvider("Pipeline");
export const job = (): DynamicProvider => dynamicProvider("Job");

function dynamicProvider(kind: string): DynamicProvider {
	return serveDynamically(handlerOf(kind), contextFor, dynamicType(kind), () =>
		log.arrived(),
	);
}
