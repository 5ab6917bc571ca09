import * as pulumi from "@pulumi/pulumi";
import {
	dynamicType,
	KINDS,
	type Kind,
	PLUGIN_PACKAGE,
	pluginType,
	providerStub,
} from "../schemas/kinds";
import { refuseOutputText } from "../text/output-text";
import { showDeclaringFrameOnly, takeNoTraces, withTrace } from "./traces";
import { isLater, isOutput, secretPaths, showAbsentAsUndefined } from "./values";

/** `optional` is an input without a default: if the program leaves it out, the output is undefined. `output` is any other. */
type Presence = "optional" | "output";

/** Every output that the class declares. The compiler asks for one that is missing, and for its presence as the types say it. */
export type PropertiesOf<Resource, Args> = {
	readonly [Name in Exclude<
		keyof Resource,
		keyof pulumi.CustomResource
	>]: Name extends keyof Args ? PresenceOf<Resource[Name]> : "output";
};

type PresenceOf<Output> =
	Output extends pulumi.Output<infer Value>
		? undefined extends Value
			? "optional"
			: "output"
		: never;

/** What the base class needs to know of a kind of resource beside its row in `KINDS`. */
export interface Declaration<Args extends object> {
	readonly kind: Kind;
	/** Properties that the resource shows; the SDK makes Outputs only of those it is told. Write `satisfies PropertiesOf`. */
	readonly properties: Readonly<Record<string, Presence>>;
	/** Inputs that the provider makes of others. Whoever ignores changes of the others ignores theirs, too. */
	readonly derivedFrom?: Readonly<Record<string, readonly string[]>>;
	/** What to do instead of the `import` option. */
	readonly insteadOfImport: string;
	/** The inputs as they travel to the provider. `where` names the resource in messages. */
	readonly inputs: (args: Partial<Args>, where: string) => pulumi.Inputs;
}

/**
 * A resource shows its inputs as outputs, too. A class that says so has the comments of the inputs: an editor shows them
 * where the class itself has none.
 */
export type InputsAsOutputs<Args> = { readonly [Name in keyof Args]-?: unknown };

/**
 * A dynamic resource whose provider is named, not serialized. It registers what `pulumi.dynamic.Resource` would, a
 * `__provider` text under the type `pulumi-nodejs:dynamic/…`, without the closure serializer. README.md says why.
 */
export abstract class DynamicResource<
	Args extends object,
> extends pulumi.CustomResource {
	protected constructor(
		declaration: Declaration<Args>,
		name: string,
		args: Args | null | undefined,
		options: pulumi.CustomResourceOptions | null | undefined,
	) {
		const { kind, insteadOfImport } = declaration;
		const properties = Object.keys(declaration.properties);
		const where = resourceLabel(kind, name);
		const onPlugin = isServedByPlugin(kind, options ?? {});
		const opts = givenOptions(where, insteadOfImport, options, onPlugin);
		const type = onPlugin ? pluginType(kind) : dynamicType(kind);
		refuseOnBothHosts(where, type, opts.parent);
		const inputs = declaration.inputs(givenArgs(where, args), where);
		if (!onPlugin) warnOfClearToken();
		const preview = pulumi.runtime.isDryRun();
		const props = {
			...Object.fromEntries(properties.map((key) => [key, undefined])),
			...inputs,
			...(!onPlugin && hostInputs(kind, name, inputs, opts)),
		};
		const showAllFrames = showDeclaringFrameOnly();
		const takeTraces = takeNoTraces(opts);
		try {
			super(type, name, props, engineOptions(opts, declaration, onPlugin));
		} catch (error) {
			takeTraces();
			throw withTrace(error);
		} finally {
			takeTraces();
			showAllFrames();
		}
		if (!onPlugin && (opts.replaceOnChanges ?? []).length > 0) {
			const text = `${where}: replaceOnChanges has no effect on a dynamic resource. Give it a datachain Provider, or replace it with "pulumi up --replace".`;
			void pulumi.log.warn(text, this);
		}
		if (!preview) return;
		const isRead = opts.id !== undefined || opts.urn !== undefined;
		const isLeftOut = (key: string) =>
			declaration.properties[key] === "optional" &&
			(inputs[key] ?? undefined) === undefined;
		const leftOut = isRead ? [] : properties.filter(isLeftOut);
		showAbsentAsUndefined(this, properties, leftOut);
	}
}

/** What the dynamic host does not tell the provider; the engine tells the plugin all of it. No diff looks at these. */
function hostInputs(
	kind: Kind,
	name: string,
	inputs: pulumi.Inputs,
	{ parent }: pulumi.CustomResourceOptions,
): pulumi.Inputs {
	const secret = secretPaths(inputs);
	return {
		__urn: resourceUrn(name, dynamicType(kind), parent),
		...(pulumi.runtime.isDryRun() && { __preview: true }),
		...(secret && { __secret: secret }),
		__provider: providerStub(kind),
	};
}

/**
 * The URN that the engine will give to a resource. A promise under a parent, not an Output: an Output would make the
 * resource depend on its parent, and the children of one component would wait for each other for ever.
 */
