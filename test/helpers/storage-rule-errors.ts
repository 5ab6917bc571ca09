import { account, connection, HIDDEN, pair, principal, type RuleCase } from "./storage-rule-cases";

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
	"is the text of a token dictionary, and a string is taken for a path. Give the dictionary itself: config.requireSecretObject(…), or JSON.parse of the text.";
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
