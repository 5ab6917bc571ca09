import type { StorageKind } from "../../../src/storage/rules";

export type Parameters = Record<string, unknown>;

/** Parameters that break a rule and some that keep it, and what is said if that depends on them. */
type Case = readonly [broken: Parameters, kept: Parameters, says: string | undefined];

/** By the name of the rule: the parameter that it is about, and its cases. */
type Cases = Readonly<Record<string, readonly [parameter: string, ...Case[]]>>;

/** Stands in every case where a credential would: it must never be seen in a text. */
export const HIDDEN = "hidden-value";
const pair = { key: HIDDEN, secret: HIDDEN };
const account = { accountName: "images" };
const principal = { clientId: "c", clientSecret: HIDDEN, tenantId: "t" };
const connection = { connectionString: `AccountName=images;AccountKey=${HIDDEN}` };
const when = (broken: Parameters, kept: Parameters, says?: string): Case => [broken, kept, says];
const inClient = (...names: string[]) => ({
	clientKwargs: Object.fromEntries(names.map((name) => [name, HIDDEN])),
});
const host = (accountHost: string) => ({ ...account, accountHost });
const blob = { accountHost: "blob.example.com" };

const together = (names: string): string =>
	`cannot be true together with ${names}. Leave out one or the other.`;
const incomplete = (names: string): string =>
	`is part of a service principal, which needs clientId, clientSecret and tenantId; missing: ${names}.`;

/** What is refused at preview. */
const errors: Readonly<Record<StorageKind, Cases>> = {
	s3: {
		"anonymous access together with credentials": [
			"anon",
			when({ anon: true, ...pair }, { anon: false, ...pair }),
			when({ anon: true, ...inClient("aws_access_key_id") }, { anon: true, ...inClient("region_name") }),
		],
		"key without secret": [
			"key",
			when({ key: HIDDEN }, pair),
			when(
				{ key: HIDDEN, ...inClient("aws_access_key_id") },
				{ key: HIDDEN, ...inClient("aws_secret_access_key") },
			),
		],
		"secret without key": ["secret", when({ secret: HIDDEN }, pair)],
		"session token without key": ["token", when({ token: HIDDEN }, { token: HIDDEN, ...pair })],
		"endpointUrl is not an endpoint": [
			"endpointUrl",
			when({ endpointUrl: `https://user:${HIDDEN}@minio` }, { endpointUrl: "http://[::1]:9000/prefix" }),
			when({ endpointUrl: "https://minio?x=1" }, { endpointUrl: "HTTPS://minio" }),
			when({ endpointUrl: "https://minio/a b" }, { endpointUrl: "https://minio/a/b/" }),
		],
		"live asynchronous mode": ["asynchronous", when({ asynchronous: true }, { asynchronous: false })],
		"kwargs repeats a parameter": [
			"kwargs",
			when({ kwargs: { endpoint_url: HIDDEN } }, { kwargs: { profile: HIDDEN } }),
			when({ kwargs: { username: HIDDEN } }, {}),
		],
	},
	gs: {
		"endpointUrl is not an endpoint": [
			"endpointUrl",
			when({ endpointUrl: "http://localhost:4443/" }, { endpointUrl: "http://localhost:4443" }),
			when({ endpointUrl: "localhost:4443" }, { endpointUrl: "https://storage.example.com" }),
		],
		"token is the text of a token dictionary": [
			"token",
			when({ token: `{"private_key":"${HIDDEN}"}` }, { token: { private_key: HIDDEN } }),
			when({ token: `\n {"private_key":"${HIDDEN}"}` }, { token: "anon" }),
		],
		"empty token dictionary": ["token", when({ token: {} }, { token: { refresh_token: HIDDEN } })],
	},
	az: {
		"anonymous access together with credentials": [
			"anon",
			when(
				{ ...account, ...principal, anon: true, sasToken: HIDDEN },
				{ ...account, anon: true },
				together("sasToken, clientId, clientSecret and tenantId"),
			),
		],
		"no account name": [
			"accountName",
			when({ accountKey: HIDDEN }, connection),
			when({}, account),
			when({ anon: false }, { anon: true }),
		],
		"account host without account name": [
			"accountHost",
			when({ ...blob, anon: true }, { ...blob, anon: true, ...account }),
			when(blob, { ...blob, ...connection }),
		],
		"account host is not a host": [
			"accountHost",
			when(host("https://blob.example.com"), host("127.0.0.1:10000/images")),
			when(host("blob.example.com:"), host("blob.example.com:443/a/b")),
			when(host(`user@${HIDDEN}`), host("blob/a@b")),
		],
		"incomplete service principal": [
			"clientId",
			when(
				{ ...account, clientId: "c", tenantId: "t" },
				{ ...connection, tenantId: "t" },
				incomplete("clientSecret"),
			),
		],
		"not a connection string": [
			"connectionString",
			when({ connectionString: HIDDEN }, connection),
			when({ connectionString: "AccountName=" }, { connectionString: "AccountName=a;" }),
			when({ connectionString: "AccountName=a;Key" }, { connectionString: "A=a;B=b;C=c;" }),
		],
	},
	hf: {
		"endpoint is not an endpoint": [
			"endpoint",
			when({ endpoint: `https://u:${HIDDEN}@hub` }, { endpoint: "https://hub.example.com/mirror" }),
		],
	},
	file: {},
};

