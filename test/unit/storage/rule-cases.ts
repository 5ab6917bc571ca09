import type { StorageKind } from "../../../src/storage/rules";

export type Parameters = Record<string, unknown>;

/** The name of a rule, the parameter that it is about, parameters that break it and some that keep it, and what is said if that depends on them. */
type Case = readonly [rule: string, about: string, broken: Parameters, kept: Parameters, says?: string];
type Cases = Readonly<Record<StorageKind, readonly Case[]>>;

/** Stands in every case where a credential would: it must never be seen in a text. */
export const HIDDEN = "hidden-value";
const [key, token, sas] = [{ key: HIDDEN }, { token: HIDDEN }, { sasToken: HIDDEN }];
const pair = { ...key, secret: HIDDEN };
const anon = { anon: true };
const project = { project: "p" };
const tokenFile = { token: { private_key: HIDDEN } };
const account = { accountName: "images" };
const principal = { clientId: "c", clientSecret: HIDDEN, tenantId: "t" };
const connection = { connectionString: `AccountName=images;AccountKey=${HIDDEN}` };
const inClient = (...names: string[]) => ({
	clientKwargs: Object.fromEntries(names.map((name) => [name, HIDDEN])),
});
const host = (accountHost: string) => ({ ...account, accountHost });
const blob = { accountHost: "blob.example.com" };
const at = (endpointUrl: string) => ({ endpointUrl });
const strings = (broken: string, kept: string): [Parameters, Parameters] => [
	{ connectionString: broken },
	{ connectionString: kept },
];

const ID = "aws_access_key_id";
const ANONYMOUS = "anonymous access together with credentials";
const ENDPOINT = "endpointUrl is not an endpoint";
const KWARGS = "kwargs repeats a parameter";
const TOKEN_TEXT = "token is the text of a token dictionary";
const NO_HOST = "account host is not a host";
const NO_CONNECTION = "not a connection string";
const PAYS = "anonymous requester pays";
const TOGETHER =
	"cannot be true together with sasToken, clientId, clientSecret and tenantId. Leave out one or the other.";

/** What is refused at preview. */
const errors: Cases = {
	s3: [
		[ANONYMOUS, "anon", { ...anon, ...pair }, { anon: false, ...pair }],
		[
			ANONYMOUS,
			"anon",
			{ ...anon, ...inClient("aws_access_key_id") },
			{ ...anon, ...inClient("region_name") },
		],
		["key without secret", "key", key, pair],
		["secret without key", "secret", { secret: HIDDEN }, pair],
		["session token without key", "token", token, { ...token, ...pair }],
		[ENDPOINT, "endpointUrl", at(`https://user:${HIDDEN}@minio`), at("http://[::1]:9000/prefix")],
		[ENDPOINT, "endpointUrl", at("https://minio?x=1"), at("HTTPS://minio")],
		[ENDPOINT, "endpointUrl", at("https://minio/a b"), at("https://minio/a/b/")],
		["live asynchronous mode", "asynchronous", { asynchronous: true }, { asynchronous: false }],
		[KWARGS, "kwargs", { kwargs: { endpoint_url: HIDDEN } }, { kwargs: { profile: HIDDEN } }],
		[KWARGS, "kwargs", { kwargs: { username: HIDDEN } }, {}],
	],
	gs: [
		[ENDPOINT, "endpointUrl", at("http://localhost:4443/"), at("http://localhost:4443")],
		[ENDPOINT, "endpointUrl", at("localhost:4443"), at("https://storage.example.com")],
		[TOKEN_TEXT, "token", { token: `{"private_key":"${HIDDEN}"}` }, tokenFile],
		["empty token dictionary", "token", { token: {} }, { token: { refresh_token: HIDDEN } }],
	],
	az: [
		[ANONYMOUS, "anon", { ...account, ...principal, ...anon, ...sas }, { ...account, ...anon }, TOGETHER],
		["no account name", "accountName", { accountKey: HIDDEN }, connection],
		["no account name", "accountName", { anon: false }, anon],
		["account host without account name", "accountHost", blob, { ...blob, ...connection }],
		[NO_HOST, "accountHost", host("https://blob.example.com"), host("127.0.0.1:10000/images")],
		[NO_HOST, "accountHost", host("blob.example.com:"), host("blob.example.com:443/a/b")],
		[NO_HOST, "accountHost", host(`user@${HIDDEN}`), host("blob/a@b")],
		[
			"incomplete service principal",
			"clientId",
			{ ...account, clientId: "c", tenantId: "t" },
			{ ...connection, tenantId: "t" },
			"is part of a service principal, which needs clientId, clientSecret and tenantId; missing: clientSecret.",
		],
		[NO_CONNECTION, "connectionString", { connectionString: HIDDEN }, connection],
		[NO_CONNECTION, "connectionString", ...strings("AccountName=", "AccountName=a;")],
		[NO_CONNECTION, "connectionString", ...strings("AccountName=a;Key", "A=a;B=b;C=c;")],
	],
	hf: [
		[
			"endpoint is not an endpoint",
			"endpoint",
			{ endpoint: `https://u:${HIDDEN}@hub` },
			{ endpoint: "https://hub.example.com/mirror" },
		],
	],
	file: [],
};

