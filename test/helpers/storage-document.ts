import type { StorageKind } from "../../src/storage/rules";

/**
 * A row of the given document's tables, written down by hand: what our schemas are held against. After the names in the
 * document and in TypeScript and the default comes a value of the documented type, undefined for live Python objects, which
 * have none here; then values that must be refused.
 */
type Row = readonly [
	wire: string,
	name: string,
	fallback: string,
	good: unknown,
	...bad: unknown[],
];

export type DocumentedParameter = ReturnType<typeof table>[number];

const table = (kind: StorageKind, rows: readonly Row[]) =>
	rows.map(([wire, name, fallback, good, ...bad]) => ({
		kind,
		wire,
		name,
		default: fallback,
		good,
		bad,
	}));

const s3 = table("s3", [
	["anon", "anon", "false", true, "true", 1],
	["endpoint_url", "endpointUrl", "none", "https://minio.example.com:9000", 9000, ""],
	["key", "key", "none", "AKIAEXAMPLE", 1, ""],
	["secret", "secret", "none", "not#so$secret", true, ""],
	["token", "token", "none", "session-token", {}, ""],
	["use_ssl", "useSsl", "true", false, "no"],
	[
		"s3_additional_kwargs",
		"s3AdditionalKwargs",
		"{}",
		{ ServerSideEncryption: "AES256" },
		"AES256",
		[],
	],
	[
		"client_kwargs",
		"clientKwargs",
		"{}",
		{ region_name: "eu-west-1" },
		"eu-west-1",
		[1],
	],
	["requester_pays", "requesterPays", "false", true, "project"],
	["default_block_size", "defaultBlockSize", "none", 8_388_608, 0, -1, 1.5, "5MB"],
	["default_fill_cache", "defaultFillCache", "true", false, 0],
	["default_cache_type", "defaultCacheType", "`readahead`", null, false, ""],
	["version_aware", "versionAware", "false", true, "yes"],
	["cache_regions", "cacheRegions", "false", true, "yes"],
	["asynchronous", "asynchronous", "false", false, true, "no"],
	["config_kwargs", "configKwargs", "{}", { signature_version: "s3v4" }, "s3v4"],
	[
		"kwargs",
		"kwargs",
		"{}",
		{ use_listings_cache: false },
		"use_listings_cache",
		{ key: "a" },
	],
	["session", "session", "none", undefined, {}, "session"],
	["max_concurrency", "maxConcurrency", "1", 4, 0, 2.5, "4"],
]);

const gs = table("gs", [
	["project", "project", "none", "images-prod", 1, ""],
	["access", "access", "none", "read_only", "admin", true],
	[
		"token",
		"token",
		"none",
		{ type: "service_account", private_key: "k" },
		1,
		true,
		"",
		[],
		{},
	],
	["consistency", "consistency", "none", "md5", "sha1"],
	[
		"cache_timeout",
		"cacheTimeout",
		"none",
		-0.5,
		"60",
		Number.NaN,
		Number.POSITIVE_INFINITY,
	],
	["secure_serialize", "secureSerialize", "none", true, "true"],
	["requester_pays", "requesterPays", "false", "billing-project", 1, ""],
	["session_kwargs", "sessionKwargs", "{}", { trust_env: true }, "trust_env"],
	[
		"endpoint_url",
		"endpointUrl",
		"none",
		"http://localhost:4443",
		4443,
		"http://localhost:4443/storage",
	],
	["default_location", "defaultLocation", "none", "EUROPE-WEST3", 3],
	["version_aware", "versionAware", "false", true, "yes"],
]);

const az = table("az", [
	["account_name", "accountName", "none", "images", 1, ""],
	["account_key", "accountKey", "none", "a2V5==", 1, ""],
	["sas_token", "sasToken", "none", "?sv=2024&sig=abc%3D", 1, ""],
	["request_session", "requestSession", "none", undefined, {}, "session"],
	[
		"connection_string",
		"connectionString",
		"none",
		"AccountName=images;AccountKey=a2V5==",
		1,
		"a2V5",
	],
	["credential", "credential", "none", "sv=2024&sig=abc", { tenant: "t" }, 1, ""],
	["blocksize", "blocksize", "none", 52_428_800, 0, "50MB"],
	["client_id", "clientId", "none", "client", 1],
	["client_secret", "clientSecret", "none", "hush", 1],
	["tenant_id", "tenantId", "none", "tenant", 1],
	["anon", "anon", "none", false, "f"],
	["default_fill_cache", "defaultFillCache", "true", false, 0],
	["default_cache_type", "defaultCacheType", "`bytes`", null, false, ""],
	["version_aware", "versionAware", "false", true, "yes"],
	["assume_container_exists", "assumeContainerExists", "none", true, "yes"],
	["max_concurrency", "maxConcurrency", "none", 8, 0, 1.5],
	["timeout", "timeout", "none", 30, 0, -1, "30"],
	["connection_timeout", "connectionTimeout", "none", 10, 0, "10"],
	["read_timeout", "readTimeout", "none", 60, 0, "60"],
	[
		"account_host",
		"accountHost",
		"none",
		"images.blob.core.example.com",
		1,
		"https://images.example.com",
	],
]);

const hf = table("hf", [
	["token", "token", "none", "hf_example", 1, ""],
	["endpoint", "endpoint", "none", "https://hub.example.com", 1, "hub.example.com"],
]);

/** Every parameter of the given document, in its order. The local file system has none. */
export const DOCUMENT = [...s3, ...gs, ...az, ...hf];

/** The parameters that hold a key, a token, a signature, a connection string or a dictionary in any form. */
export const SECRETS: Readonly<Record<StorageKind, readonly string[]>> = {
	s3: [
		...["key", "secret", "token"],
		...["s3AdditionalKwargs", "clientKwargs", "configKwargs", "kwargs"],
	],
	gs: ["token", "sessionKwargs"],
	az: ["accountKey", "sasToken", "connectionString", "credential", "clientSecret"],
	hf: ["token"],
	file: [],
};

/** The variable that the filesystem reads; the local file system has none. */
export const VARIABLES: Readonly<Record<StorageKind, string | undefined>> = {
	s3: "FSSPEC_S3",
	gs: "FSSPEC_GS",
	az: "FSSPEC_ABFS",
	hf: "FSSPEC_HF",
	file: undefined,
};

/** What a storage needs besides these parameters, so that nothing else is wrong: an account, and the rest of a group. */
export function companions(
	kind: StorageKind,
	names: readonly string[],
): Record<string, unknown> {
	const principal = { clientId: "client", clientSecret: "hush", tenantId: "tenant" };
	const begins = (...group: string[]) => names.some((name) => group.includes(name));
	if (kind === "s3")
		return begins("key", "secret", "token") ? { key: "k", secret: "s" } : {};
	if (kind !== "az" || names.includes("connectionString")) return {};
	return { accountName: "images", ...(begins(...Object.keys(principal)) && principal) };
}
