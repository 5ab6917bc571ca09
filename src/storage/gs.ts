import { z } from "zod";
import { GsAccess, GsConsistency } from "../schemas/enums";
import { someText } from "../schemas/primitives";
import {
	dict,
	flag,
	isPlainObject,
	jsonObject,
	noEffect,
	oneOf,
	type Rule,
	seconds,
	secret,
	text,
	urlRule,
} from "./parameter";

/** Parameters of cloud object storage (gs), in the order of the documentation. What each means is said where programs see it: src/storage/args.ts. */
export const gsShape = {
	project: text,
	access: oneOf(GsAccess),
	token: secret(
		z
			.union(
				[someText, jsonObject("")],
				'must be a token dictionary, a path or a word such as "anon"',
			)
			.optional(),
	),
	consistency: oneOf(GsConsistency),
	cacheTimeout: seconds,
	secureSerialize: flag,
	requesterPays: z
		.union([z.boolean(), someText], "must be true, false or the project to bill")
		.optional(),
	sessionKwargs: secret(dict),
	endpointUrl: text,
	defaultLocation: text,
	versionAware: flag,
};

type GsParameters = z.infer<z.ZodObject<typeof gsShape>>;

/** Words that the library takes for a way to authenticate; any other string is a path, or else a raw access token. */
const TOKEN_WORDS = ["anon", "google_default", "cache", "cloud", "browser"];

export const gsErrors: readonly Rule<GsParameters>[] = [
	urlRule("endpointUrl", { path: false }),
	{
		name: "token is the text of a token dictionary",
		parameter: "token",
		broken: (p) => typeof p.token === "string" && p.token.trimStart().startsWith("{"),
		message:
			"is the text of a token dictionary, and a string is treated as a path. Give the dictionary itself: " +
			"a secret of the config read as an object, or the text parsed as JSON.",
	},
	{
		name: "empty token dictionary",
		parameter: "token",
		broken: (p) => isPlainObject(p.token) && Object.keys(p.token).length === 0,
		message:
			"is an empty dictionary. Give a token dictionary, or leave it out for the default credentials.",
	},
];

export const gsWarnings: readonly Rule<GsParameters>[] = [
	{
		name: "token is a path",
		parameter: "token",
		broken: (p) =>
			typeof p.token === "string" &&
			!TOKEN_WORDS.includes(p.token) &&
			!p.token.trimStart().startsWith("{"),
		message:
			"is a path. A path that is not attached to the job is treated as an access token, which " +
			"expires. Give the token dictionary instead, or attach the file.",
	},
	{
		name: "token of a person's machine",
		parameter: "token",
		broken: (p) => p.token === "cache" || p.token === "browser",
		message:
			"asks for a login made by hand, which a job does not have. Give a token dictionary instead.",
	},
	{
		name: "project ignored with anonymous access",
		parameter: "project",
		broken: (p) => p.project !== undefined && p.token === "anon",
		message: 'is ignored: token is "anon".',
	},
	{
		name: "project overridden by the default credentials",
		parameter: "project",
		broken: (p) => p.project !== undefined && p.token === "google_default",
		message:
			'is overridden by the project of the default credentials: token is "google_default".',
	},
	{
		name: "anonymous requester pays",
		parameter: "requesterPays",
		broken: (p) =>
			p.requesterPays !== undefined && p.requesterPays !== false && p.token === "anon",
		message: "bills a project, and anonymous access has none.",
	},
	{
		name: "secure_serialize is deprecated",
		parameter: "secureSerialize",
		broken: (p) => p.secureSerialize !== undefined,
		message: "is deprecated and will be removed from the library. Leave it out.",
	},
	noEffect("versionAware", "the library sets its own value"),
];
