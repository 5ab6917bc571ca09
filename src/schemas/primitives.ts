import { z } from "zod";
import { didYouMean } from "../text/suggest";
import { valueInWords } from "../text/value";

/**
 * Building blocks shared by every wire schema.
 *
 * Replies are read tolerantly: any documented field may be missing or null, extra fields pass, and
 * statuses are open strings, because the service may learn new ones before this package does.
 */

/** The objects of the API by the names that its reference gives them. */
export const apiObjects = z.registry<{ readonly id: string }>();

/** An object in a reply. */
export const apiObject = <Shape extends z.ZodRawShape>(id: string, shape: Shape) =>
	z.looseObject(shape).register(apiObjects, { id });

/** A whole number that JavaScript can hold exactly; anything beyond 2^53 would silently name another object. */
export const integer = z.int();

/** The same if a program gives it. */
export const wholeNumber = z.int("must be a whole number such as 4");

/** A number between two others, or from one on. The message names the value: 9 may come from a config that nobody looks at. */
export function inRange(number: z.ZodInt, min: number, max?: number): z.ZodInt {
	const range = max === undefined ? `${min} or more` : `${min} to ${max}`;
	const error = ({ input }: { readonly input?: unknown }) =>
		`must be ${range}, not ${input}`;
	const atLeast = number.min(min, { error });
	return max === undefined ? atLeast : atLeast.max(max, { error });
}

/** One of the words of an enum; a misspelt one is told the word that was probably meant. */
export function oneOf<const Enum extends Readonly<Record<string, string>>>(
	words: Enum,
) {
	const all = Object.values(words);
	return z.enum(words, {
		error: ({ input }) => `must be ${either(all)}${refusedValue(input, all)}`,
	});
}

const either = (words: readonly string[]): string =>
	new Intl.ListFormat("en-GB", { type: "disjunction" }).format(
		words.map((word) => JSON.stringify(word)),
	);

const refusedValue = (input: unknown, words: readonly string[]): string =>
	`, not ${valueInWords(input)}${typeof input === "string" ? `.${didYouMean(input.slice(0, 100), words)}` : ""}`;

/** Clusters have integer ids in the REST document and string ids (`k3f9x2mq7a`) in newer deployments. */
export const integerOrStringId = z.union([integer, z.string().min(1)]);

export const uuid = z.string().describe("uuid");

/** ISO 8601 in UTC. Kept as text: instants are compared with `sameInstant`, never by their spelling. */
export const timestamp = z.string().describe("ISO 8601 UTC date-time");

/** When a request says that something runs. */
export const runTimes = {
	start_after: timestamp.optional(),
	cron_expression: z
		.string()
		.optional()
		.describe("five-field cron expression or macro"),
};

/** How a request says that jobs run: one job, or those of a pipeline. */
export const runSettings = {
	python_version: z.string().optional(),
	requirements: z.string().optional().describe("lines joined with a newline"),
	repository: z.string().optional().describe("clone URL with an optional @revision"),
	workers: inRange(integer, 0).optional(),
	priority: inRange(integer, 0, 5).optional().describe("0 to 5, lower runs sooner"),
	environment: z.string().optional().describe("NAME=VALUE lines joined with a newline"),
	files: z
		.array(z.string())
		.optional()
		.describe("file ids returned by the upload endpoint"),
};

const integerOrItsText = (form: RegExp) =>
	z
		.preprocess(
			(value) =>
				typeof value === "string" && form.test(value) ? Number(value) : value,
			integer,
		)
		.meta({ type: "integer" });

/** A count or a setting in a reply, for which "2" can only mean 2. */
export const countReply = integerOrItsText(/^-?\d{1,15}$/);

/** A whole number as id in a reply. "7" can only mean 7, but "07" may name something else. */
export const idReply = integerOrItsText(/^[1-9]\d{0,14}$/);

/**
 * A field of a reply that no decision uses. A value of another type is read as if the field were missing, because nobody
 * should lose an object, or the outcome of a create, over what is only shown.
 */
export const lenient = <Value extends z.ZodType>(value: Value) =>
	value.catch(undefined as never).nullish();

/** The same for a text; a number, lines and a user have one. */
export const shownText = lenient(z.preprocess(textOf, z.string()));

function textOf(value: unknown): unknown {
	if (typeof value === "number") return String(value);
	if (Array.isArray(value))
		return value.every((line) => typeof line === "string") ? value.join("\n") : value;
	return typeof value === "object" && value !== null && "username" in value
		? value.username
		: value;
}

/**
 * Environment variables in a reply. A null is kept as it is: whoever writes the environment back must see that there
 * is a variable whose value cannot be sent.
 */
export const variablesReply = z.record(z.string(), z.string().nullable());

export const openObject = z.record(z.string(), z.unknown());

/** What a program gives as a text that means something: a blank one is a mistake, as of a variable that is not set. */
export const someText = z.string("must be a string").regex(/\S/, "must not be empty");

const MAX_CHARACTERS = 255;

const tooLong = ({ input }: { readonly input?: unknown }): string =>
	`must have at most ${MAX_CHARACTERS} characters, and has ${String(input).length}`;

/** Team names reach URLs and messages, so control characters are refused. */
export const teamName = someText
	.max(MAX_CHARACTERS, { error: tooLong })
	.regex(/^\P{Cc}+$/u, "must not contain control characters")
	.describe("team the request works in");

/** In every request; without it a request works in the team of the client, or of the token. */
export const inTeam = { team_name: teamName.optional() };

/** Names of schedules, pipelines and files: anything a person can read back from a message. */
export const objectName = someText
	.max(MAX_CHARACTERS, { error: tooLong })
	.regex(/^\P{Cc}*$/u, "must not contain control characters")
	.regex(/^(\s*|\S(.*\S)?)$/su, "must not start or end with white space");

/**
 * A name without regard to case, Unicode form, spaces and characters without width: some services take two such names for
 * one. Upper case first, because "ß" and "SS" have only that in common.
 */
export const foldName = (name: string): string =>
	name
		.normalize("NFC")
		.replace(/\p{Default_Ignorable_Code_Point}/gu, "")
		.toUpperCase()
		.toLowerCase()
		.normalize("NFC")
		.replace(/\s+/g, " ")
		.trim();
