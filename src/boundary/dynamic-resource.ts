import * as pulumi from "@pulumi/pulumi";
import { showAbsentAsUndefined } from "./absent-outputs";
import { warnOfClearToken } from "./clear-token";
import { type Declaration, givenArgs, givenOptions, resourceLabel } from "./declaration";
import { showDeclaringFrameOnly } from "./declaring-frame";
import { isServedByPlugin, refuseOnBothHosts } from "./plugin-provider";
import { takeNoTraces, withTrace } from "./quiet-traces";
import { resourceUrn } from "./resource-urn";
import { secretPaths } from "./secret-paths";
import { providerStub } from "./stub";

/**
 * A dynamic resource whose provider is named, not serialized. It registers what `pulumi.dynamic.Resource` would, a
 * `__provider` text under the type `pulumi-nodejs:dynamic/…`, without the closure serializer. Beside the inputs it
 * tells the provider what the host does not: `__urn`, whose call it is; `__preview`, that nothing will be written;
 * `__secret`, which inputs are secret in the program. No diff looks at these three.
 */
export abstract class DynamicResource<Args extends object> extends pulumi.CustomResource {
	protected constructor(
		declaration: Declaration<Args>,
		name: string,
		args: Args | null | undefined,
		options: pulumi.CustomResourceOptions | null | undefined,
	) {
		const { kind, properties, optional, insteadOfImport } = declaration;
		const where = resourceLabel(kind, name);
		const onPlugin = isServedByPlugin(declaration.pluginType, options ?? {});
		const opts = givenOptions(where, insteadOfImport, options, onPlugin);
		const type = onPlugin ? declaration.pluginType : declaration.type;
		refuseOnBothHosts(where, type, opts.parent);
		const inputs = declaration.inputs(givenArgs(where, args), where);
		if (!onPlugin) warnOfClearToken();
		const preview = pulumi.runtime.isDryRun();
		const props = {
			...Object.fromEntries(properties.map((key) => [key, undefined])),
			...inputs,
			...(!onPlugin && hostInputs(declaration, name, inputs, opts)),
		};
		const showAllFrames = showDeclaringFrameOnly();
		const takeTraces = takeNoTraces(opts);
		try {
			super(type, name, props, engineOptions(opts, declaration, type));
		} catch (error) {
			takeTraces();
			throw withTrace(error);
		} finally {
			takeTraces();
			showAllFrames();
		}
		if (!preview) return;
		const isRead = opts.id !== undefined || opts.urn !== undefined;
		const leftOut = isRead ? [] : optional.filter((key) => (inputs[key] ?? undefined) === undefined);
		showAbsentAsUndefined(this, properties, leftOut);
	}
}

/** What the dynamic host needs beside the user's inputs; the engine tells the plugin all of it. */
function hostInputs(
	{ type, entry }: Pick<Declaration<object>, "type" | "entry">,
	name: string,
	inputs: pulumi.Inputs,
	{ parent }: pulumi.CustomResourceOptions,
): pulumi.Inputs {
	const secret = secretPaths(inputs);
	return {
		__urn: resourceUrn(name, type, parent),
		...(pulumi.runtime.isDryRun() && { __preview: true }),
		...(secret && { __secret: secret }),
		__provider: providerStub(entry),
	};
}

/** With `--replace` the engine asks no provider in which order to replace; only the option tells it. */
function engineOptions(
	opts: pulumi.CustomResourceOptions,
	{ deleteFirst, madeOf = {}, secretOutputs, ...forms }: Declaration<never>,
	type: string,
): pulumi.CustomResourceOptions {
	const ignored = opts.ignoreChanges ?? [];
	const alsoIgnored = Object.keys(madeOf).filter((made) => madeOf[made]?.some((of) => ignored.includes(of)));
	return {
		...opts,
		...(alsoIgnored.length > 0 && { ignoreChanges: [...ignored, ...alsoIgnored] }),
		// Moving a resource between the hosts is a rename to the engine: the other form's state is its own.
		aliases: [...(opts.aliases ?? []), { type: type === forms.type ? forms.pluginType : forms.type }],
		...(deleteFirst && { deleteBeforeReplace: opts.deleteBeforeReplace ?? true }),
		...(secretOutputs.length > 0 && {
			additionalSecretOutputs: [...(opts.additionalSecretOutputs ?? []), ...secretOutputs],
		}),
	};
}
