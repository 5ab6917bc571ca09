import { z } from "zod";
import {
	checkStorage,
	STORAGES,
	type StorageConfig,
	type StorageKind,
} from "../../../../src/schemas/storage";

/** Texts that a rule wants in a certain form. */
const FORMS: Readonly<Record<string, string>> = {
	endpointUrl: "https://storage.example.com",
	endpoint: "https://hub.example.com",
	accountHost: "images.blob.example.com",
	connectionString: "AccountName=images;AccountKey=b3Vycw==",
};

/** What some parameters are nothing without. */
const COMPANIONS: Readonly<Record<StorageKind, readonly string[]>> = {
	s3: ["key", "secret"],
	gs: [],
	az: ["accountName", "clientId", "clientSecret", "tenantId"],
	hf: [],
	file: [],
};

/** Parameters that exist only in Python cannot be declared. */
export const declarable = (kind: StorageKind): string[] =>
	Object.keys(STORAGES[kind].shape).filter((name) => valueFor(kind, name) !== undefined);

/** A valid config that has the parameter, and as little else as can be. */
export function configWith(kind: StorageKind, parameter: string): StorageConfig {
	const found = subsets(COMPANIONS[kind])
		.map((names) => Object.fromEntries([...names, parameter].map((name) => [name, valueFor(kind, name)])))
		.map((parameters) => ({ kind, parameters }))
		.find((config) => checkStorage(config, () => false).problems.length === 0);
	if (found === undefined) throw new Error(`No valid config with storage.${kind}.${parameter} was found.`);
	return found;
}

function subsets(names: readonly string[]): string[][] {
	const [first, ...rest] = names;
	if (first === undefined) return [[]];
	return subsets(rest).flatMap((others) => [others, [first, ...others]]);
}

function valueFor(kind: StorageKind, name: string): unknown {
	const schema = STORAGES[kind].shape[name];
	return schema === undefined ? undefined : (FORMS[name] ?? sample(schema, name));
}

/** A value by the kind of schema; undefined where none can be given. */
function sample(schema: z.ZodType, name: string): unknown {
	if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
		return sample(schema.unwrap() as z.ZodType, name);
	if (schema instanceof z.ZodUnion) return sample(schema.options[0] as z.ZodType, name);
	if (schema instanceof z.ZodEnum) return schema.options[0];
	// Only false can be given where a job could not use true.
	if (schema instanceof z.ZodBoolean) return false;
	if (schema instanceof z.ZodString) return `our ${name}`;
	if (schema instanceof z.ZodCustom) return { one: 1, nested: { list: ["a b", null, true] } };
	if (schema instanceof z.ZodNumber) return 64;
	if (schema instanceof z.ZodNever) return undefined;
	throw new Error(`There is no value for a ${schema.type} yet.`);
}
