import { z } from "zod";
import { count, flag, liveObject, secret, text, textOrNull } from "./parameter";

/** Parameters of blob storage (az), in the order of the documentation. What each means is said where programs see it: src/storage/args.ts. */
export const azShape = {
	accountName: text("storage account name"),
	accountKey: secret(text("shared key")),
	sasToken: secret(text("shared access signature")),
	requestSession: liveObject(
		"is a live Python HTTP session, which JSON cannot carry: leave it out, and the library makes its own.",
		"HTTP session object",
	),
	connectionString: secret(text("connection string")),
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
	blocksize: count("block size in bytes"),
	clientId: text("client id of a service principal"),
	clientSecret: secret(text("client secret of a service principal")),
	tenantId: text("tenant id of a service principal"),
	anon: flag("anonymous access"),
	defaultFillCache: flag("cache filling on open"),
	defaultCacheType: textOrNull("cache type; null disables caching"),
	versionAware: flag("blob versioning"),
	assumeContainerExists: flag("skip checks of containers"),
	maxConcurrency: count("concurrent connections per transfer"),
	timeout: count("server-side timeout"),
	connectionTimeout: count("seconds to wait for a connection"),
	readTimeout: count("seconds to wait between reads"),
	accountHost: text("host of the account"),
};

export type AzParameters = z.infer<z.ZodObject<typeof azShape>>;
