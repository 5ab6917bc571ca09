import { z } from "zod";
import { someText } from "../schemas/primitives";
import { didYouMean } from "../text/suggest";

/**
 * Building blocks of the storage schemas. Values never enter a message: any of them may be a credential.
 */

/** Marks the parameters whose values are credentials, or may hold some. The only place that says so. */
export const secret = <S extends z.ZodType>(schema: S): S =>
	schema.meta({ secret: true });

export const isSecret = (schema: z.ZodType): boolean => schema.meta()?.secret === true;

/** `endpointUrl` → `endpoint_url`. The names of all parameters follow this rule, in both directions. */
export { camelCase as camelName, snakeCase as wireName } from "../text/camel";

export const flag = z.boolean("must be true or false").optional();

export const text = someText.optional();

/** For the names of cache types, for which the documentation gives None a meaning of its own: no caching. */
export const textOrNull = z
	.string("must be a string, or null")
	.min(1, "must not be empty; null disables caching")
	.nullish();

/** Unlike the one for other inputs, it never shows the value that was given. */
export function oneOf<const Enum extends Readonly<Record<string, string>>>(
	words: Enum,
) {
	const values = Object.values(words);
	const listed = values.map((value) => `"${value}"`).join(", ");
	return z
		.enum(words, {
			error: ({ input }) => `must be one of ${listed}${hint(input, values)}`,
		})
		.optional();
}

const hint = (input: unknown, values: readonly string[]): string => {
	const meant =
		typeof input === "string" ? didYouMean(input.slice(0, 100), values) : "";
	return meant && `.${meant}`;
};

/** A whole number above zero: sizes, counts and timeouts alike. */
export const count = z
	.int("must be a whole number")
	.min(1, "must be 1 or more")
	.optional();

export const seconds = z.number("must be a number of seconds").optional();

export const jsonObject = (error: string) =>
	z.custom<Record<string, unknown>>(
		(value) => isPlainObject(value) && isJson(value),
		error,
	);

/** A dictionary of the Python library's own: its keys are passed on as they are. */
export const dict = jsonObject("must be a dictionary of plain JSON values").optional();

/** A parameter that exists in the library but that JSON cannot carry. */
export const liveObject = (reason: string) => z.never(reason).optional();

const DEEPEST = 64;

export function isPlainObject(value: unknown): value is Record<string, unknown> {
	if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
	const prototype: unknown = Object.getPrototypeOf(value);
	// An object made in another realm, such as a test runner's sandbox, has another Object.prototype.
	return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function isJson(value: unknown, depth = 0): boolean {
	if (value === null || typeof value === "string" || typeof value === "boolean")
		return true;
	if (typeof value === "number") return Number.isFinite(value);
	if (depth >= DEEPEST) return false;
	if (Array.isArray(value)) return value.every((item) => isJson(item, depth + 1));
	if (!isPlainObject(value)) return false;
	return Object.values(value).every(
		(item) => item === undefined || isJson(item, depth + 1),
	);
}

// ── Rules ──

/** A documented rule that one parameter's type cannot express. */
export interface Rule<P = Readonly<Record<string, unknown>>> {
	/** What is wrong, in a few words; names the rule's test. */
	readonly name: string;
	/** The parameter at fault. */
	readonly parameter: keyof P & string;
	/**
	 * True of the environment alone: a `client_config` in code does reach the filesystem in these points.
	 */
	readonly environmentOnly?: true;
	// Who asks for a parameter that is not known yet waits for it (`Undecided` in rules.ts). A method, so that a table of
	// rules for one storage is also a table of rules for any.
	broken(parameters: P): boolean;
	/** Why it is wrong and what to do. Holds names of parameters, never values. */
	message: string | ((parameters: P) => string);
}

export const given = <P, Name extends keyof P & string>(
	parameters: P,
	...names: Name[]
): Name[] => names.filter((name) => parameters[name] !== undefined);

/** Settings that the library in the job overrides with its own. */
export const noEffect = <P>(parameter: keyof P & string, why: string): Rule<P> => ({
	name: `${parameter} has no effect in a job`,
	parameter,
	environmentOnly: true,
	broken: (p) => p[parameter] !== undefined,
	message: `has no effect in a job: ${why}. To set it, pass client_config in the script.`,
});

const URL_FORM = "an http:// or https:// URL";
const HOST_FORM = "protocol://host:port with no path, and http or https";

/** `path` says whether one may follow the host. */
export const urlRule = <P>(
	parameter: keyof P & string,
	{ path }: { readonly path: boolean },
): Rule<P> => ({
	name: `${parameter} is not an endpoint`,
	parameter,
	broken: (p) => typeof p[parameter] === "string" && !isEndpoint(p[parameter], path),
	message: `must be ${path ? URL_FORM : HOST_FORM}, without user name, password, query or fragment.`,
});

function isEndpoint(value: string, path: boolean): boolean {
	const rest = /^https?:\/\/([^/?#\\\s@]+)(\/[^?#\\\s]*)?$/i.exec(value);
	return rest !== null && URL.canParse(value) && (path || rest[2] === undefined);
}
