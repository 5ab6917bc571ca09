import * as pulumi from "@pulumi/pulumi";
import { refuseOutputText } from "../text/output-text";
import type {
	AzArgs,
	FileArgs,
	GsArgs,
	HfArgs,
	S3Args,
	StorageArgs,
	StorageInput,
	StorageKind,
} from "./args";
import { checked, isConfig, markCredentials, storageRules } from "./lazy-rules";
import type { StorageConfig } from "./rules";

/**
 * S3-compatible storage (`s3://bucket/path`). For a store that is not AWS set `endpointUrl`, `key` and `secret`.
 * Credentials are stored as secrets automatically.
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
 * The dataset hub (`hf://datasets/owner/name`).
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

function make<Kind extends StorageKind>(kind: Kind, args: unknown): StorageArgs<Kind> {
	return {
		kind,
		parameters: markCredentials(kind, parametersIn(args, `storage.${kind}`)),
	};
}

function parametersIn(args: unknown, where: string): object {
	if (args === undefined || args === null) return {};
	const later = pulumi.Output.isInstance(args) || args instanceof Promise;
	if (typeof args === "object" && !Array.isArray(args) && !later) return args;
	throw new TypeError(
		`${where} takes an object with parameters. Single values in it may be outputs.`,
	);
}

/**
 * The config of the storage that a URI names. The scheme picks the storage, the URI's shape is checked, and
 * parameters or a config of another storage are refused.
 *
 * ```ts
 * storage.forUri("s3://bucket/images", { key: config.requireSecret("key"), secret: config.requireSecret("secret") })
 * ```
 */
export function forUri(
	uri: `s3://${string}`,
	args?: S3Args | StorageArgs<"s3">,
): StorageArgs<"s3">;
export function forUri(
	uri: `gs://${string}`,
	args?: GsArgs | StorageArgs<"gs">,
): StorageArgs<"gs">;
export function forUri(
	uri: `az://${string}`,
	args?: AzArgs | StorageArgs<"az">,
): StorageArgs<"az">;
export function forUri(
	uri: `hf://${string}`,
	args?: HfArgs | StorageArgs<"hf">,
): StorageArgs<"hf">;
export function forUri(
	uri: `file://${string}`,
	args?: FileArgs | StorageArgs<"file">,
): StorageArgs<"file">;
/** A URI that is only known when the program runs. */
export function forUri<Uri extends string>(
	uri: string extends Uri ? Uri : never,
	args?: S3Args | GsArgs | AzArgs | HfArgs | FileArgs | StorageArgs,
): StorageArgs;
export function forUri(uri: string, args?: object): StorageArgs {
	refuseOutputText("storage.forUri", uri, "uri");
	const { checkParameterNames, storageKindOf } = storageRules();
	const kind = storageKindOf(uri);
	if (isConfig(args)) {
		if (args.kind === kind) return args;
		throw new TypeError(
			`A ${kind}:// URI cannot use a config made with storage.${args.kind}. Use storage.${kind}(…), or another URI.`,
		);
	}
	const parameters = parametersIn(args, "storage.forUri");
	const [problem] = checkParameterNames(kind, Object.keys(parameters));
	if (problem) throw new TypeError(`${problem.parameter} ${problem.reason}`);
	return make(kind, parameters);
}

// ── For scripts that pass the dictionary in code ──

/**
 * The exact dictionary for `client_config` in a script, for those who prefer to pass it in code. Always a secret.
 * Fails if the config breaks a rule of its storage.
 */
export const clientConfig = (
	config: StorageInput,
): pulumi.Output<Record<string, unknown>> =>
	pulumi.secret<unknown>(
		resolve(config).apply((resolved) => storageRules().clientConfig(checked(resolved))),
	) as pulumi.Output<Record<string, unknown>>;

/**
 * The arguments of a JobFile that holds the dictionary for `client_config` as JSON:
 *
 * ```ts
 * const file = new datachain.JobFile("s3", storage.toJobFile(storage.s3({ … })));
 * ```
 *
 * A script that it is attached to reads it with `json.load(open("s3-client-config.json"))`.
 */
export function toJobFile(config: StorageInput): {
	name: pulumi.Output<string>;
	text: pulumi.Output<string>;
} {
	return {
		// The kind is no secret, but it comes out of an object that holds some.
		name: pulumi.unsecret(kindOf(config).apply((kind) => `${kind}-client-config.json`)),
		text: clientConfig(config).apply(
			(dictionary) => `${storageRules().compactJson(dictionary)}\n`,
		),
	};
}

/** Unwraps every parameter, however deep; secrets and unknowns carry over to the whole. */
const resolve = (config: StorageInput): pulumi.Output<StorageConfig> =>
	pulumi.output<unknown>(config) as pulumi.Output<StorageConfig>;

/** Of a config that is already there the kind is known, also while its parameters are not. */
const kindOf = (config: StorageInput): pulumi.Output<string> =>
	"kind" in config
		? pulumi.output<string>(config.kind)
		: resolve(config).apply(({ kind }) => kind);
