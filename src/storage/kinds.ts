import { z } from "zod";
import { someText } from "../schemas/primitives";
import type { StorageKind } from "./args";
import { azErrors, azShape, azWarnings } from "./az";
import { gsErrors, gsShape, gsWarnings } from "./gs";
import { isSecret, type Rule, secret, text, urlRule } from "./parameter";
import { s3Errors, s3Shape, s3Warnings } from "./s3";

export type { StorageKind };

/** Follows the kind's name if a program gives a second config of one kind, which the provider refuses. */
export const REPEATED_KIND = "#2";

/** A storage config as it travels to the provider: plain JSON, parameters by their camelCase names. */
export interface StorageConfig {
	readonly kind: StorageKind;
	readonly parameters: Readonly<Record<string, unknown>>;
}

interface Storage {
	readonly shape: Readonly<Record<string, z.ZodType>>;
	/** What stops the preview. */
	readonly errors: readonly Rule[];
	/** What is shown, while the config is used. */
	readonly warnings: readonly Rule[];
	/** How a URI of it looks, and what may follow the scheme. */
	readonly uri: { readonly form: string; readonly rest: RegExp };
	/** Other names that filesystems have for its scheme. */
	readonly otherSchemes?: readonly string[];
	/** Environment variable from which the filesystem takes its parameters. */
	readonly variable?: string;
}

/** Parameters of the dataset hub, in the order of the documentation. What each means is said where programs see it: src/storage/args.ts. */
export const hfShape = {
	token: secret(
		z.union([someText, z.boolean()], "must be a token, or true or false").optional(),
	),
	endpoint: text,
};

type HfParameters = z.infer<z.ZodObject<typeof hfShape>>;

const hfErrors: readonly Rule<HfParameters>[] = [urlRule("endpoint", { path: true })];

const hfWarnings: readonly Rule<HfParameters>[] = [
	{
		name: "token of a person's machine",
		parameter: "token",
		broken: (p) => p.token === true,
		message:
			"is true, which needs a saved token, and a job has none unless HF_TOKEN is in its environment. Give the token.",
	},
];

export const STORAGES: Readonly<Record<StorageKind, Storage>> = {
	s3: {
		shape: s3Shape,
		errors: s3Errors,
		warnings: s3Warnings,
		// An access point is addressed by its ARN, whose colons are no sign of a password.
		uri: {
			form: "s3://<bucket>/<path>",
			rest: /^(arn:[^\s/@]+|[A-Za-z0-9][A-Za-z0-9._-]*)(\/.*)?$/s,
		},
		otherSchemes: ["s3a", "s3n"],
		variable: "FSSPEC_S3",
	},
	gs: {
		shape: gsShape,
		errors: gsErrors,
		warnings: gsWarnings,
		uri: { form: "gs://<bucket>/<path>", rest: /^[A-Za-z0-9][A-Za-z0-9._-]*(\/.*)?$/s },
		otherSchemes: ["gcs"],
		variable: "FSSPEC_GS",
	},
	az: {
		shape: azShape,
		errors: azErrors,
		warnings: azWarnings,
		uri: {
			form: "az://<container>/<path>",
			rest: /^[$A-Za-z0-9][A-Za-z0-9-]*(\/.*)?$/s,
		},
		otherSchemes: ["abfs", "abfss", "wasb", "wasbs"],
		// Older versions of the filesystem know the protocol `az` only as a second name, and look for this one.
		variable: "FSSPEC_ABFS",
	},
	hf: {
		shape: hfShape,
		errors: hfErrors,
		warnings: hfWarnings,
		uri: { form: "hf://<dataset>", rest: /^[A-Za-z0-9][\w.-]*(\/.*)?$/s },
		variable: "FSSPEC_HF",
	},
	// The local file system of a job needs no credentials, and its documentation names no parameters.
	file: {
		shape: {},
		errors: [],
		warnings: [],
		uri: { form: "file://<path>", rest: /^.+$/s },
	},
};

export const STORAGE_KINDS = Object.keys(STORAGES) as readonly StorageKind[];

export const isStorageKind = (kind: unknown): kind is StorageKind =>
	STORAGE_KINDS.some((each) => each === kind);

/** The parameters, by camelCase name, whose values are credentials or dictionaries that can hold some. */
export const SECRET_PARAMETERS = Object.fromEntries<readonly string[]>(
	Object.entries(STORAGES).map(([kind, { shape }]) => {
		const secrets = Object.entries(shape).filter(([, schema]) => isSecret(schema));
		return [kind, secrets.map(([parameter]) => parameter)];
	}),
) as Readonly<Record<StorageKind, readonly string[]>>;

/** The variable that carries a storage's parameters into a job. `file` has none: it needs no credentials. */
export const storageVariable = (kind: StorageKind): string | undefined =>
	STORAGES[kind].variable;

/** Where null is a value of its own. Everywhere else it means "not set", as None does in the documentation. */
const NULL_IS_A_VALUE = "defaultCacheType";

/**
 * The parameters that are set. Null stands for "not set" because Pulumi turns a secret that resolves to undefined
 * into null on the way to the provider.
 */
export const setParameters = (
	parameters: Readonly<Record<string, unknown>>,
): Record<string, unknown> =>
	Object.fromEntries(
		Object.entries(parameters).filter(
			([name, value]) =>
				value !== undefined && (value !== null || name === NULL_IS_A_VALUE),
		),
	);
