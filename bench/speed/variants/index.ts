import type { Deployment, VariantName } from "../model";
import type { DeploymentContext } from "./context";
import { deployWithEngine, dynamicHost, type EngineVariant } from "./engine";
import { deployRaw } from "./raw";

const engineVariants: Readonly<Record<Exclude<VariantName, "raw">, EngineVariant>> = {
	ours: { program: "ours", provider: dynamicHost, drift: true },
	idle: { program: "blank", plugin: "pulumi-nodejs", provider: dynamicHost, drift: false },
	naive: { program: "naive", provider: dynamicHost, drift: false },
	floor: {
		program: "blank",
		plugin: "schedulefloor",
		provider: /pulumi-resource-schedulefloor/,
		drift: false,
	},
};

export async function deploy(variant: VariantName, context: DeploymentContext): Promise<Deployment> {
	return variant === "raw" ? deployRaw(context) : deployWithEngine(engineVariants[variant], context);
}

/** A program of nothing but lookups. */
export function deployLookups(context: DeploymentContext): Promise<Deployment> {
	return deployWithEngine({ program: "lookups", provider: dynamicHost, drift: false }, context);
}
