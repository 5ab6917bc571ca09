import type { StorageKind } from "../../../src/storage/rules";

export type Parameters = Record<string, unknown>;

/** One rule: whose it is, all that it says about which parameter, parameters that break it and some that keep it. */
export type RuleCase = readonly [
	StorageKind,
	rule: string,
	parameter: string,
	says: string,
	broken: Parameters,
	kept: Parameters,
];

/** Stands in every case where a credential would: it must never be seen in a text. */
export const HIDDEN = "hidden-value";
const pair = { key: HIDDEN, secret: HIDDEN };
const account = { accountName: "images" };
const principal = { clientId: "c", clientSecret: HIDDEN, tenantId: "t" };
const connection = { connectionString: `AccountName=images;AccountKey=${HIDDEN}` };

const LEAVE_OUT = "Leave out one or the other.";
const S3_ANON = `cannot be true together with credentials (key, secret, token). ${LEAVE_OUT}`;
const NEEDS_SECRET = "needs secret: an access key id alone signs nothing.";
const NEEDS_KEY = "needs key: a secret access key alone signs nothing.";
const NEEDS_BOTH = "needs the key and secret that it was issued with.";
const URL = "must be an http:// or https:// URL, without user name, password, query or fragment.";
const ORIGIN =
	"must be protocol://host:port with no path, and http or https, without user name, password, query or fragment.";
const REPEATS =
	"repeats a parameter that has a place of its own (or username or password, which are key and secret). Move it there.";
const TOKEN_TEXT =
	"is the text of a token dictionary, and a string is taken for a path. Give the dictionary itself: a secret of the config read as an object, or the text parsed as JSON.";
const HOST =
	'must be what follows "https://" in the account\'s URL, such as "account.blob.core.example.com".';
const NAME_VALUE = 'must have the form "Name=value;Name=value", as the account\'s page shows it.';
const ACCOUNT = "is required, unless connectionString is given.";
const PRINCIPAL = "is part of a service principal, which needs clientId, clientSecret and tenantId; missing:";

const s3Anon = ["s3", "anonymous access together with credentials", "anon", S3_ANON] as const;
const s3Key = ["s3", "key without secret", "key", NEEDS_SECRET] as const;
const s3Secret = ["s3", "secret without key", "secret", NEEDS_KEY] as const;
const s3Token = ["s3", "session token without key", "token", NEEDS_BOTH] as const;
const s3Url = ["s3", "endpointUrl is not an endpoint", "endpointUrl", URL] as const;
const s3Kwargs = ["s3", "kwargs repeats a parameter", "kwargs", REPEATS] as const;
const gsUrl = ["gs", "endpointUrl is not an endpoint", "endpointUrl", ORIGIN] as const;
const gsText = ["gs", "token is the text of a token dictionary", "token", TOKEN_TEXT] as const;
const azAnon = ["az", "anonymous access together with credentials", "anon"] as const;
const azAccount = ["az", "no account name", "accountName", ACCOUNT] as const;
const azHost = ["az", "account host is not a host", "accountHost", HOST] as const;
const azPrincipal = ["az", "incomplete service principal", "clientId"] as const;
const azConnection = ["az", "not a connection string", "connectionString", NAME_VALUE] as const;

const together = (names: string): string => `cannot be true together with ${names}. ${LEAVE_OUT}`;
const host = (accountHost: string) => ({ ...account, accountHost });

