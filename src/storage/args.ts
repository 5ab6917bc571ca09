import type * as pulumi from "@pulumi/pulumi";
import type { GsAccess, GsConsistency } from "../schemas/enums";

/** Parameters of S3-compatible storage (`s3://`). */
export interface S3Args {
	/**
	 * Connect anonymously; public buckets only. When false, `key` and `secret` or the client's own search for
	 * credentials are used. Without a region (`AWS_REGION` in the environment) the first request goes to the public
	 * endpoint, to look the bucket's region up. Wire name `anon`. Default: false.
	 */
	anon?: pulumi.Input<boolean | undefined>;
	/**
	 * Endpoint of a store that is not AWS, such as `https://minio.example.com:9000`. Takes precedence over
	 * `endpoint_url` in `clientKwargs`. Wire name `endpoint_url`. Default: none.
	 */
	endpointUrl?: pulumi.Input<string | undefined>;
	/** Access key id; always stored as a secret. Needs `secret`. Wire name `key`. Default: none. */
	key?: pulumi.Input<string | undefined>;
	/** Secret access key; always stored as a secret. Needs `key`. Wire name `secret`. Default: none. */
	secret?: pulumi.Input<string | undefined>;
	/** Session token that belongs to `key` and `secret`; always stored as a secret. Wire name `token`. Default: none. */
	token?: pulumi.Input<string | undefined>;
	/** Use SSL. A `use_ssl` in `clientKwargs` takes priority. Wire name `use_ssl`. Default: true. */
	useSsl?: pulumi.Input<boolean | undefined>;
	/**
	 * Parameters of every storage call, such as `{ ServerSideEncryption: "aws:kms" }`. Stored as a secret: it can hold
	 * a customer's encryption key. Wire name `s3_additional_kwargs`. Default: {}.
	 */
	s3AdditionalKwargs?: pulumi.Input<Record<string, unknown> | undefined>;
	/**
	 * Parameters of the underlying client, such as `{ region_name: "eu-west-1" }`. Stored as a secret: it can hold
	 * credentials. Wire name `client_kwargs`. Default: {}.
	 */
	clientKwargs?: pulumi.Input<Record<string, unknown> | undefined>;
	/** Pay for requests to requester-pays buckets. Wire name `requester_pays`. Default: false. */
	requesterPays?: pulumi.Input<boolean | undefined>;
	/** Block size in bytes for open files. Wire name `default_block_size`. Default: none (the library's 5 MB). */
	defaultBlockSize?: pulumi.Input<number | undefined>;
	/** Fill the cache of open files. Wire name `default_fill_cache`. Default: true. */
	defaultFillCache?: pulumi.Input<boolean | undefined>;
	/** Cache of open files; null disables caching. Wire name `default_cache_type`. Default: `readahead`. */
	defaultCacheType?: pulumi.Input<string | null | undefined>;
	/**
	 * Support bucket versioning. No effect in a job, where the library sets its own value: a warning says so. Wire name
	 * `version_aware`. Default: false.
	 */
	versionAware?: pulumi.Input<boolean | undefined>;
	/**
	 * Look up and cache each bucket's region. No effect in a job, where it is on unless `AWS_REGION` or
	 * `AWS_ENDPOINT_URL` is set: a warning says so. Wire name `cache_regions`. Default: false.
	 */
	cacheRegions?: pulumi.Input<boolean | undefined>;
	/** Use inside coroutines. Only false can be given: jobs call the library synchronously. Wire name `asynchronous`. Default: false. */
	asynchronous?: pulumi.Input<boolean | undefined>;
	/**
	 * Parameters of the client's configuration object. No effect in a job, where the library sets its own: a warning
	 * says so. Stored as a secret: it can hold a proxy's password. Wire name `config_kwargs`. Default: {}.
	 */
	configKwargs?: pulumi.Input<Record<string, unknown> | undefined>;
	/**
	 * Other parameters of the core session. They become parameters beside the others and must not repeat one. Stored as
	 * a secret: it can hold credentials. Wire name `kwargs` (spread). Default: {}.
	 */
	kwargs?: pulumi.Input<Record<string, unknown> | undefined>;
	/** Not available: it is a live Python object, and a job is configured with JSON. Wire name `session`. Default: none. */
	session?: pulumi.Input<undefined>;
	/**
	 * Concurrent transfers per file in a multipart upload. Memory grows by this times the chunk size per file. Wire name
	 * `max_concurrency`. Default: 1.
	 */
	maxConcurrency?: pulumi.Input<number | undefined>;
}

