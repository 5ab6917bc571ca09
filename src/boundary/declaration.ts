import * as pulumi from "@pulumi/pulumi";
import { isLater } from "./sdk-output";

/** What the base class needs to know of a kind of resource. */
export interface Declaration<Args extends object> {
	readonly kind: string;
	/** How the engine names the kind. */
	readonly type: string;
	/** How the engine names the kind where the plugin serves it. */
	readonly pluginType: string;
	/** How `pulumi-datachain/provider` names it. */
	readonly entry: string;
	/** Properties that the resource shows; the SDK makes Outputs only of those it is told. */
	readonly properties: readonly string[];
	/** Those of them that are inputs which nobody fills in: left out by the program, they are undefined. */
	readonly optional: readonly string[];
	/** A replacement deletes the old object first, unless the program says otherwise. */
	readonly deleteFirst: boolean;
	/** Inputs that the provider makes of others: who ignores changes of one of those ignores theirs. */
	readonly madeOf?: Readonly<Record<string, readonly string[]>>;
	/** Outputs that are secret whatever the inputs are. */
	readonly secretOutputs: readonly string[];
	/** What to do where the `import` option was meant. */
	readonly insteadOfImport: string;
	/** The inputs as they travel to the provider. `where` names the resource in messages. */
	readonly inputs: (args: Partial<Args>, where: string) => pulumi.Inputs;
}

/** The arguments as given, none where there are none; the provider's check says what is missing. */
export function givenArgs<Args extends object>(where: string, args: Args | null | undefined): Partial<Args> {
	if (args === undefined || args === null) return {};
	if (typeof args === "object" && !Array.isArray(args) && !isLater(args)) return args;
	throw new TypeError(
		`${where}: its arguments must be an object, { … }. Single values in it may be outputs.`,
	);
}

/** Refuses options that would otherwise end in an error that names neither the resource nor the way out. */
export function givenOptions(
	where: string,
	insteadOfImport: string,
	options: pulumi.CustomResourceOptions | null | undefined,
	isOnPlugin: boolean,
): pulumi.CustomResourceOptions {
	if (options?.import && !isOnPlugin) {
		throw new TypeError(
			`${where}: the import option does not work with dynamic resources. ${insteadOfImport} With provider: new Provider(…) it works.`,
		);
	}
	if (options?.parent && !pulumi.Resource.isInstance(options.parent)) {
		throw new TypeError(
			`${where}: the parent option must be a resource itself, not its name, its URN or an output.`,
		);
	}
	return options ?? {};
}

/** How messages name a resource. */
export function resourceLabel(kind: string, name: unknown): string {
	if (typeof name === "string" && name !== "") return `${kind} "${name}"`;
	throw new TypeError(`A ${kind} needs a name: new ${kind}("name", { … }).`);
}
