import * as pulumi from "@pulumi/pulumi";
import { checkParameterNames, SECRET_PARAMETERS, type StorageKind, storageKindOf } from "../schemas/storage";
import type { AzArgs, FileArgs, GsArgs, HfArgs, S3Args, StorageArgs } from "./args";

/**
 * S3-compatible storage (`s3://bucket/path`). For a store that is not AWS set `endpointUrl`, `key` and `secret`.
 * Credentials become secrets by themselves.
 *
 * ```ts
 * storage.s3({ endpointUrl: "https://minio.example.com", key: config.require("key"), secret: config.requireSecret("secret") })
 * ```
 */
export const s3 = (args: S3Args = {}): StorageArgs<"s3"> => make("s3", args);

/**
 * Cloud object storage (`gs://bucket/path`).
 *
 * ```ts
 * storage.gs({ token: config.requireSecretObject("serviceAccountKey"), access: "read_only" })
 * ```
 */
export const gs = (args: GsArgs = {}): StorageArgs<"gs"> => make("gs", args);

/**
 * Blob storage (`az://container/path`).
 *
 * ```ts
 * storage.az({ accountName: "images", accountKey: config.requireSecret("accountKey") })
 * ```
 */
export const az = (args: AzArgs = {}): StorageArgs<"az"> => make("az", args);

/**
 * The dataset hub (`hf://dataset`).
 *
 * ```ts
 * storage.hf({ token: config.requireSecret("hubToken") })
 * ```
 */
export const hf = (args: HfArgs = {}): StorageArgs<"hf"> => make("hf", args);

/**
 * The job's local file system (`file://path`). It needs no credentials and takes no parameters, so it adds nothing
 * to a job; it is here so that programs can treat every storage alike.
 */
export const file = (args: FileArgs = {}): StorageArgs<"file"> => make("file", args);

/** Leaves out what is not set, and makes secrets of all credentials, however they were given. */
function make<Kind extends StorageKind>(kind: Kind, args: object): StorageArgs<Kind> {
	const entries: [string, pulumi.Input<unknown>][] = Object.entries(args)
		.filter(([, value]) => value !== undefined)
		.map(([name, value]) => [name, SECRET_PARAMETERS[kind].includes(name) ? pulumi.secret(value) : value]);
	return { kind, parameters: Object.fromEntries(entries) };
}

/**
 * The config of the storage that a URI names. The scheme picks the storage, the URI's shape is checked, and
 * parameters or a config of another storage are refused.
 *
 * ```ts
 * storage.forUri("s3://bucket/images", { key: config.requireSecret("key"), secret: config.requireSecret("secret") })
 * ```
 */
export function forUri(uri: `s3://${string}`, args?: S3Args | StorageArgs<"s3">): StorageArgs<"s3">;
export function forUri(uri: `gs://${string}`, args?: GsArgs | StorageArgs<"gs">): StorageArgs<"gs">;
export function forUri(uri: `az://${string}`, args?: AzArgs | StorageArgs<"az">): StorageArgs<"az">;
export function forUri(uri: `hf://${string}`, args?: HfArgs | StorageArgs<"hf">): StorageArgs<"hf">;
export function forUri(uri: `file://${string}`, args?: FileArgs | StorageArgs<"file">): StorageArgs<"file">;
/** A URI that is only known when the program runs. */
export function forUri<Uri extends string>(
	uri: string extends Uri ? Uri : never,
	args?: S3Args | GsArgs | AzArgs | HfArgs | FileArgs | StorageArgs,
): StorageArgs;
export function forUri(uri: string, args: object = {}): StorageArgs {
	const kind = storageKindOf(uri);
	if (isConfig(args)) {
		if (args.kind === kind) return args;
		throw new TypeError(
			`A ${kind}:// URI cannot use a config made with storage.${args.kind}. Use storage.${kind}(…), or another URI.`,
		);
	}
	const [problem] = checkParameterNames(kind, Object.keys(args));
	if (problem) throw new TypeError(`${problem.parameter} ${problem.reason}`);
	return make(kind, args);
}

const isConfig = (args: object): args is StorageArgs => "kind" in args && "parameters" in args;
