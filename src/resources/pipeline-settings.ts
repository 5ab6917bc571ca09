import type * as pulumi from "@pulumi/pulumi";
import type { PipelineSettingsOnDestroy } from "../schemas/enums";
import type { StorageArgs, StorageByKind, StorageInput } from "../storage";
import {
	type Declaration,
	DynamicResource,
	type InputsAsOutputs,
	type PropertiesOf,
} from "./base";
import type { JobFile } from "./job-file";
import { runInputs } from "./run-inputs";

export interface PipelineSettingsArgs {
	/** Name of the pipeline whose settings these are. Changing it releases the settings of the old pipeline (`onDestroy`). */
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
	 * Environment variables of the pipeline's jobs. Only the declared variables are managed. Variables of other users are
	 * kept. If you remove a variable from the program, it is removed from the pipeline. A value that is a Pulumi secret is encrypted in the state.
	 */
	environment?: pulumi.Input<Record<string, pulumi.Input<string>>>;
	/**
	 * Storage parameters of the jobs, by kind of storage. Passed in the environment (`FSSPEC_S3`, …), so
	 * scripts need no credentials. Credentials are stored as secrets automatically.
	 *
	 * ```ts
	 * storage: [storage.s3({ … }), storage.gs({ … })]
	 * storage: { s3: { … }, gs: { … } }
	 * ```
	 */
	storage?: pulumi.Input<StorageInput[] | StorageArgs | StorageByKind>;
	/** Files attached to the pipeline's jobs. The API does not return them, so drift in them cannot be detected. */
	files?: pulumi.Input<pulumi.Input<string | JobFile>[]>;
	/** Names of credential sets stored in the service. The API does not return them, so drift in them cannot be detected. */
	credentialsNames?: pulumi.Input<pulumi.Input<string>[]>;
	/** Whether the pipeline is paused. If omitted, it is not managed. */
	paused?: pulumi.Input<boolean>;
	/** Team to work in. Default: the connection's. */
	teamName?: pulumi.Input<string>;
	/** Adopt settings that already have a value. Default: false, and the deployment fails and names them. */
	adopt?: pulumi.Input<boolean>;
	/**
	 * What happens to the declared settings and variables when this resource is deleted: `keep` (default) leaves them,
	 * `reset` removes them.
	 */
	onDestroy?: pulumi.Input<PipelineSettingsOnDestroy>;
}

const DECLARATION: Declaration<PipelineSettingsArgs> = {
	kind: "PipelineSettings",
	properties: {
		pipelineName: "output",
		pythonVersion: "optional",
		requirements: "optional",
		repository: "optional",
		workers: "optional",
		priority: "optional",
		environment: "optional",
		storage: "optional",
		files: "optional",
		credentialsNames: "optional",
		paused: "optional",
		adopt: "optional",
		teamName: "output",
		onDestroy: "output",
		pipelineId: "output",
		uncheckedKeys: "output",
		adopted: "output",
		serviceUrl: "output",
	} satisfies PropertiesOf<PipelineSettings, PipelineSettingsArgs>,
	insteadOfImport:
		"Leave it out and set adopt to true, which adopts the existing settings. With provider: new Provider(…) it works.",
	inputs: runInputs,
};

/**
 * Settings of a pipeline. Only the keys and variables you declare are managed and compared; others are kept. If
 * you remove a key or variable from the program, it is removed from the pipeline.
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
export class PipelineSettings
	extends DynamicResource<PipelineSettingsArgs>
	implements InputsAsOutputs<PipelineSettingsArgs>
{
	declare readonly pipelineName: pulumi.Output<string>;
	declare readonly pythonVersion: pulumi.Output<string | undefined>;
	declare readonly requirements: pulumi.Output<string | string[] | undefined>;
	declare readonly repository: pulumi.Output<string | undefined>;
	declare readonly workers: pulumi.Output<number | undefined>;
	declare readonly priority: pulumi.Output<number | undefined>;
	declare readonly environment: pulumi.Output<Record<string, string> | undefined>;
	/** The storage configs' parameters, by kind. */
	declare readonly storage: pulumi.Output<
		Record<string, Record<string, unknown>> | undefined
	>;
	declare readonly files: pulumi.Output<string[] | undefined>;
	declare readonly credentialsNames: pulumi.Output<string[] | undefined>;
	declare readonly paused: pulumi.Output<boolean | undefined>;
	declare readonly teamName: pulumi.Output<string>;
	declare readonly adopt: pulumi.Output<boolean | undefined>;
	declare readonly onDestroy: pulumi.Output<PipelineSettingsOnDestroy>;
	/** The service's id of the pipeline. */
	declare readonly pipelineId: pulumi.Output<string>;
	/** Declared keys that the API does not return, so drift in them cannot be detected. */
	declare readonly uncheckedKeys: pulumi.Output<string[]>;
	/** True if the settings existed before and were adopted. */
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

	constructor(
		name: string,
		args: PipelineSettingsArgs,
		opts?: pulumi.CustomResourceOptions,
	) {
		super(DECLARATION, name, args, opts);
	}
}
