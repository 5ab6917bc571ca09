import { isDeepStrictEqual } from "node:util";
import { didYouMean } from "../schemas/suggest";
import { containsUnknown, isUnknown, type Problem, type Props, pick, problem } from "./handler";
import {
	holdSecrets,
	isHashOf,
	type SecretPaths,
	saltedHash,
	secretsUntilDone,
	withoutPlaceholders,
} from "./secrets";

/** What a changed field does to its resource. */
type Effect = "update" | "replace" | "none";

/** The part of a schema that the table uses; written out, so that programs do not load the types of the schema library. */
interface FieldSchema {
	safeParse(
		value: unknown,
		options: { reportInput: false },
	): { error?: { issues: { path: readonly PropertyKey[]; message: string }[] } | undefined };
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
	readonly read?: (live: Live, declared: Props) => unknown;
	/** False if this very reply says nothing of the field. */
	readonly shown?: (live: Live) => boolean;
	/** The value as a request carries it; `values` are all that are declared. */
	readonly write?: (value: unknown, values: Props) => unknown;
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

const sameIn = (field: Field<never>, a: unknown, b: unknown): boolean =>
	(field.same ?? isDeepStrictEqual)(a, b);

/**
 * Fields that differ between the state and the program, with what that does. A value that is not known yet counts as
 * another one: a preview must not promise less than the deployment will do. So does a value that was sent and never
 * confirmed, because nobody knows what the service has.
 */
export function changes(table: AnyTable, olds: Props, news: Props): { field: string; effect: Effect }[] {
	return Object.entries(table).flatMap(([name, field]) => {
		const [old, declared] = [olds[name], news[name]];
		const effect = typeof field.change === "function" ? field.change(old, declared, olds) : field.change;
		if (effect === "none") return [];
		if (containsUnknown(declared)) return [{ field: name, effect }];
		if (isUnconfirmed(olds, name) && declared !== undefined) return [{ field: name, effect }];
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
	const replaces = changed.filter(({ effect }) => effect === "replace").map(({ field }) => field);
	return { changes: changed.length > 0, replaces };
}

/** The inputs with the state's values of these fields, unless another field replaces the object. */
export function withOld(table: AnyTable, olds: Props, inputs: Props, fields: readonly string[]): Props {
	const kept = { ...inputs, ...pick(olds, fields) };
	return diffByTable(table, olds, kept).replaces.length > 0 ? inputs : kept;
}

export interface Difference {
	readonly field: string;
	readonly declared: unknown;
	readonly live: unknown;
}

/** The fields whose declared value and live value differ in meaning. */
export function differences<Live>(table: Table<Live>, declared: Props, live: Live): Difference[] {
	return Object.entries(table).flatMap(([name, field]) => {
		if (field.read === undefined || field.shown?.(live) === false) return [];
		if (field.optional && declared[name] === undefined) return [];
		const found = field.read(live, declared) ?? undefined;
		if (sameIn(field, found, declared[name])) return [];
		return [{ field: name, declared: declared[name], live: found }];
	});
}

/**
 * The inputs as the service has them now, with exactly the keys the user set and, if nothing differs, the user's
 * spelling. What somebody added to a field that is always compared shows up too. A field that was sent and is `unseen`
 * is left out if no read can show it: it does not count as done.
 */
export function liveInputs<Live>(
	table: Table<Live>,
	known: Props,
	live: Live,
	unseen: readonly string[] = [],
): Props {
	const found = differences(table, known, live).map((row) => [
		row.field,
		row.live ?? table[row.field]?.cleared,
	]);
	const told = Object.keys(table).filter((name) => table[name]?.read !== undefined || !unseen.includes(name));
	return pick({ ...known, ...Object.fromEntries(found) }, told);
}

/**
 * The state's record of fields that were sent and that no read has shown, so that a later deployment sends them again,
 * also if the program goes back to the value that the state has. A value may be secret, so only its salted hash is kept.
 */
export const UNCONFIRMED = "__unconfirmed";

const recordOf = (outs: Props): Props => Object(outs[UNCONFIRMED]) as Props;

export const unconfirmedFields = (outs: Props): string[] => Object.keys(recordOf(outs));

const isUnconfirmed = (outs: Props, field: string): boolean => recordOf(outs)[field] !== undefined;

const record = (entries: readonly (readonly [string, unknown])[]): Props =>
	entries.length === 0 ? {} : { [UNCONFIRMED]: Object.fromEntries(entries) };

/** The record for fields that have just been sent with these values. */
export const unconfirmed = (table: AnyTable, fields: readonly string[], values: Props): Props =>
	record(fields.map((field) => [field, saltedHash(sentForm(table[field], values[field], values))]));

/** What remains of the record now that the service shows this. */
export const stillUnconfirmed = <Live>(table: Table<Live>, outs: Props, live: Live): Props =>
	record(
		Object.entries(recordOf(outs)).filter(([name, hash]) => {
			const field = table[name];
			if (field?.read === undefined || field.shown?.(live) === false) return true;
			return !isHashOf(hash, sentForm(field, field.read(live, outs) ?? undefined, outs));
		}),
	);

/** One text for one value, in any order of keys. */
function sentForm(field: Field<never> | undefined, value: unknown, values: Props): string {
	const form = value !== undefined && field?.write ? field.write(value, values) : value;
	return JSON.stringify(form ?? null, (_key, inner: unknown) =>
		typeof inner === "object" && inner !== null && !Array.isArray(inner)
			? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
			: inner,
	);
}

/** Whether the request can carry the field. */
export const isSent = (table: AnyTable, request: "create" | "update", field: string): boolean =>
	table[field]?.sent?.includes(request) === true;

/**
 * What a request sends for a field. Two fields may have one name in requests: the value is that of the last one that is
 * declared, also if the other one has just been removed.
 */
export function sentFor(table: AnyTable, field: string, values: Props): string {
	const alike = Object.entries(table).filter(([, { wire }]) => wire === table[field]?.wire);
	return alike.filter(([name]) => values[name] !== undefined).at(-1)?.[0] ?? field;
}

/** The part of a request that carries these fields: those that the rows send in it, or the given names. */
export function toWire(
	table: AnyTable,
	which: readonly string[] | "create" | "update",
	values: Props,
	only?: ReadonlySet<string>,
): Record<string, unknown> {
	const fields =
		typeof which === "string" ? Object.keys(table).filter((name) => isSent(table, which, name)) : which;
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
	inWords = () => `${field} is ${shown(live)} there and ${shown(declared)} here`,
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
	differences(table, declared, live).map((row) => ({ field: row.field, text: describe(table, row, call) }));

const shown = (value: unknown): string => (value === undefined ? "not set" : JSON.stringify(value));

/** Two texts are compared by `same`; undefined, null and an empty text are all "not set". */
export function sameText(same: (a: string, b: string) => boolean): (a: unknown, b: unknown) => boolean {
	return (a, b) => {
		const [left, right] = [a || undefined, b || undefined];
		if (typeof left !== "string" || typeof right !== "string") return left === right;
		return same(left, right);
	};
}

/**
 * Checks each field of `news` with its own schema. Fields that are not known before the deployment are left out:
 * they are checked again when they are. Values never enter a message, because any of them may be secret.
 */
export function checkFields(table: AnyTable, olds: Props, news: Props): Problem[] {
	const problems: Problem[] = [];
	for (const [field, { schema }] of Object.entries(table)) {
		const value = withoutPlaceholders(news[field]);
		if (isUnknown(value) || isKept(olds[field], news[field])) continue;
		const result = schema.safeParse(value ?? undefined, { reportInput: false });
		const told = new Set<string>();
		for (const issue of result.error?.issues ?? []) {
			if (containsUnknown(issue.path.reduce<unknown>((found, key) => Object(found)[key], value))) continue;
			const path = [field, ...issue.path.map(String)].join(".");
			// What else is wrong with one value follows from the first mistake, or is not even true of it.
			if (told.has(path)) continue;
			told.add(path);
			const why = value === undefined ? "is required" : issue.message;
			problems.push({ field, reason: `${path}: ${why}${/[.?!]$/.test(why) ? "" : "."}` });
		}
	}
	const inputs = Object.entries(table).flatMap(([name, { filledIn }]) => (filledIn ? [] : [name]));
	for (const field of Object.keys(news)) {
		if (field in table) continue;
		const meant = didYouMean(field, inputs);
		problems.push(problem(field, `there is no such input.${meant} The inputs are ${inputs.join(", ")}.`));
	}
	return problems;
}

/** With `ignoreChanges` the engine passes the value of the state, which another user may have set: it is not checked. */
export const isKept = (old: unknown, declared: unknown): boolean =>
	declared !== undefined && isDeepStrictEqual(old, declared);
