import { isDeepStrictEqual } from "node:util";
import { didYouMean } from "../../text/suggest";
import { typeInWords, valueInWords } from "../../text/value";
import { withoutPlaceholders } from "./foreign-values";
import {
	containsUnknown,
	isUnknown,
	type Problem,
	type Props,
	pick,
	problem,
} from "./props";
import { holdSecrets, type SecretPaths, secretsUntilDone } from "./secrets";

/** What a changed field does to its resource. */
type Effect = "update" | "replace" | "none";

/** The part of a schema that the table uses; written out, so that programs do not load the types of the schema library. */
interface FieldSchema {
	safeParse(
		value: unknown,
		options: { reportInput: false },
	): { error?: { issues: Issue[] } | undefined };
}

interface Issue {
	/** What is wrong, as the schema library names it. */
	readonly code: string;
	readonly path: readonly PropertyKey[];
	readonly message: string;
	/** Of a rule that is written out. */
	readonly params?: Readonly<Record<string, unknown>> | undefined;
}

/** One field of a resource: everything that the provider knows of it. `Live` is the service's object. */
export interface Field<Live> {
	/** Of the input, as `check` gets it. */
	readonly schema: FieldSchema;
	/** Its name in requests; left out if it is never sent under a name of its own. */
	readonly wire?: string;
	/** The requests that carry it; left out if the kind has only one. */
	readonly sent?: readonly ("create" | "update")[];
	readonly change: Effect | ((old: unknown, declared: unknown, olds: Props) => Effect);
	/** Whether two values mean the same; either may be undefined. Default: deep equality. */
	readonly same?: (a: unknown, b: unknown) => boolean;
	/** The service's value in the form of the input, as the state may hold it. Left out if the service never shows it. */
	readonly fromLive?: (live: Live, declared: Props) => unknown;
	/** False if this very reply says nothing of the field. */
	readonly isReported?: (live: Live) => boolean;
	/** The value as a request carries it; `values` are all that are declared. */
	readonly write?: (value: unknown, values: Props) => unknown;
	/** What `check` fills in if the program omits it; the plugin's schema says so, too. */
	readonly default?: unknown;
	/** Not managed if the program omits it: neither compared nor written. Without this, omitted means "not set". */
	readonly optional?: true;
	/** No request unsets the field; this value stands for it. */
	readonly cleared?: unknown;
	/** Its values never appear in messages: they may hold credentials, or a whole file. */
	readonly hidden?: true;
	/** Filled in by `check`: no message offers it as an input. */
	readonly filledIn?: true;
}

export type Table<Live> = Readonly<Record<string, Field<Live>>>;

/** A table for code that does not read live objects. */
export type AnyTable = Table<never>;

/** The inputs, with the defaults of the fields that the program omits. */
export const withDefaults = (table: AnyTable, inputs: Props): Props => ({
	...inputs,
	...Object.fromEntries(
		Object.entries(table).flatMap(([name, { default: value }]) =>
			value === undefined ? [] : [[name, inputs[name] ?? value]],
		),
	),
});

const sameIn = (field: Field<never>, a: unknown, b: unknown): boolean =>
	(field.same ?? isDeepStrictEqual)(a, b);

/**
 * Fields that differ between the state and the program, with what that does. A value that is not known yet counts as
 * another one: a preview must not promise less than the deployment will do.
 */
export function changes(
	table: AnyTable,
	olds: Props,
	news: Props,
): { field: string; effect: Effect }[] {
	return Object.entries(table).flatMap(([name, field]) => {
		const [old, declared] = [olds[name], news[name]];
		const effect =
			typeof field.change === "function"
				? field.change(old, declared, olds)
				: field.change;
		if (effect === "none") return [];
		if (containsUnknown(declared)) return [{ field: name, effect }];
		const asDeclared = (old === undefined) === (declared === undefined);
		if ((asDeclared || !field.optional) && sameIn(field, old, declared)) return [];
		return [{ field: name, effect }];
	});
}

