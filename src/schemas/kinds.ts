/**
 * The one list of resource kinds. The program's stub, the provider's handlers, drift and doctor read it; a kind that
 * is added here is asked for by the compiler wherever something must be known about every kind.
 */
export const KINDS = {
	/** `entry` is what `pulumi-datachain/provider` calls the kind: a contract with every state, so it never changes. */
	PipelineSchedule: {
		entry: "schedule",
		label: "Schedule",
		nameField: "scheduleName",
		deleteFirst: false,
		listedIn: "schedules",
		pipelineField: "pipelineName",
	},
	PipelineSettings: {
		entry: "settings",
		label: "Settings",
		nameField: "pipelineName",
		deleteFirst: false,
		listedIn: "pipelines",
		pipelineField: "pipelineName",
	},
	JobFile: {
		entry: "file",
		label: "File",
		nameField: "name",
		deleteFirst: false,
		notReadBack: {
			content: "The service has no request that reads an uploaded file back.",
		},
	},
	Pipeline: {
		entry: "pipeline",
		label: "Pipeline",
		nameField: "name",
		deleteFirst: false,
		listedIn: "pipelines",
		pipelineField: "name",
		expectedStatus: () => "COMPLETED",
	},
	Job: {
		entry: "job",
		label: "Job",
		nameField: "name",
		deleteFirst: true,
		expectedStatus: ({ cronExpression }) =>
			cronExpression === undefined ? "COMPLETE" : "TASK",
	},
} as const satisfies Record<string, KindEntry>;

interface KindEntry {
	readonly entry: string;
	/** How reports call it. */
	readonly label: string;
	/** The input or output by which people know the object on the service. */
	readonly nameField: string;
	/** A replacement deletes the old object first, because both would run. */
	readonly deleteFirst: boolean;
	/** The list of the team, of those that drift reads, that shows the object; none if left out. */
	readonly listedIn?: "schedules" | "pipelines";
	/** The input or output that names the pipeline it manages or runs, if it does. */
	readonly pipelineField?: string;
	/** The status that the declared object has if all is well, for a kind whose status is compared. */
	readonly expectedStatus?: (inputs: Readonly<Record<string, unknown>>) => string;
	/** What no request reads back, with the reason. */
	readonly notReadBack?: Readonly<Record<string, string>>;
}

export type Kind = keyof typeof KINDS;

export const isKind = (text: string): text is Kind => Object.hasOwn(KINDS, text);

/** What is known of a kind; undefined for one that only another version of this package has. */
export const kindEntry = (kind: string): KindEntry | undefined =>
	isKind(kind) ? KINDS[kind] : undefined;

/** How the engine names the kind in the dynamic host. */
export const dynamicType = (kind: string): string =>
	`pulumi-nodejs:dynamic/datachain:${kind}`;

/**
 * The text that stands as `__provider` in the state of every resource. `refresh` and `destroy` run the text of the *old*
 * state, so it must never change and work for ever; src/resources/README.md says more.
 */
export const providerStub = (kind: Kind): string =>
	`exports.handler=require("pulumi-datachain/provider").${KINDS[kind].entry}`;

/** The plugin's package, as engine and schema name it. */
export const PLUGIN_PACKAGE = "datachain";

/** Where the engine finds the plugin's archives by itself: the releases of the repository. */
export const PLUGIN_SERVER =
	"github://api.github.com/pulumi-datachain/pulumi-datachain";

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
