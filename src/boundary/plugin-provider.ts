import * as pulumi from "@pulumi/pulumi";

/** True where the program, or a component above, hands the resource a provider of the plugin. */
export function isServedByPlugin(pluginType: string, opts: pulumi.CustomResourceOptions): boolean {
	const parent = pulumi.Resource.isInstance(opts.parent) ? opts.parent : undefined;
	const provider: unknown = opts.provider ?? parent?.getProvider(pluginType);
	// The SDK's declarations leave out how a provider names its package.
	return (
		pulumi.ProviderResource.isInstance(provider) &&
		Reflect.get(provider, "pkg") === pluginType.split(":", 1)[0]
	);
}

/** The form in which each resource was declared, below its parent. */
const declared = new WeakMap<object, Map<string, string>>();
const topLevel = {};

/**
 * A resource may move between the dynamic host and the plugin, because each form is an alias of the other. So two
 * resources that differ in nothing but the host would take each other's state.
 */
export function refuseOnBothHosts(where: string, type: string, parent: pulumi.Resource | undefined): void {
	const siblings = declared.get(parent ?? topLevel) ?? new Map<string, string>();
	declared.set(parent ?? topLevel, siblings);
	const before = siblings.get(where) ?? type;
	siblings.set(where, type);
	if (before === type) return;
	throw new TypeError(
		`${where} is declared twice, with a provider of its own and without. Give one of the two another name.`,
	);
}