/** Parameters of cloud object storage (`gs://`). */
export interface GsArgs {
	/**
	 * Project to work under; needed to list all buckets of a project, to create or delete buckets and to change access
	 * policies. Overridden when `token` is `google_default`, ignored when it is `anon`. Wire name `project`. Default: none.
	 */
	project?: pulumi.Input<string | undefined>;
	/** Access to request: `read_only`, `read_write` or `full_control`. Wire name `access`. Default: none. */
	access?: pulumi.Input<GsAccess | undefined>;
	/**
	 * Credentials: a token dictionary (a service account's key file as an object), a path to a token file in the job, or one of
	 * the words `anon` (anonymous), `google_default`, `cloud`, `cache`. Always stored as a secret. Wire name `token`.
	 * Default: none (the default credentials).
	 */
	token?: pulumi.Input<string | Record<string, unknown> | undefined>;
	/** How written files are checked: `none`, `size` or `md5`. Wire name `consistency`. Default: none. */
	consistency?: pulumi.Input<GsConsistency | undefined>;
	/** Seconds that object metadata is cached; 0 or less means no caching. Wire name `cache_timeout`. Default: none (no expiry). */
	cacheTimeout?: pulumi.Input<number | undefined>;
	/** Deprecated by the library, to be removed: a warning says so. Wire name `secure_serialize`. Default: none. */
	secureSerialize?: pulumi.Input<boolean | undefined>;
	/** Use requester-pays requests that bill `project`, or the project named here. Wire name `requester_pays`. Default: false. */
	requesterPays?: pulumi.Input<boolean | string | undefined>;
	/**
	 * Passed to the HTTP session, for example proxy settings. Stored as a secret: it can hold a password. Wire name
	 * `session_kwargs`. Default: {}.
	 */
	sessionKwargs?: pulumi.Input<Record<string, unknown> | undefined>;
	/**
	 * Endpoint as protocol://host:port, with no path, for an emulator or a compatible store. For an emulator also put
	 * `GCSFS_EXPERIMENTAL_ZB_HNS_SUPPORT: "false"` into the environment: the library otherwise waits a minute for an
	 * answer that emulators cannot give. Wire name `endpoint_url`. Default: none (`STORAGE_EMULATOR_HOST` of the
	 * environment, else the standard endpoint).
	 */
	endpointUrl?: pulumi.Input<string | undefined>;
	/** Location where buckets are created, such as `EUROPE-WEST3`. Wire name `default_location`. Default: none. */
	defaultLocation?: pulumi.Input<string | undefined>;
	/**
	 * Support object versioning. No effect in a job, where the library sets its own value: a warning says so. Wire name
	 * `version_aware`. Default: false.
	 */
	versionAware?: pulumi.Input<boolean | undefined>;
}

