import { z } from "zod";
import { list } from "../text/wording";
import {
	count,
	flag,
	given,
	liveObject,
	noEffect,
	type Rule,
	secret,
	text,
	textOrNull,
} from "./parameter";

/** Parameters of blob storage (az), in the order of the documentation. What each means is said where programs see it: src/storage/args.ts. */
export const azShape = {
	accountName: text,
	accountKey: secret(text),
	sasToken: secret(text),
	requestSession: liveObject(
		"is a live Python HTTP session, which JSON cannot carry: leave it out, and the library creates its own.",
	),
	connectionString: secret(text),
	credential: secret(
		z
			.string(
				"must be a SAS token: a credential object is a live Python object, which JSON cannot carry. For a service " +
					"principal give clientId, clientSecret and tenantId.",
			)
			.min(1, "must not be empty")
			.optional(),
	),
	blocksize: count,
	clientId: text,
	clientSecret: secret(text),
	tenantId: text,
	anon: flag,
	defaultFillCache: flag,
	defaultCacheType: textOrNull,
	versionAware: flag,
	assumeContainerExists: flag,
	maxConcurrency: count,
	timeout: count,
	connectionTimeout: count,
	readTimeout: count,
	accountHost: text,
};

type AzParameters = z.infer<z.ZodObject<typeof azShape>>;

const PRINCIPAL = ["clientId", "clientSecret", "tenantId"] as const;
const CREDENTIALS = ["accountKey", "sasToken", "credential", ...PRINCIPAL] as const;
const SIGNING = [...CREDENTIALS, "connectionString"] as const;
/** What a connection string stands for. The rest (block size, caching, timeouts) is used beside it. */
const OVERRIDDEN = ["accountName", "accountHost", ...CREDENTIALS] as const;

const missing = (p: AzParameters): string[] =>
	PRINCIPAL.filter((name) => p[name] === undefined);

export const azErrors: readonly Rule<AzParameters>[] = [
	{
		// The documentation says that "when any of account_key, sas_token or client_id is given, anonymous access is used".
		// Taken at its word, credentials would switch themselves off. It is a slip for the opposite: in the table itself
		// `anon` counts only "when no other credential is passed", and the library's code signs in with whatever credential
		// there is and falls back to anonymous access only without one. So credentials are sent as they are, `anon` is never
		// added to them, and an explicit `anon: true` beside them is refused, because one of the two cannot be meant.
		name: "anonymous access together with credentials",
		parameter: "anon",
		broken: (p) => p.anon === true && given(p, ...SIGNING).length > 0,
		message: (p) =>
			`cannot be true together with ${list(given(p, ...SIGNING))}. Remove one of the two.`,
	},
	{
		name: "no account name",
		parameter: "accountName",
		broken: (p) =>
			given(p, "accountName", "connectionString", "accountHost").length === 0 &&
			p.anon !== true,
		message: "is required, unless connectionString is given.",
	},
	{
		name: "account host without account name",
		parameter: "accountHost",
		broken: (p) =>
			p.accountHost !== undefined &&
			given(p, "accountName", "connectionString").length === 0,
		message: "needs accountName as well.",
	},
	{
		name: "account host is not a host",
		parameter: "accountHost",
		broken: (p) =>
			p.accountHost !== undefined &&
			!/^[^\s/?#@:]+(:\d+)?(\/[^\s?#]*)?$/.test(p.accountHost),
		message:
			'must be the host of the account\'s URL, such as "account.blob.core.example.com".',
	},
	{
		name: "incomplete service principal",
		parameter: "clientId",
		broken: (p) =>
			p.connectionString === undefined &&
			given(p, ...PRINCIPAL).length > 0 &&
			missing(p).length > 0,
		message: (p) =>
			`is part of a service principal, which needs clientId, clientSecret and tenantId; missing: ${list(missing(p))}.`,
	},
	{
		name: "not a connection string",
		parameter: "connectionString",
		broken: (p) =>
			p.connectionString !== undefined &&
			!/^[A-Za-z]+=[^;]+(;[A-Za-z]+=[^;]*)*;?$/.test(p.connectionString),
		message:
			'must have the form "Name=value;Name=value", as the account\'s page shows it.',
	},
];

export const azWarnings: readonly Rule<AzParameters>[] = [
	{
		// The documentation allows this for a custom domain, but the library has no other parameter to name one with.
		name: "anonymous access without an account name",
		parameter: "accountName",
		broken: (p) =>
			p.anon === true &&
			given(p, "accountName", "connectionString", "accountHost").length === 0,
		message:
			"is missing: the job finds the account only where AZURE_STORAGE_ACCOUNT_NAME is in its environment.",
	},
	{
		name: "connection string overrides",
		parameter: "connectionString",
		broken: (p) =>
			p.connectionString !== undefined && given(p, ...OVERRIDDEN).length > 0,
		message: (p) =>
			`overrides ${list(given(p, ...OVERRIDDEN))}, ignored here. Remove one of the two.`,
	},
	{
		name: "account key wins over the SAS token",
		parameter: "sasToken",
		broken: (p) =>
			p.connectionString === undefined &&
			given(p, "accountKey", "sasToken").length === 2,
		message: "is not used: accountKey is given as well, and the key signs.",
	},
	{
		name: "credential wins over the account key",
		parameter: "accountKey",
		broken: (p) =>
			p.connectionString === undefined &&
			given(p, "accountKey", "credential").length === 2,
		message: "is not used: credential is given as well, and it comes first.",
	},
	{
		name: "service principal not used",
		parameter: "clientId",
		broken: (p) =>
			p.connectionString === undefined &&
			p.clientId !== undefined &&
			given(p, "accountKey", "sasToken", "credential").length > 0,
		message: (p) =>
			`and the rest of the service principal are not used: ${list(given(p, "accountKey", "sasToken", "credential"))} given as well.`,
	},
	noEffect("versionAware", "the library sets its own value"),
];