/** What is refused at preview. */
export const ERRORS: readonly RuleCase[] = [
	[...s3Anon, { anon: true, ...pair }, { anon: false, ...pair }],
	[
		...s3Anon,
		{ anon: true, clientKwargs: { aws_access_key_id: HIDDEN } },
		{ anon: true, clientKwargs: { region_name: "eu-west-1" } },
	],
	[...s3Anon, { anon: true, clientKwargs: { aws_secret_access_key: HIDDEN } }, { anon: true }],
	[...s3Anon, { anon: true, clientKwargs: { aws_session_token: HIDDEN } }, pair],
	[...s3Key, { key: HIDDEN }, pair],
	[
		...s3Key,
		{ key: HIDDEN, clientKwargs: { aws_access_key_id: HIDDEN } },
		{ key: HIDDEN, clientKwargs: { aws_secret_access_key: HIDDEN } },
	],
	[...s3Secret, { secret: HIDDEN }, pair],
	[
		...s3Secret,
		{ secret: HIDDEN, clientKwargs: {} },
		{ secret: HIDDEN, clientKwargs: { aws_access_key_id: HIDDEN } },
	],
	[...s3Token, { token: HIDDEN }, { token: HIDDEN, ...pair }],
	[
		...s3Token,
		{ token: HIDDEN, clientKwargs: {} },
		{ token: HIDDEN, clientKwargs: { aws_access_key_id: HIDDEN } },
	],
	[...s3Url, { endpointUrl: `https://user:${HIDDEN}@minio` }, { endpointUrl: "http://[::1]:9000/prefix" }],
	[...s3Url, { endpointUrl: "ftp://minio.example.com" }, { endpointUrl: "http://127.0.0.1:9000" }],
	[...s3Url, { endpointUrl: "https://minio?x=1" }, { endpointUrl: "HTTPS://minio" }],
	[...s3Url, { endpointUrl: "https://minio/a b" }, { endpointUrl: "https://minio/a/b/" }],
	[...s3Url, { endpointUrl: " https://minio" }, {}],
	[...s3Url, { endpointUrl: "https://minio/a\nb" }, {}],
	[...s3Url, { endpointUrl: "https://minio:port" }, {}],
	[
		"s3",
		"live asynchronous mode",
		"asynchronous",
		"cannot be true: it needs a running Python event loop, and jobs call the library synchronously.",
		{ asynchronous: true },
		{ asynchronous: false },
	],
	[...s3Kwargs, { kwargs: { endpoint_url: HIDDEN } }, { kwargs: { profile: HIDDEN } }],
	[...s3Kwargs, { kwargs: { profile: HIDDEN, password: HIDDEN } }, { kwargs: {} }],
	[...s3Kwargs, { kwargs: { username: HIDDEN } }, {}],
	[...gsUrl, { endpointUrl: "http://localhost:4443/" }, { endpointUrl: "http://localhost:4443" }],
	[...gsUrl, { endpointUrl: "localhost:4443" }, { endpointUrl: "https://storage.example.com" }],
	[...gsText, { token: `{"private_key":"${HIDDEN}"}` }, { token: { private_key: HIDDEN } }],
	[...gsText, { token: `\n {"private_key":"${HIDDEN}"}` }, { token: "anon" }],
	[
		"gs",
		"empty token dictionary",
		"token",
		"is an empty dictionary. Give a token dictionary, or leave it out for the default credentials.",
		{ token: {} },
		{ token: { refresh_token: HIDDEN } },
	],
	[
		...azAnon,
		together("accountKey"),
		{ ...account, anon: true, accountKey: HIDDEN },
		{ ...account, anon: false, accountKey: HIDDEN },
	],
	[...azAnon, together("connectionString"), { anon: true, ...connection }, connection],
	[
		...azAnon,
		together("sasToken, clientId, clientSecret and tenantId"),
		{ ...account, ...principal, anon: true, sasToken: HIDDEN },
		{ ...account, anon: true },
	],
	[...azAccount, { accountKey: HIDDEN }, connection],
	[...azAccount, {}, account],
	[...azAccount, { anon: false }, { anon: true }],
	[
		"az",
		"account host without account name",
		"accountHost",
		"needs accountName as well.",
		{ accountHost: "blob.example.com", anon: true },
		{ accountHost: "blob.example.com", anon: true, ...account },
	],
	[
		"az",
		"account host without account name",
		"accountHost",
		"needs accountName as well.",
		{ accountHost: "blob.example.com" },
		{ accountHost: "blob.example.com", ...connection },
	],
	[...azHost, host("https://blob.example.com"), host("127.0.0.1:10000/images")],
	[...azHost, host("blob example.com"), host("blob.example.com")],
	[...azHost, host("blob.example.com?x"), host("blob.example.com/")],
	[...azHost, host("blob.example.com/a?x"), host("blob.example.com:443")],
	[...azHost, host("blob.example.com:"), host("blob.example.com:443/a/b")],
	[...azHost, host("blob.example.com:4x"), host("b")],
	[...azHost, host(`user@${HIDDEN}`), host("blob/a@b")],
	[...azHost, host("blob/a b"), account],
	[
		...azPrincipal,
		`${PRINCIPAL} clientSecret and tenantId.`,
		{ ...account, clientId: "c" },
		{ ...account, ...principal },
	],
	[...azPrincipal, `${PRINCIPAL} clientId and tenantId.`, { ...account, clientSecret: HIDDEN }, account],
	[
		...azPrincipal,
		`${PRINCIPAL} clientSecret.`,
		{ ...account, clientId: "c", tenantId: "t" },
		{ ...connection, tenantId: "t" },
	],
	[...azConnection, { connectionString: HIDDEN }, connection],
	[...azConnection, { connectionString: "AccountName=" }, { connectionString: "AccountName=a;" }],
	[...azConnection, { connectionString: "=a" }, { connectionString: "AccountName=a;AccountKey=" }],
	[...azConnection, { connectionString: "AccountName=a;;" }, { connectionString: "A=a=b==" }],
	[...azConnection, { connectionString: "AccountName=a;Key" }, { connectionString: "A=a;B=b;C=c;" }],
	[...azConnection, { connectionString: " A=a" }, { ...account }],
	[
		"hf",
		"endpoint is not an endpoint",
		"endpoint",
		URL,
		{ endpoint: `https://u:${HIDDEN}@hub` },
		{ endpoint: "https://hub.example.com/mirror" },
	],
];