/** Whether a resource changes, and the fields for which it is replaced. */
export interface Diff {
	readonly changes: boolean;
	readonly replaces: readonly string[];
}

export function diffByTable(table: AnyTable, olds: Props, news: Props): Diff {
	const changed = changes(table, olds, news);
	const replaces = changed
		.filter(({ effect }) => effect === "replace")
		.map(({ field }) => field);
	return { changes: changed.length > 0, replaces };
}

/** The inputs with the state's values of these fields, unless another field replaces the object. */
export function withOld(
	table: AnyTable,
	olds: Props,
	inputs: Props,
	fields: readonly string[],
): Props {
	const withStateValues = { ...inputs, ...pick(olds, fields) };
	return diffByTable(table, olds, withStateValues).replaces.length > 0
		? inputs
		: withStateValues;
}

export interface Difference {
	readonly field: string;
	readonly declared: unknown;
	readonly live: unknown;
}

/** The fields whose declared value and live value differ in meaning. */
export function differences<Live>(
	table: Table<Live>,
	declared: Props,
	live: Live,
): Difference[] {
	return Object.entries(table).flatMap(([name, field]) => {
		if (field.fromLive === undefined || field.isReported?.(live) === false) return [];
		if (field.optional && declared[name] === undefined) return [];
		const value = field.fromLive(live, declared) ?? undefined;
		if (sameIn(field, value, declared[name])) return [];
		return [{ field: name, declared: declared[name], live: value }];
	});
}

/**
 * The inputs as the service has them now, with exactly the keys the user set and, if nothing differs, the user's
 * spelling. What somebody added to a field that is always compared shows up too. After a partial failure, a field that no
 * read can show is left out: it does not count as done.
 */
export function liveInputs<Live>(
	table: Table<Live>,
	declared: Props,
	live: Live,
	after: "success" | "partial" = "success",
): Props {
	const differing = differences(table, declared, live).map((row) => [
		row.field,
		row.live ?? table[row.field]?.cleared,
	]);
	const isUpdated = ({ wire, sent }: Field<Live>) =>
		sent === undefined ? wire !== undefined : sent.includes("update");
	const isKept = (name: string) => {
		const field = table[name];
		return (
			after === "success" ||
			field === undefined ||
			field.fromLive !== undefined ||
			!isUpdated(field)
		);
	};
	return pick(
		{ ...declared, ...Object.fromEntries(differing) },
		Object.keys(table).filter(isKept),
	);
}

/** Whether the request can carry the field. */
export const isSent = (
	table: AnyTable,
	request: "create" | "update",
	field: string,
): boolean => table[field]?.sent?.includes(request) === true;

/**
 * What a request sends for a field. Two fields may have one name in requests: the value is that of the last one that is
 * declared, also if the other one has just been removed.
 */
export function fieldCarrying(table: AnyTable, field: string, values: Props): string {
	const alike = Object.entries(table).filter(
		([, { wire }]) => wire === table[field]?.wire,
	);
	return alike.filter(([name]) => values[name] !== undefined).at(-1)?.[0] ?? field;
}

/** The part of a request that carries these fields: those that the rows send in it, or the given names. */
export function toWire(
	table: AnyTable,
	label: readonly string[] | "create" | "update",
	values: Props,
	only?: ReadonlySet<string>,
): Record<string, unknown> {
	const fields =
		typeof label === "string"
			? Object.keys(table).filter((name) => isSent(table, label, name))
			: label;
	return Object.fromEntries(
		fields.flatMap((name) => {
			if (only?.has(name) === false) return [];
			const { wire, write } = table[name] ?? {};
			const value = values[name];
			if (wire === undefined || value === undefined) return [];
			return [[wire, write ? write(value, values) : value]];
		}),
	);
}

