import type * as pulumi from "@pulumi/pulumi";
import {
	type Declaration,
	DynamicResource,
	type InputsAsOutputs,
	type PropertiesOf,
} from "./base";
import { withoutEmptyAsset } from "./values";

export interface JobFileArgs {
	/** The file: a path (relative to the program), or a Pulumi asset: a file, a string or a remote address. */
	source?: pulumi.Input<string | pulumi.asset.Asset>;
	/** The file's content, instead of `source`. Needs a `name`. */
	text?: pulumi.Input<string>;
	/** File name that jobs see. Default: the last part of the path. Changing it uploads the file again. */
	name?: pulumi.Input<string>;
	/** Team to work in. Default: the connection's. Changing it uploads the file again. */
	teamName?: pulumi.Input<string>;
}

const DECLARATION: Declaration<JobFileArgs> = {
	kind: "JobFile",
	derivedFrom: { contentHash: ["source", "text"] },
	properties: {
		name: "output",
		teamName: "output",
		fileId: "output",
		filename: "output",
		size: "output",
		state: "output",
		contentHash: "output",
		serviceUrl: "output",
	} satisfies PropertiesOf<JobFile, JobFileArgs>,
	insteadOfImport: "Leave it out: the file is uploaded from its source or text.",
	inputs: (args) =>
		args.source === undefined
			? args
			: { ...args, source: withoutEmptyAsset(args.source) },
};

/**
 * A file that jobs can use. If the content changes, the file is uploaded under a new id, and resources that use the
 * id are updated; moving the file without changing its content changes nothing. The API cannot delete a file, so
 * destroying this resource only removes it from the state.
 *
 * ```ts
 * const script = new datachain.JobFile("prepare", { source: "./prepare.py" });
 * new datachain.PipelineSettings("images", { pipelineName: "nightly-images", files: [script] });
 * ```
 */
export class JobFile
	extends DynamicResource<JobFileArgs>
	implements InputsAsOutputs<Pick<JobFileArgs, "name" | "teamName">>
{
	declare readonly name: pulumi.Output<string>;
	declare readonly teamName: pulumi.Output<string>;
	/** The service's id of the file; the same as `id`. */
	declare readonly fileId: pulumi.Output<string>;
	/** The name that the service gave it; not set if `name` is a secret. */
	declare readonly filename: pulumi.Output<string>;
	/** Size in bytes. */
	declare readonly size: pulumi.Output<number>;
	/** State of the upload as the service reports it: `pending` or `uploaded`. */
	declare readonly state: pulumi.Output<string | undefined>;
	/** SHA-256 of the content; salted if the content is a secret. */
	declare readonly contentHash: pulumi.Output<string>;
	/** The service it was uploaded to. */
	declare readonly serviceUrl: pulumi.Output<string>;

	constructor(name: string, args: JobFileArgs, opts?: pulumi.CustomResourceOptions) {
		super(DECLARATION, name, args, opts);
	}
}