const inClient = (names: string): string =>
	`repeats ${names}; the parameter wins and the value here is left out.`;
const noEffect = (why: string): string =>
	`has no effect in a job: ${why}. To set it, pass client_config in the script.`;
const OWN_VALUE = noEffect("the library sets its own value");
const PATH =
	"is a path, and a job has only the files that are attached to it; what is no file there is taken for a raw access token, which expires. Give the token dictionary instead, or attach the file.";
const BY_HAND = "asks for a login made by hand, which a job does not have. Give a token dictionary instead.";
const BILLS_PROJECT = "bills a project, and anonymous access has none.";
const BILLS_ACCOUNT = "bills the account behind the credentials, and anonymous access has none.";
const KEY_SIGNS = "is not used: accountKey is given as well, and the key signs.";
const CREDENTIAL_FIRST = "is not used: credential is given as well, and it comes first.";

const s3Repeated = ["s3", "client_kwargs repeats a parameter", "clientKwargs"] as const;
const s3Ssl = [
	"s3",
	"use_ssl in client_kwargs wins",
	"useSsl",
	"is ignored: use_ssl in clientKwargs takes priority.",
] as const;
const s3Payer = ["s3", "anonymous requester pays", "requesterPays", BILLS_ACCOUNT] as const;
const s3Blocks = [
	"s3",
	"blocks too small to write",
	"defaultBlockSize",
	"is below 5 MiB (5242880): files can be read, but the library refuses to write with such blocks.",
] as const;
const gsPerson = ["gs", "token of a person's machine", "token", BY_HAND] as const;
const gsPayer = ["gs", "anonymous requester pays", "requesterPays", BILLS_PROJECT] as const;
const azOverrides = ["az", "connection string overrides", "connectionString"] as const;
const azUnused = ["az", "service principal not used", "clientId"] as const;
const ignored = (names: string): string => `overrides ${names}, ignored here. Leave out one or the other.`;
const unused = (names: string): string =>
	`and the rest of the service principal are not used: ${names} given as well.`;