/** A difference for people; the values only if they cannot be secret. */
export function describe(
	table: AnyTable,
	{ field, declared, live }: Difference,
	call: SecretPaths,
	inWords = () =>
		`${field} is ${valueText(live)} on the service and ${valueText(declared)} in the program`,
): string {
	// The live value of a secret may be an earlier secret.
	const isSecret = holdSecrets({ secrets: secretsUntilDone(call) }, [field]);
	return table[field]?.hidden || isSecret ? field : inWords();
}

/** The differences for people. */
export const described = <Live>(
	table: Table<Live>,
	declared: Props,
	live: Live,
	call: SecretPaths,
): { field: string; text: string }[] =>
	differences(table, declared, live).map((row) => ({
		field: row.field,
		text: describe(table, row, call),
	}));

const valueText = (value: unknown): string =>
	value === undefined ? "not set" : JSON.stringify(value);

/** Two texts are compared by `same`; undefined, null and an empty text are all "not set". */
export function sameText(
	same: (a: string, b: string) => boolean,
): (a: unknown, b: unknown) => boolean {
	return (a, b) => {
		const [left, right] = [a || undefined, b || undefined];
		if (typeof left !== "string" || typeof right !== "string") return left === right;
		return same(left, right);
	};
}

/**
 * Checks each field of `news` with its own schema. Fields that are not known before the deployment are left out:
 * they are checked again when they are. A value of a wrong type is shown unless it may be a secret: `secrets` are the
 * dotted paths of the inputs that are.
 */
export function checkFields(
	table: AnyTable,
	olds: Props,
	news: Props,
	secrets: readonly string[] = [],
): Problem[] {
	const problems: Problem[] = [];
	for (const [field, { schema, hidden }] of Object.entries(table)) {
		const value = withoutPlaceholders(news[field]);
		if (isUnknown(value) || isKept(olds[field], news[field])) continue;
		const result = schema.safeParse(value ?? undefined, { reportInput: false });
		const paths = new Set<string>();
		for (const issue of result.error?.issues ?? []) {
			const wrong = issue.path.reduce<unknown>(
				(inner, key) => Object(inner)[key],
				value,
			);
			if (containsUnknown(wrong)) continue;
			const path = [field, ...issue.path.map(String)].join(".");
			// What else is wrong with one value follows from the first mistake, or is not even true of it.
			if (paths.has(path)) continue;
			paths.add(path);
			const isSecret = secrets.some((secret) => overlaps(secret, path));
			const words = hidden || isSecret ? typeInWords(wrong) : valueInWords(wrong);
			const why =
				value === undefined ? "is required" : explained(issue, isSecret, words);
			problems.push({
				field,
				reason: `${path}: ${why}${/[.?!]$/.test(why) ? "" : "."}`,
			});
		}
	}
	const inputs = Object.entries(table).flatMap(([name, { filledIn }]) =>
		filledIn ? [] : [name],
	);
	for (const field of Object.keys(news)) {
		if (field in table) continue;
		const meant = didYouMean(field, inputs);
		problems.push(
			problem(
				field,
				`there is no such input.${meant} The inputs are ${inputs.join(", ")}.`,
			),
		);
	}
	return problems;
}

/** One path is the other, or is inside it. */
const overlaps = (one: string, other: string): boolean =>
	`${one}.`.startsWith(`${other}.`) || `${other}.`.startsWith(`${one}.`);

/** A rule may have a text of its own for a secret. `words` are those for a value of a wrong type. */
function explained(
	{ code, message, params }: Issue,
	isSecret: boolean,
	words: string,
): string {
	if (isSecret && typeof params?.withoutValue === "string") return params.withoutValue;
	return code === "invalid_type" || code === "invalid_union"
		? `${message}, not ${words}`
		: message;
}

/** With `ignoreChanges` the engine passes the value of the state, which another user may have set: it is not checked. */
export const isKept = (old: unknown, declared: unknown): boolean =>
	declared !== undefined && isDeepStrictEqual(old, declared);
