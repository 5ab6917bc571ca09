import type * as pulumi from "@pulumi/pulumi";
import type { Declaration } from "../boundary/declaration";
import { DynamicResource } from "../boundary/dynamic-resource";
import type { StorageByKind, StorageInput } from "../storage";
import { declaredKind } from "./declared-kind";
import type { JobFile } from "./job-file";
import { runInputs } from "./run-inputs";

export interface PipelineSettingsArgs {
	/** Name of the pipeline whose settings these are. Changing it lets go of the old pipeline's settings (`onDestroy`). */
	pipelineName: pulumi.Input<string>;
	/** Python version of the pipeline's jobs, such as `3.12`. Empty means the service's default. */
	pythonVersion?: pulumi.Input<string>;
	/** Packages to install: a list, or the text of a requirements file. With a password in it, it is stored as a secret. */
	requirements?: pulumi.Input<string | pulumi.Input<string>[]>;
	/** Repository to clone, with an optional `@revision`. One with a password in it is stored as a secret. */
	repository?: pulumi.Input<string>;
	/** Number of workers of the pipeline's jobs. */
	workers?: pulumi.Input<number>;
	/** 0 to 5; lower runs sooner. */
	priority?: pulumi.Input<number>;
	/**
	 * Environment variables of the pipeline's jobs, all of them: a variable that someone adds elsewhere is drift. Wrap a
	 * value in `pulumi.secret(…)` or take it from `config.requireSecret(…)`, and it is encrypted in the state.
	 */
	environment?: pulumi.Input<Record<string, pulumi.Input<string>>>;
	/**
	 * How the jobs reach their data, at most one config for each kind of storage: `[storage.s3({ … }), storage.gs({ … })]`,
	 * or the parameters by kind: `{ s3: { … }, gs: { … } }`. Rendered into the environment (`FSSPEC_S3`, …), so that scripts need no credentials. Credentials become secrets by
	 * themselves. Without `environment`, only these variables are managed.
	 */
	storage?: pulumi.Input<StorageInput[] | StorageByKind>;
	/** Files attached to the pipeline's jobs. The service does not show them, so drift in them is not found. */
	files?: pulumi.Input<pulumi.Input<string | JobFile>[]>;
	/** Names of credential sets stored in the service. Not shown by it either. */
	credentialsNames?: pulumi.Input<pulumi.Input<string>[]>;
	/** Whether the pipeline is paused. Left out, it is not managed. */
	paused?: pulumi.Input<boolean>;
	/** Team to work in. Default: the connection's. */
	teamName?: pulumi.Input<string>;
	/** Take over settings to which somebody gave a value, equal or not. Default false: they are refused, by name. */
	adopt?: pulumi.Input<boolean>;
	/**
	 * What happens to the settings when this resource goes: `keep` (default) leaves them, `restore` puts back what was
	 * there when Pulumi took over, `reset` clears the declared keys.
	 */
	onDestroy?: pulumi.Input<"keep" | "restore" | "reset">;
}

/** Inputs that are undefined where the program leaves them out. */
const OPTIONAL = [
	"pythonVersion",
	"requirements",
	"repository",
	"workers",
	"priority",
	"environment",
	"storage",
	"files",
	"credentialsNames",
	"paused",
	"adopt",
];

const DECLARATION: Declaration<PipelineSettingsArgs> = {
	...declaredKind("PipelineSettings"),
	properties: [
		"pipelineName",
		...OPTIONAL,
		"teamName",
		"onDestroy",
		"pipelineId",
		"uncheckedKeys",
		"previous",
		"adopted",
		"serviceUrl",
	],
	optional: OPTIONAL,
	insteadOfImport: "Leave it out and set adopt: true, which takes over the settings that are there.",
	inputs: runInputs,
};

/**
 * Settings of a pipeline. Only the keys you declare are managed and compared; all others stay as they are. An
 * omitted key and an empty one are different things: `environment: {}` removes every variable.
 *
 * ```ts
 * new datachain.PipelineSettings("images", {
 *     pipelineName: "nightly-images",
 *     pythonVersion: "3.12",
 *     requirements: ["pillow==11.0.0"],
 *     environment: { MODEL: "clip", API_KEY: config.requireSecret("apiKey") },
 * });
 * ```
 */
export class PipelineSettings extends DynamicResource<PipelineSettingsArgs> {
	declare readonly pipelineName: pulumi.Output<string>;
	declare readonly pythonVersion: pulumi.Output<string | undefined>;
	declare readonly requirements: pulumi.Output<string | string[] | undefined>;
	declare readonly repository: pulumi.Output<string | undefined>;
	declare readonly workers: pulumi.Output<number | undefined>;
	declare readonly priority: pulumi.Output<number | undefined>;
	declare readonly environment: pulumi.Output<Record<string, string> | undefined>;
	/** The storage configs' parameters, by kind. */
	declare readonly storage: pulumi.Output<Record<string, Record<string, unknown>> | undefined>;
	declare readonly files: pulumi.Output<string[] | undefined>;
	declare readonly credentialsNames: pulumi.Output<string[] | undefined>;
	declare readonly paused: pulumi.Output<boolean | undefined>;
	declare readonly teamName: pulumi.Output<string>;
	declare readonly adopt: pulumi.Output<boolean | undefined>;
	declare readonly onDestroy: pulumi.Output<"keep" | "restore" | "reset">;
	/** The service's id of the pipeline. */
	declare readonly pipelineId: pulumi.Output<string>;
	/** Declared keys that the service does not show, so that drift in them cannot be found. */
	declare readonly uncheckedKeys: pulumi.Output<string[]>;
	/** What was there before Pulumi took over, for `onDestroy: "restore"`; JSON, always secret. */
	declare readonly previous: pulumi.Output<string>;
	/** True where the settings existed before and were taken over. */
	declare readonly adopted: pulumi.Output<boolean>;
	/** The service they were deployed to. */
	declare readonly serviceUrl: pulumi.Output<string>;

	/** Reads an existing one without managing it. The id is `team/pipeline`. */
	static get(
		name: string,
		id: pulumi.Input<pulumi.ID>,
		opts?: pulumi.CustomResourceOptions,
	): PipelineSettings {
		return new PipelineSettings(name, {} as PipelineSettingsArgs, { ...opts, id });
	}

	constructor(name: string, args: PipelineSettingsArgs, opts?: pulumi.CustomResourceOptions) {
		super(DECLARATION, name, args, opts);
	}
}
