import type * as pulumi from "@pulumi/pulumi";
import type { Declaration } from "../boundary/declaration";
import { DynamicResource } from "../boundary/dynamic-resource";
import { declaredKind } from "./declared-kind";
import { withoutEmptyAsset } from "./empty-asset";

export interface JobFileArgs {
	/** The file: a path (relative to the program) or an asset of Pulumi's: `FileAsset`, `StringAsset`, `RemoteAsset`. */
	source?: pulumi.Input<string | pulumi.asset.Asset>;
	/** The file's content, in place of a source. Needs a `name`. */
	text?: pulumi.Input<string>;
	/** File name that jobs see. Default: the last part of the path. Changing it uploads anew. */
	name?: pulumi.Input<string>;
	/** Team to work in. Default: the connection's. Changing it uploads anew. */
	teamName?: pulumi.Input<string>;
}

const DECLARATION: Declaration<JobFileArgs> = {
	...declaredKind("JobFile"),
	madeOf: { contentHash: ["source", "text"] },
	properties: ["name", "teamName", "fileId", "filename", "size", "state", "contentHash", "serviceUrl"],
	optional: [],
	insteadOfImport: "Leave it out: the file is uploaded from its source or text.",
	inputs: (args) => (args.source === undefined ? args : { ...args, source: withoutEmptyAsset(args.source) }),
};

/**
 * A file that jobs can use. The bytes decide: the same bytes make no change wherever they lie; other bytes are
 * uploaded under a new id, and whatever uses the id is updated. The service cannot delete a file, so destroying this
 * resource only forgets it.
 *
 * ```ts
 * const script = new datachain.JobFile("prepare", { source: "./prepare.py" });
 * new datachain.PipelineSettings("images", { pipelineName: "nightly-images", files: [script] });
 * ```
 */
export class JobFile extends DynamicResource<JobFileArgs> {
	declare readonly name: pulumi.Output<string>;
	declare readonly teamName: pulumi.Output<string>;
	/** The id under which the service knows the file; the same as `id`. */
	declare readonly fileId: pulumi.Output<string>;
	/** The name that the service gave it; not set where `name` is a secret. */
	declare readonly filename: pulumi.Output<string>;
	/** In bytes. */
	declare readonly size: pulumi.Output<number>;
	/** What the service said of the upload: `pending` or `uploaded`. */
	declare readonly state: pulumi.Output<string | undefined>;
	/** SHA-256 of the content; of a secret one a salted form. */
	declare readonly contentHash: pulumi.Output<string>;
	/** The service it was uploaded to. */
	declare readonly serviceUrl: pulumi.Output<string>;

	constructor(name: string, args: JobFileArgs, opts?: pulumi.CustomResourceOptions) {
		super(DECLARATION, name, args, opts);
	}
}
