import type * as pulumi from "@pulumi/pulumi";
import type { JobQueryType } from "../schemas/enums";
import type { StorageArgs, StorageByKind, StorageInput } from "../storage";
import {
	type Declaration,
	DynamicResource,
	type InputsAsOutputs,
	type PropertiesOf,
} from "./base";
import type { JobFile } from "./job-file";
import { runInputs } from "./run-inputs";
import { withoutEmptyAsset } from "./values";

/** Changing any input except `wait` and `timeout` cancels the job if it still runs, and runs a new one. */
export interface JobArgs {
	/** The query's text. Give this or `file`. */
	query?: pulumi.Input<string>;
	/** The query's file: a path (relative to the program) or a Pulumi asset. Only a change of its content runs a new job. */
	file?: pulumi.Input<string | pulumi.asset.Asset>;
	/** Default: by the extension of the file (`.py`, `.sh`); `PYTHON` for `query`. */
	queryType?: pulumi.Input<JobQueryType>;
	/** Name of the job. Default: the file's name, or the resource's; renaming those does not run the job again. */
	name?: pulumi.Input<string>;
	/** Number of workers. The preview fails if the cluster allows fewer. */
	workers?: pulumi.Input<number>;
	/** Environment variables. A value that is a Pulumi secret is encrypted in the state and redacted from log lines. */
	environment?: pulumi.Input<Record<string, pulumi.Input<string>>>;
	/** Storage parameters of the job, as for `PipelineSettings`. */
	storage?: pulumi.Input<StorageInput[] | StorageArgs | StorageByKind>;
	/** Packages to install: a list, or the text of a requirements file. With a password in it, it is stored as a secret. */
	requirements?: pulumi.Input<string | pulumi.Input<string>[]>;
	/** Repository to clone, with an optional `@revision`. One with a password in it is stored as a secret. */
	repository?: pulumi.Input<string>;
	/** Python version, such as `3.12`. */
	pythonVersion?: pulumi.Input<string>;
	/** 0 to 5; lower runs sooner. */
	priority?: pulumi.Input<number>;
	/** Name of the compute cluster. Set this or `clusterId`, not both. The preview fails if the cluster is not active. */
	clusterName?: pulumi.Input<string>;
	/** Id of the compute cluster. */
	clusterId?: pulumi.Input<number | string>;
	/** Files that the job sees. */
	files?: pulumi.Input<pulumi.Input<string | JobFile>[]>;
	/** Name of a credential set stored in the service. */
	credentialsName?: pulumi.Input<string>;
	/** Start time (ISO 8601). The service stores a task that starts the job then. */
	startAfter?: pulumi.Input<string>;
	/** Runs the job on a schedule: five cron fields in UTC. The service stores a task; destroying the resource ends it. */
	cronExpression?: pulumi.Input<string>;
	/** Id of a job to run again from. */
	rerunFrom?: pulumi.Input<string>;
	/** With `rerunFrom`: start from the beginning, without checkpoints. */
	reset?: pulumi.Input<boolean>;
	/** The deployment waits for the job to end, shows its log, and fails if the job fails. Default: false. */
	wait?: pulumi.Input<boolean>;
	/** How long to wait: `90s`, `30m`, `1h30m`, or a number of seconds. Default: `1h`. After that the deployment fails and the job keeps running. */
	timeout?: pulumi.Input<string | number>;
	/** Any value. Changing it runs the job again. */
	triggers?: pulumi.Input<unknown>;
	/** Team to work in. Default: the connection's. */
	teamName?: pulumi.Input<string>;
}

