import { z } from "zod";
import { count, flag, liveObject, secret, text, textOrNull } from "./parameter";

/** Parameters of blob storage (az), in the order of the given document. */
export const azShape = {
	/** Storage account. Needed unless `connectionString` is given. Wire name `account_name`. Default: none. */
	accountName: text("storage account name"),
	/** Shared key of the account; always stored as a secret. Wire name `account_key`. Default: none. */
	accountKey: secret(text("shared key")),
	/**
	 * Shared access signature, used instead of the account key; where both are given the key signs. Always stored as a
	 * secret. Wire name `sas_token`. Default: none.
	 */
	sasToken: secret(text("shared access signature")),
	/** Not available: it is a live Python object, and a job is configured with JSON. Wire name `request_session`. Default: none. */
	requestSession: liveObject(
		"is a live Python HTTP session, which JSON cannot carry: leave it out, and the library makes its own.",
		"HTTP session object",
	),
	/**
	 * Connection string; overrides every other way to name or sign in to the account. Always stored as a secret. Wire
	 * name `connection_string`. Default: none.
	 */
	connectionString: secret(text("connection string")),
	/**
	 * A SAS token. A credential object is a live Python object and cannot be given: use `clientId`, `clientSecret` and
	 * `tenantId`. Always stored as a secret. Wire name `credential`. Default: none.
	 */
	credential: secret(
		z
			.string(
				"must be a SAS token: a credential object is a live Python object, which JSON cannot carry. For a service " +
					"principal give clientId, clientSecret and tenantId.",
			)
			.min(1, "must not be empty")
			.optional()
			.describe("SAS token"),
	),
	/** Block size in bytes for transfers. Wire name `blocksize`. Default: none (the library's own). */
	blocksize: count("block size in bytes"),
	/** Client id of a service principal; needs `clientSecret` and `tenantId`. Wire name `client_id`. Default: none. */
	clientId: text("client id of a service principal"),
	/** Client secret of a service principal; always stored as a secret. Wire name `client_secret`. Default: none. */
	clientSecret: secret(text("client secret of a service principal")),
	/** Tenant id of a service principal. Wire name `tenant_id`. Default: none. */
	tenantId: text("tenant id of a service principal"),
	/**
	 * Connect anonymously; only without credentials. When it is left out the library looks at `AZURE_STORAGE_ANON`
	 * (`false`, `0` and `f` are false, anything else is true). Wire name `anon`. Default: none.
	 */
	anon: flag("anonymous access"),
	/** Fill the cache of open files. Wire name `default_fill_cache`. Default: true. */
	defaultFillCache: flag("cache filling on open"),
	/** Cache of open files; null disables caching. Wire name `default_cache_type`. Default: `bytes`. */
	defaultCacheType: textOrNull("cache type; null disables caching"),
	/**
	 * Support blob versioning. No effect in a job, where the library sets its own value: a warning says so. Wire name
	 * `version_aware`. Default: false.
	 */
	versionAware: flag("blob versioning"),
	/**
	 * True skips the checks that a container exists; false fails where its properties cannot be read. Wire name
	 * `assume_container_exists`. Default: none (warns where the check fails).
	 */
	assumeContainerExists: flag("skip checks of containers"),
	/** Concurrent connections per blob transfer. Wire name `max_concurrency`. Default: none (from the library's batch size). */
	maxConcurrency: count("concurrent connections per transfer"),
	/** Server-side timeout of a blob transfer, in seconds. Wire name `timeout`. Default: none. */
	timeout: count("server-side timeout"),
	/** Seconds to wait for a connection. Wire name `connection_timeout`. Default: none. */
	connectionTimeout: count("seconds to wait for a connection"),
	/** Seconds to wait between two reads of a response. Wire name `read_timeout`. Default: none. */
	readTimeout: count("seconds to wait between reads"),
	/**
	 * Host of the account, what follows `https://`; only where account URLs do not end with the standard blob suffix.
	 * Needs `accountName`. Wire name `account_host`. Default: none.
	 */
	accountHost: text("host of the account"),
};

export const azSchema = z.strictObject(azShape);
export type AzParameters = z.infer<typeof azSchema>;