const ignored = (names: string): string => `overrides ${names}, ignored here. Leave out one or the other.`;
const unused = (names: string): string =>
	`and the rest of the service principal are not used: ${names} given as well.`;
const repeated = inClient(ID, "aws_secret_access_key", "aws_session_token", "endpoint_url");
const wins = { clientKwargs: { use_ssl: false } };

/** What is warned of at preview, and used all the same. */
const warnings: Cases = {
	s3: [
		[
			"client_kwargs repeats a parameter",
			"clientKwargs",
			{ ...pair, ...token, endpointUrl: "http://minio", ...repeated },
			inClient("endpoint_url"),
			"repeats endpointUrl, key, secret and token; the parameter wins and the value here is left out.",
		],
		["use_ssl in client_kwargs wins", "useSsl", { useSsl: false, ...wins }, wins],
		[PAYS, "requesterPays", { ...anon, requesterPays: true }, { ...anon, requesterPays: false }],
		["blocks too small to write", "defaultBlockSize", { defaultBlockSize: 5_242_879 }, {}],
		["versionAware has no effect in a job", "versionAware", { versionAware: true }, {}],
		["configKwargs has no effect in a job", "configKwargs", { configKwargs: { proxies: HIDDEN } }, {}],
		["cacheRegions has no effect in a job", "cacheRegions", { cacheRegions: false }, {}],
	],
	gs: [
		["token is a path", "token", { token: `/home/${HIDDEN}.json` }, { token: "google_default" }],
		["token is a path", "token", { token: "Anon" }, tokenFile],
		["token of a person's machine", "token", { token: "browser" }, { token: "cloud" }],
		["project ignored with anonymous access", "project", { ...project, token: "anon" }, project],
		[
			"project overridden by the default credentials",
			"project",
			{ ...project, token: "google_default" },
			{ ...project, token: "cloud" },
		],
		[PAYS, "requesterPays", { requesterPays: "p", token: "anon" }, { requesterPays: false, token: "anon" }],
		["secure_serialize is deprecated", "secureSerialize", { secureSerialize: false }, {}],
		["versionAware has no effect in a job", "versionAware", { versionAware: false }, {}],
	],
	az: [
		["anonymous access without an account name", "accountName", anon, { ...anon, ...account }],
		[
			"connection string overrides",
			"connectionString",
			{ ...connection, ...account, ...principal, ...blob, ...sas, credential: HIDDEN },
			connection,
			ignored("accountName, accountHost, sasToken, credential, clientId, clientSecret and tenantId"),
		],
		[
			"account key wins over the SAS token",
			"sasToken",
			{ ...account, accountKey: HIDDEN, ...sas },
			{ ...account, ...sas },
		],
		[
			"credential wins over the account key",
			"accountKey",
			{ ...account, accountKey: HIDDEN, credential: HIDDEN },
			{ ...account, accountKey: HIDDEN },
		],
		[
			"service principal not used",
			"clientId",
			{ ...account, ...principal, ...sas },
			{ ...connection, ...principal, ...sas },
			unused("sasToken"),
		],
		[
			"service principal not used",
			"clientId",
			{ ...account, ...principal, accountKey: HIDDEN, ...sas, credential: HIDDEN },
			{ ...account, ...principal },
			unused("accountKey, sasToken and credential"),
		],
		["versionAware has no effect in a job", "versionAware", { ...account, versionAware: true }, account],
	],
	hf: [["token of a person's machine", "token", { token: true }, { token: false }]],
	file: [],
};

export const CASES = { errors, warnings };