const DECLARATION: Declaration<JobArgs> = {
	kind: "Job",
	derivedFrom: { contentHash: ["query", "file"] },
	properties: {
		query: "optional",
		file: "optional",
		workers: "optional",
		environment: "optional",
		storage: "optional",
		requirements: "optional",
		repository: "optional",
		pythonVersion: "optional",
		priority: "optional",
		clusterName: "optional",
		clusterId: "optional",
		files: "optional",
		credentialsName: "optional",
		startAfter: "optional",
		cronExpression: "optional",
		rerunFrom: "optional",
		reset: "optional",
		wait: "optional",
		timeout: "optional",
		triggers: "optional",
		queryType: "output",
		name: "output",
		teamName: "output",
		contentHash: "output",
		jobId: "output",
		status: "output",
		url: "output",
		createdAt: "output",
		createdBy: "output",
		startedAt: "output",
		finishedAt: "output",
		exitCode: "output",
		serviceUrl: "output",
	} satisfies PropertiesOf<Job, JobArgs>,
	insteadOfImport:
		"Leave it out: a Job resource starts a new job, and a job that already ran needs no resource.",
	inputs: (args, where) => ({
		...runInputs(args, where),
		...(args.file !== undefined && { file: withoutEmptyAsset(args.file) }),
	}),
};

/**
 * Runs a script once, and again when an input or `triggers` changes. Destroying it cancels a running job and keeps
 * a finished one.
 *
 * ```ts
 * new datachain.Job("migrate", {
 *     file: "./migrate.py",
 *     environment: { TARGET: "2026-01" },
 *     wait: true,
 *     timeout: "30m",
 * });
 * ```
 */
export class Job extends DynamicResource<JobArgs> implements InputsAsOutputs<JobArgs> {
	declare readonly query: pulumi.Output<string | undefined>;
	declare readonly file: pulumi.Output<string | pulumi.asset.Asset | undefined>;
	declare readonly queryType: pulumi.Output<JobQueryType>;
	declare readonly name: pulumi.Output<string>;
	declare readonly workers: pulumi.Output<number | undefined>;
	declare readonly environment: pulumi.Output<Record<string, string> | undefined>;
	/** The storage configs' parameters, by kind. */
	declare readonly storage: pulumi.Output<
		Record<string, Record<string, unknown>> | undefined
	>;
	declare readonly requirements: pulumi.Output<string | string[] | undefined>;
	declare readonly repository: pulumi.Output<string | undefined>;
	declare readonly pythonVersion: pulumi.Output<string | undefined>;
	declare readonly priority: pulumi.Output<number | undefined>;
	declare readonly clusterName: pulumi.Output<string | undefined>;
	declare readonly clusterId: pulumi.Output<number | string | undefined>;
	declare readonly files: pulumi.Output<string[] | undefined>;
	declare readonly credentialsName: pulumi.Output<string | undefined>;
	declare readonly startAfter: pulumi.Output<string | undefined>;
	declare readonly cronExpression: pulumi.Output<string | undefined>;
	declare readonly rerunFrom: pulumi.Output<string | undefined>;
	declare readonly reset: pulumi.Output<boolean | undefined>;
	declare readonly wait: pulumi.Output<boolean | undefined>;
	declare readonly timeout: pulumi.Output<string | number | undefined>;
	declare readonly triggers: pulumi.Output<unknown>;
	declare readonly teamName: pulumi.Output<string>;
	/** SHA-256 of the query; salted if the query is a secret. */
	declare readonly contentHash: pulumi.Output<string>;
	/** The service's id of the job; the same as `id`. */
	declare readonly jobId: pulumi.Output<string>;
	/** As of the last deployment or refresh. */
	declare readonly status: pulumi.Output<string>;
	/** The job in the web UI. */
	declare readonly url: pulumi.Output<string | undefined>;
	/** When it was created. */
	declare readonly createdAt: pulumi.Output<string | undefined>;
	/** Name of the user who created it. */
	declare readonly createdBy: pulumi.Output<string | undefined>;
	/** When it began to run. */
	declare readonly startedAt: pulumi.Output<string | undefined>;
	/** When it ended. */
	declare readonly finishedAt: pulumi.Output<string | undefined>;
	/** Exit code of its process. */
	declare readonly exitCode: pulumi.Output<number | undefined>;
	/** The service it was run on. */
	declare readonly serviceUrl: pulumi.Output<string>;

	constructor(name: string, args: JobArgs, opts?: pulumi.CustomResourceOptions) {
		super(DECLARATION, name, args, opts);
	}
}
