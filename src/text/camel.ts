import { z } from "zod";

/** `created_at` → `createdAt`, in types. */
type Camel<S extends string> = S extends `${infer Head}_${infer Tail}`
	? `${Head}${Capitalize<Camel<Tail>>}`
	: S;

/** A wire object as programs see it: camelCase, undefined in place of null, without fields nobody documented. */
export type CamelKeys<T> = T extends readonly (infer Item)[]
	? CamelKeys<Item>[]
	: T extends object
		? {
				[K in keyof T as string extends K ? never : Camel<K & string>]: CamelField<
					NonNullable<T[K]>,
					T[K]
				>;
			}
		: T;

/** Maps such as an environment keep their keys: those are the user's names. */
type CamelField<T, Original> =
	| (T extends object ? (KnownKeys<T> extends never ? T : CamelKeys<T>) : T)
	| (undefined extends Original ? undefined : never)
	| (null extends Original ? undefined : never);

type KnownKeys<T> = keyof { [K in keyof T as string extends K ? never : K]: T[K] };

/** Turns a parsed reply into its camelCase form, following the schema, so that only documented keys are renamed. */
export function camelKeys<S extends z.ZodObject>(
	schema: S,
	value: z.infer<S>,
): CamelKeys<z.infer<S>> {
	return convert(schema, value) as CamelKeys<z.infer<S>>;
}

function convert(schema: z.ZodType, value: unknown): unknown {
	if (value === null || value === undefined) return undefined;
	if (
		schema instanceof z.ZodOptional ||
		schema instanceof z.ZodNullable ||
		schema instanceof z.ZodCatch
	)
		return convert(schema.unwrap() as z.ZodType, value);
	if (schema instanceof z.ZodPipe) return convert(schema.out as z.ZodType, value);
	if (schema instanceof z.ZodArray && Array.isArray(value)) {
		return value.map((item) => convert(schema.element as z.ZodType, item));
	}
	if (!(schema instanceof z.ZodObject) || typeof value !== "object") return value;
	const entries = Object.entries(schema.shape).flatMap(([key, field]) => {
		const converted = convert(
			field as z.ZodType,
			(value as Record<string, unknown>)[key],
		);
		return converted === undefined ? [] : [[camelCase(key), converted]];
	});
	return Object.fromEntries(entries);
}

/** `created_at` → `createdAt`. */
export const camelCase = (name: string): string =>
	name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** `createdAt` → `created_at`. */
export const snakeCase = (name: string): string =>
	name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