function resourceUrn(
	name: string,
	type: string,
	parent: pulumi.Resource | undefined,
): string | Promise<unknown> {
	if (!parent)
		return `urn:pulumi:${pulumi.getStack()}::${pulumi.getProject()}::${type}::${name}`;
	const urn: unknown = pulumi.createUrn(name, type, parent);
	const later = isOutput(urn) ? urn.promise() : Promise.resolve(urn);
	// A parent that fails is reported by itself, also if nothing waits for this promise any more.
	later.catch(() => undefined);
	return later;
}

/** With `--replace` the engine asks no provider in which order to replace; only the option tells it. */
function engineOptions(
	opts: pulumi.CustomResourceOptions,
	{ kind, derivedFrom = {} }: Declaration<never>,
	onPlugin: boolean,
): pulumi.CustomResourceOptions {
	const { deleteFirst } = KINDS[kind];
	const ignored = opts.ignoreChanges ?? [];
	const alsoIgnored = Object.keys(derivedFrom).filter((made) =>
		derivedFrom[made]?.some((of) => ignored.includes(of)),
	);
	return {
		...opts,
		...(alsoIgnored.length > 0 && { ignoreChanges: [...ignored, ...alsoIgnored] }),
		// Moving a resource between the hosts is a rename to the engine: the other form's state is its own.
		aliases: [
			...(opts.aliases ?? []),
			{ type: onPlugin ? dynamicType(kind) : pluginType(kind) },
		],
		...(deleteFirst && { deleteBeforeReplace: opts.deleteBeforeReplace ?? true }),
	};
}

/** How messages name a resource. */
function resourceLabel(kind: string, name: unknown): string {
	refuseOutputText(`The name of a ${kind}`, name);
	if (typeof name === "string" && name !== "") return `${kind} "${name}"`;
	throw new TypeError(`A ${kind} needs a name: new ${kind}("name", { … }).`);
}

/** The arguments as given, none if there are none; the provider's check says what is missing. */
function givenArgs<Args extends object>(
	where: string,
	args: Args | null | undefined,
): Partial<Args> {
	if (args === undefined || args === null) return {};
	if (typeof args === "object" && !Array.isArray(args) && !isLater(args)) return args;
	throw new TypeError(
		`${where}: its arguments must be an object, { … }. Single values in it may be outputs.`,
	);
}

/** Refuses options that would otherwise end in an error without the resource's name and without a hint. */
function givenOptions(
	where: string,
	insteadOfImport: string,
	options: pulumi.CustomResourceOptions | null | undefined,
	onPlugin: boolean,
): pulumi.CustomResourceOptions {
	if (options?.import && !onPlugin) {
		throw new TypeError(
			`${where}: the import option does not work with dynamic resources. ${insteadOfImport}`,
		);
	}
	if (options?.parent && !pulumi.Resource.isInstance(options.parent)) {
		throw new TypeError(
			`${where}: the parent option must be a resource itself, not its name, its URN or an output.`,
		);
	}
	return options ?? {};
}

/** True if the program, or a component above, hands the resource a provider of the plugin. */
function isServedByPlugin(kind: Kind, opts: pulumi.CustomResourceOptions): boolean {
	const parent = pulumi.Resource.isInstance(opts.parent) ? opts.parent : undefined;
	const provider: unknown = opts.provider ?? parent?.getProvider(pluginType(kind));
	// The SDK's declarations leave out how a provider names its package.
	return (
		pulumi.ProviderResource.isInstance(provider) &&
		Reflect.get(provider, "pkg") === PLUGIN_PACKAGE
	);
}

/** The type with which each resource was declared, by its parent. */
const declared = new WeakMap<object, Map<string, string>>();
const topLevel = {};

/**
 * A resource may move between the dynamic host and the plugin, because each form is an alias of the other. So two
 * resources that differ in nothing but the host would take each other's state.
 */
function refuseOnBothHosts(
	where: string,
	type: string,
	parent: pulumi.Resource | undefined,
): void {
	const siblings = declared.get(parent ?? topLevel) ?? new Map<string, string>();
	declared.set(parent ?? topLevel, siblings);
	const before = siblings.get(where) ?? type;
	siblings.set(where, type);
	if (before === type) return;
	throw new TypeError(
		`${where} is declared twice, with an explicit provider and without one. Give one of the two another name.`,
	);
}

let warned = false;

/** A token set without --secret is in plain text in the stack's settings file and in the state; say so once. */
function warnOfClearToken(): void {
	if (warned) return;
	warned = true;
	if (
		new pulumi.Config("datachain").get("token") === undefined ||
		isSecretInConfig("datachain:token")
	)
		return;
	void pulumi.log.warn(
		'datachain:token is stored in plain text. Run "pulumi config set --secret datachain:token" with a new token, and revoke this one.',
	);
}

/** The engine lists the secret keys for the program; if it does not, nothing can be said. */
function isSecretInConfig(key: string): boolean {
	try {
		const keys: unknown = JSON.parse(process.env.PULUMI_CONFIG_SECRET_KEYS ?? "");
		return !Array.isArray(keys) || keys.includes(key);
	} catch {
		return true;
	}
}
