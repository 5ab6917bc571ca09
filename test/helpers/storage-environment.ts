import fc from "fast-check";
import { z } from "zod";
import {
	checkStorage,
	STORAGES,
	type StorageConfig,
	type StorageKind,
} from "../../src/storage/rules";
import { companions } from "./storage-document";

/** What breaks env files, shells and JSON, and what merely looks as if it could. */
const nasty = fc.constantFrom(
	"a # b",
	"#",
	" leading and trailing ",
	"$HOME",
	["$", "{HOME}"].join(""),
	"$(id)",
	"`id`",
	"it's",
	'say "hi"',
	"back\\slash\\n",
	"\\",
	"line\nbreak\r\n\ttab",
	"null\u0000byte",
	"\u2028\u2029\u007f",
	"ключ 鍵 🔑",
	"\ud800",
	"%s%%",
	"!history",
	"=,;&|<>(){}[]",
	"__proto__",
);

const texts = fc.oneof(
	nasty,
	fc.string({ minLength: 1, unit: "binary", maxLength: 40 }),
	fc.string({ minLength: 1 }),
);
const dictionaries = fc.dictionary(
	texts,
	fc.oneof(texts, fc.jsonValue({ maxDepth: 3 })),
	{
		maxKeys: 5,
		noNullPrototype: true,
	},
);

/** A value that a parameter's schema takes, found by the kind of schema it is. */
function arbitraryOf(schema: z.ZodType): fc.Arbitrary<unknown> {
	if (schema instanceof z.ZodOptional) return arbitraryOf(schema.unwrap() as z.ZodType);
	if (schema instanceof z.ZodNullable)
		return fc.oneof(fc.constant(null), arbitraryOf(schema.unwrap() as z.ZodType));
	if (schema instanceof z.ZodUnion)
		return fc.oneof(...schema.options.map((each) => arbitraryOf(each as z.ZodType)));
	if (schema instanceof z.ZodEnum) return fc.constantFrom(...schema.options);
	if (schema instanceof z.ZodBoolean) return fc.boolean();
	if (schema instanceof z.ZodString) return texts;
	if (schema instanceof z.ZodCustom) return dictionaries;
	if (schema instanceof z.ZodNever) return fc.constant(undefined);
	if (schema instanceof z.ZodNumberFormat) return fc.integer({ min: 1, max: 2 ** 40 });
	if (schema instanceof z.ZodNumber)
		return fc.double({ noNaN: true, noDefaultInfinity: true });
	throw new Error(`There is no arbitrary for a ${schema.type} yet.`);
}

/** Texts that a rule wants in a certain form. */
const FORMS: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
	endpointUrl: fc.webAuthority({ withPort: true }).map((host) => `https://${host}`),
	endpoint: fc.webAuthority({ withPort: true }).map((host) => `http://${host}`),
	accountHost: fc.domain(),
	connectionString: texts.map(
		(key) => `AccountName=images;AccountKey=${key.replaceAll(";", "")}=`,
	),
};

/** Any config of the storage that breaks no rule. */
export function validConfigs(kind: StorageKind): fc.Arbitrary<StorageConfig> {
	const fields = Object.entries(STORAGES[kind].shape).map(([name, schema]) => [
		name,
		FORMS[name] ?? arbitraryOf(schema),
	]);
	return fc
		.record(Object.fromEntries(fields) as Record<string, fc.Arbitrary<unknown>>, {
			requiredKeys: [],
		})
		.map((parameters) => withoutProblems(kind, parameters));
}

/** Takes away what is refused, so that no example is wasted. Every turn takes at least one parameter. */
function withoutProblems(
	kind: StorageKind,
	parameters: Record<string, unknown>,
): StorageConfig {
	const named = { ...companions(kind, Object.keys(parameters)), ...parameters };
	const { problems } = checkStorage({ kind, parameters: named }, () => false);
	if (problems.length === 0) return { kind, parameters: named };
	const refused = new Set(problems.map(({ parameter }) => parameter));
	const kept = Object.entries(named).filter(([name]) => !refused.has(name));
	if (kept.length === Object.keys(named).length)
		throw new Error(`Cannot repair: ${JSON.stringify(problems)}`);
	return withoutProblems(kind, Object.fromEntries(kept));
}