/** What is warned of at preview, and used all the same. */
export const WARNINGS: readonly RuleCase[] = [
	[...s3Repeated, inClient("key"), { ...pair, clientKwargs: { aws_access_key_id: HIDDEN } }, pair],
	[
		...s3Repeated,
		inClient("endpointUrl, key, secret and token"),
		{
			...pair,
			token: HIDDEN,
			endpointUrl: "http://minio",
			clientKwargs: {
				aws_access_key_id: HIDDEN,
				aws_secret_access_key: HIDDEN,
				aws_session_token: HIDDEN,
				endpoint_url: HIDDEN,
			},
		},
		{ clientKwargs: { endpoint_url: HIDDEN } },
	],
	[...s3Ssl, { useSsl: true, clientKwargs: { use_ssl: false } }, { useSsl: true }],
	[...s3Ssl, { useSsl: false, clientKwargs: { use_ssl: false } }, { clientKwargs: { use_ssl: false } }],
	[...s3Payer, { anon: true, requesterPays: true }, { requesterPays: true }],
	[...s3Payer, { anon: true, requesterPays: true }, { anon: true, requesterPays: false }],
	[...s3Blocks, { defaultBlockSize: 1024 }, { defaultBlockSize: 5_242_880 }],
	[...s3Blocks, { defaultBlockSize: 5_242_879 }, {}],
	["s3", "versionAware has no effect in a job", "versionAware", OWN_VALUE, { versionAware: true }, {}],
	[
		"s3",
		"configKwargs has no effect in a job",
		"configKwargs",
		noEffect("the library sets its own configuration"),
		{ configKwargs: { proxies: HIDDEN } },
		{},
	],
	[
		"s3",
		"cacheRegions has no effect in a job",
		"cacheRegions",
		noEffect("it is on unless AWS_REGION or AWS_ENDPOINT_URL is set in the environment"),
		{ cacheRegions: false },
		{},
	],
	["gs", "token is a path", "token", PATH, { token: `/home/${HIDDEN}.json` }, { token: "google_default" }],
	["gs", "token is a path", "token", PATH, { token: "anonymous" }, { token: "anon" }],
	["gs", "token is a path", "token", PATH, { token: "Anon" }, { token: { private_key: HIDDEN } }],
	[...gsPerson, { token: "browser" }, { token: "cloud" }],
	[...gsPerson, { token: "cache" }, {}],
	[
		"gs",
		"project ignored with anonymous access",
		"project",
		'is ignored: token is "anon".',
		{ project: "p", token: "anon" },
		{ project: "p" },
	],
	[
		"gs",
		"project overridden by the default credentials",
		"project",
		'is overridden by the project of the default credentials: token is "google_default".',
		{ project: "p", token: "google_default" },
		{ project: "p", token: "cloud" },
	],
	[...gsPayer, { requesterPays: "p", token: "anon" }, { requesterPays: false, token: "anon" }],
	[...gsPayer, { requesterPays: true, token: "anon" }, { requesterPays: true, token: "cloud" }],
	[
		"gs",
		"secure_serialize is deprecated",
		"secureSerialize",
		"is deprecated and will be removed from the library. Leave it out.",
		{ secureSerialize: false },
		{},
	],
	["gs", "versionAware has no effect in a job", "versionAware", OWN_VALUE, { versionAware: false }, {}],
	[
		"az",
		"anonymous access without an account name",
		"accountName",
		"is missing: the job finds the account only where AZURE_STORAGE_ACCOUNT_NAME is in its environment.",
		{ anon: true },
		{ anon: true, ...account },
	],
	[
		...azOverrides,
		ignored("accountName, accountKey and clientId"),
		{ ...connection, ...account, accountKey: HIDDEN, clientId: "c" },
		{ ...connection, blocksize: 1024, timeout: 5 },
	],
	[
		...azOverrides,
		ignored("accountName, accountHost, sasToken, credential, clientId, clientSecret and tenantId"),
		{
			...connection,
			...account,
			...principal,
			accountHost: "blob.example.com",
			sasToken: HIDDEN,
			credential: HIDDEN,
		},
		connection,
	],
	[
		"az",
		"account key wins over the SAS token",
		"sasToken",
		KEY_SIGNS,
		{ ...account, accountKey: HIDDEN, sasToken: HIDDEN },
		{ ...account, sasToken: HIDDEN },
	],
	[
		"az",
		"credential wins over the account key",
		"accountKey",
		CREDENTIAL_FIRST,
		{ ...account, accountKey: HIDDEN, credential: HIDDEN },
		{ ...account, accountKey: HIDDEN },
	],
	[
		...azUnused,
		unused("sasToken"),
		{ ...account, ...principal, sasToken: HIDDEN },
		{ ...account, ...principal },
	],
	...["accountKey", "credential"].map(
		(key): RuleCase => [
			...azUnused,
			unused(key),
			{ ...account, ...principal, [key]: HIDDEN },
			{ ...account, [key]: HIDDEN },
		],
	),
	[
		...azUnused,
		unused("sasToken"),
		{ ...account, ...principal, sasToken: HIDDEN },
		{ ...connection, ...principal, sasToken: HIDDEN },
	],
	[
		...azUnused,
		unused("accountKey, sasToken and credential"),
		{ ...account, ...principal, accountKey: HIDDEN, sasToken: HIDDEN, credential: HIDDEN },
		account,
	],
	[
		"az",
		"versionAware has no effect in a job",
		"versionAware",
		OWN_VALUE,
		{ ...account, versionAware: true },
		account,
	],
	[
		"hf",
		"token of a person's machine",
		"token",
		"is true, which needs a saved token, and a job has none unless HF_TOKEN is in its environment. Give the token.",
		{ token: true },
		{ token: false },
	],
];
