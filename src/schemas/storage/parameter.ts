import { z } from "zod";
import { someText } from "../primitives";

/**
 * Building blocks of the storage schemas. Values never enter a message: any of them may be a credential.
 */

/** Marks the parameters whose values are credentials, or may hold some. The only place that says so. */
const secrets = new WeakSet<z.ZodType>();

export function secret<S extends z.ZodType>(schema: S): S {
	secrets.add(schema);
	return schema;
}

export const isSecret = (schema: z.ZodType): boolean => secrets.has(schema);

/** `endpointUrl` → `endpoint_url`. The names of all parameters follow this rule, in both directions. */
export const wireName = (parameter: string): string =>
	parameter.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export const camelName = (wire: string): string =>
	wire.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

export const flag = (about: string) => z.boolean("must be true or false").optional().describe(about);

export const text = (about: string) => someText.optional().describe(about);

/** For the names of cache types, where the documentation gives None a meaning of its own: no caching. */
export const textOrNull = (about: string) =>
	z
		.string("must be a text, or null")
		.min(1, "must not be empty; null disables caching")
		.nullish()
		.describe(about);

export const oneOf = <const T extends readonly string[]>(values: T, about: string) =>
	z
		.enum(values, `must be one of ${values.map((value) => `"${value}"`).join(", ")}`)
		.optional()
		.describe(about);

/** A whole number above zero: sizes, counts and timeouts alike. */
export const count = (about: string) =>
	z.int("must be a whole number").min(1, "must be 1 or more").optional().describe(about);

export const seconds = (about: string) => z.number("must be a number of seconds").optional().describe(about);

/** A dictionary of the Python library's own: its keys are passed on as they are. */
export const dict = (about: string) =>
	jsonObject("must be a dictionary of plain JSON values").optional().describe(about);

export const jsonObject = (error: string) =>
	z.custom<Record<string, unknown>>((value) => isPlainObject(value) && isJson(value), error);

/** A parameter that exists in the library but that JSON cannot carry. */
export const liveObject = (reason: string, about: string) => z.never(reason).optional().describe(about);

const DEEPEST = 64;

export function isPlainObject(value: unknown): value is Record<string, unknown> {
	if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
	const prototype: unknown = Object.getPrototypeOf(value);
	// An object made in another realm, such as a test runner's sandbox, has another Object.prototype.
	return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function isJson(value: unknown, depth = 0): boolean {
	if (value === null || typeof value === "string" || typeof value === "boolean") return true;
	if (typeof value === "number") return Number.isFinite(value);
	if (depth >= DEEPEST) return false;
	if (Array.isArray(value)) return value.every((item) => isJson(item, depth + 1));
	if (!isPlainObject(value)) return false;
	return Object.values(value).every((item) => item === undefined || isJson(item, depth + 1));
}