/** Parameters of blob storage (`az://`). */
export interface AzArgs {
	/** Storage account. Needed unless `connectionString` is given. Wire name `account_name`. Default: none. */
	accountName?: pulumi.Input<string | undefined>;
	/** Shared key of the account; always stored as a secret. Wire name `account_key`. Default: none. */
	accountKey?: pulumi.Input<string | undefined>;
	/**
	 * Shared access signature, used instead of the account key; if both are given, the key signs. Always stored as a
	 * secret. Wire name `sas_token`. Default: none.
	 */
	sasToken?: pulumi.Input<string | undefined>;
	/** Not available: it is a live Python object, and a job is configured with JSON. Wire name `request_session`. Default: none. */
	requestSession?: pulumi.Input<undefined>;
	/**
	 * Connection string; overrides every other way to name or sign in to the account. Always stored as a secret. Wire
	 * name `connection_string`. Default: none.
	 */
	connectionString?: pulumi.Input<string | undefined>;
	/**
	 * A SAS token. A credential object is a live Python object and cannot be given: use `clientId`, `clientSecret` and
	 * `tenantId`. Always stored as a secret. Wire name `credential`. Default: none.
	 */
	credential?: pulumi.Input<string | undefined>;
	/** Block size in bytes for transfers. Wire name `blocksize`. Default: none (the library's own). */
	blocksize?: pulumi.Input<number | undefined>;
	/** Client id of a service principal; needs `clientSecret` and `tenantId`. Wire name `client_id`. Default: none. */
	clientId?: pulumi.Input<string | undefined>;
	/** Client secret of a service principal; always stored as a secret. Wire name `client_secret`. Default: none. */
	clientSecret?: pulumi.Input<string | undefined>;
	/** Tenant id of a service principal. Wire name `tenant_id`. Default: none. */
	tenantId?: pulumi.Input<string | undefined>;
	/**
	 * Connect anonymously; only without credentials. When it is left out the library looks at `AZURE_STORAGE_ANON`
	 * (`false`, `0` and `f` are false, anything else is true). Wire name `anon`. Default: none.
	 */
	anon?: pulumi.Input<boolean | undefined>;
	/** Fill the cache of open files. Wire name `default_fill_cache`. Default: true. */
	defaultFillCache?: pulumi.Input<boolean | undefined>;
	/** Cache of open files; null disables caching. Wire name `default_cache_type`. Default: `bytes`. */
	defaultCacheType?: pulumi.Input<string | null | undefined>;
	/**
	 * Support blob versioning. No effect in a job, where the library sets its own value: a warning says so. Wire name
	 * `version_aware`. Default: false.
	 */
	versionAware?: pulumi.Input<boolean | undefined>;
	/**
	 * True skips the checks that a container exists; false fails if its properties cannot be read. Wire name
	 * `assume_container_exists`. Default: none (warns if the check fails).
	 */
	assumeContainerExists?: pulumi.Input<boolean | undefined>;
	/** Concurrent connections per blob transfer. Wire name `max_concurrency`. Default: none (from the library's batch size). */
	maxConcurrency?: pulumi.Input<number | undefined>;
	/** Server-side timeout of a blob transfer, in seconds. Wire name `timeout`. Default: none. */
	timeout?: pulumi.Input<number | undefined>;
	/** Seconds to wait for a connection. Wire name `connection_timeout`. Default: none. */
	connectionTimeout?: pulumi.Input<number | undefined>;
	/** Seconds to wait between two reads of a response. Wire name `read_timeout`. Default: none. */
	readTimeout?: pulumi.Input<number | undefined>;
	/**
	 * Host of the account, without `https://`. Needed only if account URLs do not end with the standard blob suffix.
	 * Needs `accountName`. Wire name `account_host`. Default: none.
	 */
	accountHost?: pulumi.Input<string | undefined>;
}

/** Parameters of the Hugging Face Hub (`hf://`). */
export interface HfArgs {
	/**
	 * User access token; false disables authentication, true insists on the token saved in the job. Always stored as a
	 * secret. Wire name `token`. Default: none (the token saved in the job, if any).
	 */
	token?: pulumi.Input<string | boolean | undefined>;
	/** Address of the hub. Wire name `endpoint`. Default: none (the standard hub). */
	endpoint?: pulumi.Input<string | undefined>;
}

/** The local file system (`file://`) takes no parameters. */
export type FileArgs = Record<never, never>;

export type StorageKind = "s3" | "gs" | "az" | "hf" | "file";

/** Parameters by camelCase name. The credentials among them are secrets. */
export type StorageParameters = Readonly<Record<string, pulumi.Input<unknown>>>;

/** A storage config, as `storage.s3(…)` and the others make it. */
export interface StorageArgs<Kind extends StorageKind = StorageKind> {
	/** The kind of storage. */
	readonly kind: Kind;
	/** Its parameters, with the credentials among them as secrets. */
	readonly parameters: StorageParameters;
}

/** A storage config made by this module, or an output of one. */
export type StorageInput = pulumi.Input<StorageArgs>;

/**
 * Parameters by kind of storage.
 *
 * ```ts
 * { s3: { … }, hf: storage.hf({ … }) }
 * ```
 */
export interface StorageByKind {
	/** Amazon S3, and services with its API. */
	s3?: pulumi.Input<S3Args | StorageArgs<"s3">>;
	/** Google Cloud Storage. */
	gs?: pulumi.Input<GsArgs | StorageArgs<"gs">>;
	/** Azure Blob Storage. */
	az?: pulumi.Input<AzArgs | StorageArgs<"az">>;
	/** Hugging Face Hub. */
	hf?: pulumi.Input<HfArgs | StorageArgs<"hf">>;
	/** The file system of the job. */
	file?: pulumi.Input<FileArgs | StorageArgs<"file">>;
}
