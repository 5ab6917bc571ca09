/**
 * The one list of resource kinds. The program's stub, the provider's handlers, drift and doctor read it; a kind that
 * is added here is asked for by the compiler wherever something must be known about every kind.
 */
export const KINDS = {
	/** `entry` is what `pulumi-datachain/provider` calls the kind: a contract with every state, so it never changes. */
	PipelineSchedule: { entry: "schedule", nameField: "scheduleName", deleteFirst: true, secretOutputs: [] },
	/** What was there before may hold anybody's credentials. */
	PipelineSettings: {
		entry: "settings",
		nameField: "pipelineName",
		deleteFirst: true,
		secretOutputs: ["previous"],
	},
	JobFile: { entry: "file", nameField: "name", deleteFirst: false, secretOutputs: [] },
	Pipeline: { entry: "pipeline", nameField: "name", deleteFirst: false, secretOutputs: [] },
	Job: { entry: "job", nameField: "name", deleteFirst: true, secretOutputs: [] },
} as const satisfies Record<string, KindEntry>;

interface KindEntry {
	readonly entry: string;
	/** The input by which people know the object on the service. */
	readonly nameField: string;
	/** A replacement deletes the old object first: two of one name would both run, or forget what was there before. */
	readonly deleteFirst: boolean;
	/** Outputs that are secret by nature. */
	readonly secretOutputs: readonly string[];
}

export type Kind = keyof typeof KINDS;

export const isKind = (text: string): text is Kind => Object.hasOwn(KINDS, text);

/** How the engine names the kind in the dynamic host. */
export const dynamicType = (kind: string): string => `pulumi-nodejs:dynamic/datachain:${kind}`;

/** The plugin's package, as engine and schema name it. */
export const PLUGIN_PACKAGE = "datachain";

/**
 * How the engine names the providers that it makes itself: `default`, with the version (`default_1_2_3`), with the
 * address of the plugin (`default_https_/host`), or both. Nothing but the name tells them from a program's own.
 */
export const isDefaultProviderName = (name: string): boolean =>
	/^default(_\d+_\d+_\d+(_.*)?|_\w+_\/.*)?$/.test(name);

/** How the engine names the kind in the plugin. */
export const pluginType = (kind: string): string => `${PLUGIN_PACKAGE}:index:${kind}`;

/** Whether a type of the engine's is the kind, whichever host serves it. */
export const isTypeOf = (kind: Kind, type: string): boolean =>
	type === dynamicType(kind) || type === pluginType(kind);
