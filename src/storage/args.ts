import type * as pulumi from "@pulumi/pulumi";
import type { z } from "zod";
import type { azShape, fileShape, gsShape, hfShape, StorageKind, s3Shape } from "../schemas/storage";

/**
 * The parameters of a storage as inputs: each a plain value, or one that is known only later. Mapped key by key from
 * the schema, so that editors show the comments written there.
 */
type InputsOf<Shape> = { [Name in keyof Shape]?: pulumi.Input<z.input<Shape[Name]>> };

/** Parameters of S3-compatible storage (`s3://`). */
export type S3Args = InputsOf<typeof s3Shape>;
/** Parameters of cloud object storage (`gs://`). */
export type GsArgs = InputsOf<typeof gsShape>;
/** Parameters of blob storage (`az://`). */
export type AzArgs = InputsOf<typeof azShape>;
/** Parameters of the dataset hub (`hf://`). */
export type HfArgs = InputsOf<typeof hfShape>;
/** The local file system (`file://`) takes no parameters. */
export type FileArgs = InputsOf<typeof fileShape>;

/** A storage config, as `storage.s3(…)` and the others make it. */
export interface StorageArgs<Kind extends StorageKind = StorageKind> {
	readonly kind: Kind;
	/** By camelCase name. The credentials among them are secrets. */
	readonly parameters: Readonly<Record<string, pulumi.Input<unknown>>>;
}

/** What takes a storage config: one made by this module, now or later. */
export type StorageInput = pulumi.Input<StorageArgs>;
