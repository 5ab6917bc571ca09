import { z } from "zod";

/**
 * Building blocks shared by every wire schema.
 *
 * Replies are read tolerantly: any documented field may be missing or null, extra fields pass, and
 * statuses are open strings, because the service may learn new ones before this package does.
 */

/** A whole number that JavaScript can hold exactly; anything beyond 2^53 would silently name another object. */
export const integer = z.int();

/** The same where a program gives it; "4" is what a config value is before it is made a number. */
export const wholeNumber = z.int(
	'must be a whole number, such as 4; a text such as "4" becomes one with Number(…)',
);

/** Clusters have integer ids in the REST document and string ids (`k3f9x2mq7a`) in newer deployments. */
export const integerOrStringId = z.union([integer, z.string().min(1)]);

export const uuid = z.string().describe("uuid");

/** ISO 8601 in UTC. Kept as text: instants are compared with `sameInstant`, never by their spelling. */
export const timestamp = z.string().describe("ISO 8601 UTC date-time");

/**
 * A count or a setting in a reply, for which "2" can only mean 2. Never for an id: a text there may name something else.
 */
export const countReply = z
	.preprocess(
		(value) => (typeof value === "string" && /^-?\d{1,15}$/.test(value) ? Number(value) : value),
		integer,
	)
	.meta({ type: "integer" });

/**
 * Environment variables in a reply. A null is kept as it is: whoever writes the environment back must see that there
 * is a variable whose value cannot be sent.
 */
export const variablesReply = z.record(z.string(), z.string().nullable());

export const openObject = z.record(z.string(), z.unknown());

/** What a program gives as a text that means something: an empty one is a mistake, as of a variable that is not set. */
export const someText = z.string("must be a text").min(1, "must not be empty");

/** Team names reach URLs and messages, so control characters are refused. */
export const teamName = someText
	.max(255, "must have at most 255 characters")
	.regex(/^\P{Cc}+$/u, "must not contain control characters")
	.describe("team the request works in");

/** In every request; without it a request works in the team of the client, or of the token. */
export const inTeam = { team_name: teamName.optional() };

/** Names of schedules, pipelines and files: anything a person can read back from a message. */
export const objectName = someText
	.max(255, "must have at most 255 characters")
	.regex(/^\P{Cc}*$/u, "must not contain control characters")
	.regex(/^(\S(.*\S)?)?$/su, "must not start or end with white space");