const repeats = (names: string): string =>
	`repeats ${names}; the parameter wins and the value here is left out.`;
const ignored = (names: string): string => `overrides ${names}, ignored here. Leave out one or the other.`;
const unused = (names: string): string =>
	`and the rest of the service principal are not used: ${names} given as well.`;

/** What is warned of at preview, and used all the same. */
const warnings: Readonly<Record<StorageKind, Cases>> = {
	s3: {
		"client_kwargs repeats a parameter": [
			"clientKwargs",
			when(
				{
					...pair,
					token: HIDDEN,
					endpointUrl: "http://minio",
					...inClient("aws_access_key_id", "aws_secret_access_key", "aws_session_token", "endpoint_url"),
				},
				inClient("endpoint_url"),
				repeats("endpointUrl, key, secret and token"),
			),
		],
		"use_ssl in client_kwargs wins": [
			"useSsl",
			when({ useSsl: false, clientKwargs: { use_ssl: false } }, { clientKwargs: { use_ssl: false } }),
		],
		"anonymous requester pays": [
			"requesterPays",
			when({ anon: true, requesterPays: true }, { anon: true, requesterPays: false }),
		],
		"blocks too small to write": ["defaultBlockSize", when({ defaultBlockSize: 5_242_879 }, {})],
		"versionAware has no effect in a job": ["versionAware", when({ versionAware: true }, {})],
		"configKwargs has no effect in a job": ["configKwargs", when({ configKwargs: { proxies: HIDDEN } }, {})],
		"cacheRegions has no effect in a job": ["cacheRegions", when({ cacheRegions: false }, {})],
	},
	gs: {
		"token is a path": [
			"token",
			when({ token: `/home/${HIDDEN}.json` }, { token: "google_default" }),
			when({ token: "Anon" }, { token: { private_key: HIDDEN } }),
		],
		"token of a person's machine": ["token", when({ token: "browser" }, { token: "cloud" })],
		"project ignored with anonymous access": [
			"project",
			when({ project: "p", token: "anon" }, { project: "p" }),
		],
		"project overridden by the default credentials": [
			"project",
			when({ project: "p", token: "google_default" }, { project: "p", token: "cloud" }),
		],
		"anonymous requester pays": [
			"requesterPays",
			when({ requesterPays: "p", token: "anon" }, { requesterPays: false, token: "anon" }),
		],
		"secure_serialize is deprecated": ["secureSerialize", when({ secureSerialize: false }, {})],
		"versionAware has no effect in a job": ["versionAware", when({ versionAware: false }, {})],
	},
	az: {
		"anonymous access without an account name": [
			"accountName",
			when({ anon: true }, { anon: true, ...account }),
		],
		"connection string overrides": [
			"connectionString",
			when(
				{ ...connection, ...account, ...principal, ...blob, sasToken: HIDDEN, credential: HIDDEN },
				connection,
				ignored("accountName, accountHost, sasToken, credential, clientId, clientSecret and tenantId"),
			),
		],
		"account key wins over the SAS token": [
			"sasToken",
			when({ ...account, accountKey: HIDDEN, sasToken: HIDDEN }, { ...account, sasToken: HIDDEN }),
		],
		"credential wins over the account key": [
			"accountKey",
			when({ ...account, accountKey: HIDDEN, credential: HIDDEN }, { ...account, accountKey: HIDDEN }),
		],
		"service principal not used": [
			"clientId",
			when(
				{ ...account, ...principal, sasToken: HIDDEN },
				{ ...connection, ...principal, sasToken: HIDDEN },
				unused("sasToken"),
			),
			when(
				{ ...account, ...principal, accountKey: HIDDEN, sasToken: HIDDEN, credential: HIDDEN },
				{ ...account, ...principal },
				unused("accountKey, sasToken and credential"),
			),
		],
		"versionAware has no effect in a job": [
			"versionAware",
			when({ ...account, versionAware: true }, account),
		],
	},
	hf: { "token of a person's machine": ["token", when({ token: true }, { token: false })] },
	file: {},
};

export const CASES = { errors, warnings };
