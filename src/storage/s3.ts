import type { z } from "zod";
import { list } from "../text/wording";
import {
	count,
	dict,
	flag,
	given,
	liveObject,
	noEffect,
	type Rule,
	secret,
	text,
	textOrNull,
	urlRule,
	wireName,
} from "./parameter";

/** Parameters of S3-compatible storage, in the order of the documentation. What each means is said where programs see it: src/storage/args.ts. */
export const s3Shape = {
	anon: flag,
	endpointUrl: text,
	key: secret(text),
	secret: secret(text),
	token: secret(text),
	useSsl: flag,
	s3AdditionalKwargs: secret(dict),
	clientKwargs: secret(dict),
	requesterPays: flag,
	defaultBlockSize: count,
	defaultFillCache: flag,
	defaultCacheType: textOrNull,
	versionAware: flag,
	cacheRegions: flag,
	asynchronous: flag,
	configKwargs: secret(dict),
	kwargs: secret(dict),
	session: liveObject(
		"is a live Python session, which JSON cannot carry: leave it out, and the library creates its own.",
	),
	maxConcurrency: count,
};

type S3Parameters = z.infer<z.ZodObject<typeof s3Shape>>;

const CREDENTIALS = ["key", "secret", "token"] as const;
type ClientName = "endpointUrl" | (typeof CREDENTIALS)[number];

/** Parameters that `client_kwargs` can also hold, under the names that the underlying client has for them. */
export const CLIENT_NAMES: Readonly<Record<ClientName, string>> = {
	endpointUrl: "endpoint_url",
	key: "aws_access_key_id",
	secret: "aws_secret_access_key",
	token: "aws_session_token",
};

const inClient = (p: S3Parameters, name: ClientName): boolean =>
	CLIENT_NAMES[name] in (p.clientKwargs ?? {});

/** The last two are spellings of `key` and `secret` that the library knows: one more way to give the same thing twice. */
const KNOWN_NAMES = [...Object.keys(s3Shape).map(wireName), "username", "password"];

const repeatedInClient = (p: S3Parameters): string[] =>
	given(p, "endpointUrl", ...CREDENTIALS).filter((name) => inClient(p, name));

/** A credential that signs nothing without another one. */
const alone = (
	name: string,
	parameter: ClientName,
	other: ClientName,
	message: string,
): Rule<S3Parameters> => ({
	name,
	parameter,
	broken: (p) =>
		p[parameter] !== undefined && p[other] === undefined && !inClient(p, other),
	message,
});

export const s3Errors: readonly Rule<S3Parameters>[] = [
	{
		name: "anonymous access together with credentials",
		parameter: "anon",
		broken: (p) =>
			p.anon === true &&
			CREDENTIALS.some((name) => p[name] !== undefined || inClient(p, name)),
		message:
			"cannot be true together with credentials (key, secret, token). Remove one of the two.",
	},
	alone(
		"key without secret",
		"key",
		"secret",
		"needs secret: an access key id alone signs nothing.",
	),
	alone(
		"secret without key",
		"secret",
		"key",
		"needs key: a secret access key alone signs nothing.",
	),
	alone(
		"session token without key",
		"token",
		"key",
		"needs the key and secret that it was issued with.",
	),
	urlRule("endpointUrl", { path: true }),
	{
		name: "live asynchronous mode",
		parameter: "asynchronous",
		broken: (p) => p.asynchronous === true,
		message:
			"cannot be true: it needs a running Python event loop, and jobs call the library synchronously.",
	},
	{
		name: "kwargs repeats a parameter",
		parameter: "kwargs",
		broken: (p) =>
			Object.keys(p.kwargs ?? {}).some((name) => KNOWN_NAMES.includes(name)),
		message:
			"repeats a parameter that has a place of its own (or username or password, which are key and secret). Move it there.",
	},
];

export const s3Warnings: readonly Rule<S3Parameters>[] = [
	{
		name: "client_kwargs repeats a parameter",
		parameter: "clientKwargs",
		broken: (p) => repeatedInClient(p).length > 0,
		message: (p) =>
			`repeats ${list(repeatedInClient(p))}; the parameter wins and the value here is left out.`,
	},
	{
		name: "use_ssl in client_kwargs wins",
		parameter: "useSsl",
		broken: (p) => p.useSsl !== undefined && "use_ssl" in (p.clientKwargs ?? {}),
		message: "is ignored: use_ssl in clientKwargs takes priority.",
	},
	{
		name: "anonymous requester pays",
		parameter: "requesterPays",
		broken: (p) => p.requesterPays === true && p.anon === true,
		message: "bills the account behind the credentials, and anonymous access has none.",
	},
	{
		name: "blocks too small to write",
		parameter: "defaultBlockSize",
		broken: (p) => p.defaultBlockSize !== undefined && p.defaultBlockSize < 5 * 2 ** 20,
		message:
			"is below 5 MiB (5242880): files can be read, but the library refuses to write with such blocks.",
	},
	noEffect("versionAware", "the library sets its own value"),
	noEffect("configKwargs", "the library sets its own configuration"),
	noEffect(
		"cacheRegions",
		"it is on unless AWS_REGION or AWS_ENDPOINT_URL is set in the environment",
	),
];
