import { z } from "zod";

export type JsonType = "string" | "number" | "integer" | "boolean" | "array" | "object";

/** What a JSON value may be, as far as two descriptions of it can be compared. */
export interface Form {
	/** Undefined if it may be anything. */
	readonly types: ReadonlySet<JsonType> | undefined;
	readonly nullable: boolean;
	/** The only values that it may have, if there are such. */
	readonly values?: readonly unknown[] | undefined;
	/** Fields of an object; undefined of a map, or of something that is no object. */
	readonly fields?: ReadonlyMap<string, Field> | undefined;
	/** Elements of an array. */
	readonly items?: Form | undefined;
}

export interface Field {
	readonly form: Form;
	readonly required: boolean;
	/** A value of another type is read as if the field were missing, so that nothing depends on it. */
	readonly tolerant?: boolean;
}

const ANYTHING: Form = { types: undefined, nullable: true };
const only = (...types: readonly JsonType[]): Form => ({
	types: new Set(types),
	nullable: false,
});

// ── Ours ──

/** The form of a schema of ours. */
export function formOf(schema: z.core.$ZodType): Form {
	if (schema instanceof z.ZodOptional || schema instanceof z.ZodCatch)
		return formOf(schema.unwrap());
	if (schema instanceof z.ZodNullable)
		return { ...formOf(schema.unwrap()), nullable: true };
	if (schema instanceof z.ZodPipe) return formOf(schema.out);
	if (schema instanceof z.ZodArray)
		return { ...only("array"), items: formOf(schema.element) };
	if (schema instanceof z.ZodEnum) return { ...only("string"), values: schema.options };
	if (schema instanceof z.ZodUnion) return union(schema.options.map(formOf));
	if (schema instanceof z.ZodObject)
		return { ...only("object"), fields: fieldsOf(schema.shape) };
	if (schema instanceof z.ZodRecord) return only("object");
	if (schema instanceof z.ZodString) return only("string");
	if (schema instanceof z.ZodBoolean) return only("boolean");
	if (schema instanceof z.ZodNumber)
		return { ...only("integer"), values: rangeOf(schema) };
	return ANYTHING;
}

/** The fields of a shape of ours. */
export function fieldsOf(shape: z.core.$ZodShape): ReadonlyMap<string, Field> {
	const fields = Object.entries(shape).map(([name, schema]): [string, Field] => [
		name,
		{
			form: formOf(schema),
			required: !z.safeParse(schema, undefined).success,
			tolerant: isTolerant(schema),
		},
	]);
	return new Map(fields);
}

function isTolerant(schema: z.core.$ZodType): boolean {
	if (schema instanceof z.ZodCatch) return true;
	if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
		return isTolerant(schema.unwrap());
	return false;
}

/** Every number of a short range, so that a list of values can be held against it. */
function rangeOf({ minValue, maxValue }: z.ZodNumber): number[] | undefined {
	if (minValue === null || maxValue === null || maxValue - minValue > 20)
		return undefined;
	return Array.from({ length: maxValue - minValue + 1 }, (_, at) => minValue + at);
}

// ── Theirs ──

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
	typeof value === "object" && value !== null && !Array.isArray(value);

/** A description nests only so deep before it repeats itself. */
const DEEPEST = 12;

/** The form that a JSON Schema of an OpenAPI document describes. */
export function describedForm(schema: unknown, document: unknown, depth = 0): Form {
	const resolved = resolveReference(schema, document);
	if (!isObject(resolved) || depth > DEEPEST) return ANYTHING;
	const inner = (part: unknown): Form => describedForm(part, document, depth + 1);
	const choices = listOf(resolved.anyOf) ?? listOf(resolved.oneOf);
	if (choices !== undefined) return union(choices.map(inner));
	const parts = listOf(resolved.allOf);
	if (parts !== undefined) return merged(parts.map(inner), resolved, inner);
	return plainForm(resolved, inner);
}

function plainForm(schema: Json, inner: (part: unknown) => Form): Form {
	const values = "const" in schema ? [schema.const] : listOf(schema.enum);
	const named = typesIn(schema.type) ?? values?.map(typeNamed);
	const types = named?.filter((type) => type !== "null") as JsonType[] | undefined;
	const isNullable = schema.nullable === true || (named?.includes("null") ?? true);
	return {
		types: types === undefined ? undefined : new Set(types),
		nullable: isNullable,
		values: values?.filter((value) => value !== null),
		fields: isObject(schema.properties) ? describedFields(schema, inner) : undefined,
		items: "items" in schema ? inner(schema.items) : undefined,
	};
}

function describedFields(
	{ properties, required }: Json,
	inner: (part: unknown) => Form,
): Map<string, Field> {
	const names = listOf(required) ?? [];
	const fields = Object.entries(isObject(properties) ? properties : {}).map(
		([name, part]): [string, Field] => [
			name,
			{ form: inner(part), required: names.includes(name) },
		],
	);
	return new Map(fields);
}

/** Of parts that all apply: the fields of each, and the types that a part names. */
function merged(
	parts: readonly Form[],
	schema: Json,
	inner: (part: unknown) => Form,
): Form {
	const all = [...parts, plainForm(schema, inner)];
	const fields = all.flatMap((part) => [...(part.fields ?? [])]);
	const typed = all.find((part) => part.types !== undefined);
	return {
		types: typed?.types,
		nullable: all.every((part) => part.nullable),
		values: all.find((part) => part.values !== undefined)?.values,
		fields: fields.length === 0 ? undefined : new Map(fields),
		items: all.find((part) => part.items !== undefined)?.items,
	};
}

const typesIn = (type: unknown): string[] | undefined =>
	type === undefined ? undefined : [type].flat().map(String);

function typeNamed(value: unknown): string {
	if (value === null) return "null";
	if (Array.isArray(value)) return "array";
	return Number.isInteger(value) ? "integer" : typeof value;
}

export const listOf = (value: unknown): readonly unknown[] | undefined =>
	Array.isArray(value) ? value : undefined;

/** What `#/components/schemas/Job` refers to; the value itself if it is no reference. */
export function resolveReference(value: unknown, document: unknown): unknown {
	let part = value;
	for (let hops = 0; hops < DEEPEST; hops++) {
		const reference = isObject(part) ? part.$ref : undefined;
		if (typeof reference !== "string" || !reference.startsWith("#/")) break;
		const path = reference.slice(2).split("/");
		part = path.reduce<unknown>((at, key) => {
			const name = key.replaceAll("~1", "/").replaceAll("~0", "~");
			return isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined;
		}, document);
	}
	return part;
}

/** What any of the choices allows. */
function union(choices: readonly Form[]): Form {
	const real = choices.filter(({ types }) => types === undefined || types.size > 0);
	const isAnything = real.some(({ types }) => types === undefined);
	const values = real.every((choice) => choice.values !== undefined) && real.length > 0;
	return {
		types: isAnything
			? undefined
			: new Set(real.flatMap(({ types }) => [...(types ?? [])])),
		nullable: choices.some(({ nullable }) => nullable),
		values: values ? real.flatMap((choice) => choice.values ?? []) : undefined,
		fields: real.find(({ fields }) => fields !== undefined)?.fields,
		items: real.find(({ items }) => items !== undefined)?.items,
	};
}
