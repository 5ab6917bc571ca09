import { account, connection, HIDDEN, pair, principal, type RuleCase } from "./storage-rule-cases";

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
