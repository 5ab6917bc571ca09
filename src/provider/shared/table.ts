import type { DiffResult, Props } from "../handler";
import { pick } from "./json";
import { containsUnknown } from "./unknown";

/** What a changed field does to its resource. */
type Effect = "update" | "replace" | "none";

/** What is asked of a schema; written out, so that declarations need none of the library's. */
interface FieldSchema {
	safeParse(
		value: unknown,
		options: { reportInput: false },
	): { error?: { issues: { path: readonly PropertyKey[]; message: string }[] } | undefined };
}

/** One field of a resource: everything that any part of the provider must know of it. `Live` is the service's object. */
export interface Field<Live> {
	/** Of the input, as `check` gets it. */
	readonly schema: FieldSchema;
	/** Its name in requests; left out for what is never sent under a name of its own. */
	readonly wire?: string;
	readonly change: Effect | ((old: unknown, declared: unknown, olds: Props) => Effect);
	/** Whether two values mean the same; either may be undefined. Deep equality where left out. */
	readonly same?: (a: unknown, b: unknown) => boolean;
	/** The service's value in the form of the input, fit for the state. Left out for what the service never shows. */
	readonly read?: (live: Live, declared: Props) => unknown;
	/** False where this very reply says nothing of the field. */
	readonly shown?: (live: Live) => boolean;
	/** The value as a request carries it; `values` are all that are declared. */
	readonly write?: (value: unknown, values: Props) => unknown;
	/** Left out of the program it is not managed: neither compared nor written. Otherwise left out means "not set". */
	readonly optional?: true;
	/** No request unsets the field; this value stands for it. */
	readonly cleared?: unknown;
	/** Its values never appear in messages: they may hold credentials, or a whole file. */
	readonly hidden?: true;
}

export type Table<Live> = Readonly<Record<string, Field<Live>>>;

/** A table in hands that do not read live objects. */
export type AnyTable = Table<never>;

const sameIn = (field: Field<never>, a: unknown, b: unknown): boolean => (field.same ?? deepEqual)(a, b);

/**
 * Fields that differ between the state and the program, with what that does. A value that is not known yet counts as
 * another one: a preview must not promise less than the deployment will do.
 */
export function changes(table: AnyTable, olds: Props, news: Props): { field: string; effect: Effect }[] {
	return Object.entries(table).flatMap(([name, field]) => {
		const [old, declared] = [olds[name], news[name]];
		const effect = typeof field.change === "function" ? field.change(old, declared, olds) : field.change;
		if (effect === "none") return [];
		if (containsUnknown(declared)) return [{ field: name, effect }];
		const asDeclared = (old === undefined) === (declared === undefined);
		if ((asDeclared || !field.optional) && sameIn(field, old, declared)) return [];
		return [{ field: name, effect }];
	});
}

export function diffByTable(
	table: AnyTable,
	olds: Props,
	news: Props,
	{ deleteFirst } = { deleteFirst: true },
): DiffResult {
	const changed = changes(table, olds, news);
	const replaces = changed.filter(({ effect }) => effect === "replace").map(({ field }) => field);
	return {
		changes: changed.length > 0,
		replaces,
		// The old object goes first: two of one name would run the pipeline twice.
		deleteBeforeReplace: deleteFirst && replaces.length > 0,
	};
}

/** The inputs with what the state has of these fields, unless something else makes another object all the same. */
export function withOld(table: AnyTable, olds: Props, inputs: Props, fields: readonly string[]): Props {
	const kept = { ...inputs, ...pick(olds, fields) };
	return diffByTable(table, olds, kept).replaces.length > 0 ? inputs : kept;
}

export interface Difference {
	readonly field: string;
	readonly declared: unknown;
	readonly live: unknown;
}

/** What is declared and what the service shows, field by field, where the two differ in meaning. */
export function differences<Live>(table: Table<Live>, declared: Props, live: Live): Difference[] {
	return Object.entries(table).flatMap(([name, field]) => {
		if (field.read === undefined || field.shown?.(live) === false) return [];
		if (field.optional && declared[name] === undefined) return [];
		const found = field.read(live, declared) ?? undefined;
		if (sameIn(field, found, declared[name])) return [];
		return [{ field: name, declared: declared[name], live: found }];
	});
}

/** What a list shows, where nothing of it is drift. A list may lag behind our own writes, so that drift is asked for directly. */
export function unlessDrifted<Live>(
	table: Table<Live>,
	known: Props,
	listed: Live | undefined,
): Live | undefined {
	return listed !== undefined && differences(table, known, listed).length === 0 ? listed : undefined;
}

/**
 * The inputs as the service has them now, with exactly the keys the user set and, where nothing differs, the user's
 * spelling. What somebody added to a field that is always compared shows up too.
 */
export function liveInputs<Live>(table: Table<Live>, known: Props, live: Live): Props {
	const found = differences(table, known, live).map((row) => [
		row.field,
		row.live ?? table[row.field]?.cleared,
	]);
	return pick({ ...known, ...Object.fromEntries(found) }, Object.keys(table));
}

/** The part of a request that carries these fields. */
export function toWire(table: AnyTable, fields: readonly string[], values: Props): Record<string, unknown> {
	return Object.fromEntries(
		fields.flatMap((name) => {
			const { wire, write } = table[name] ?? {};
			const value = values[name];
			if (wire === undefined || value === undefined) return [];
			return [[wire, write ? write(value, values) : value]];
		}),
	);
}

/** A difference for people; the values only where they cannot be secret. */
export function describe(table: AnyTable, { field, declared, live }: Difference): string {
	if (table[field]?.hidden) return field;
	return `${field} is ${shown(live)} there and ${shown(declared)} here`;
}

const shown = (value: unknown): string =>
	value === undefined ? "not set" : typeof value === "string" ? `"${value}"` : JSON.stringify(value);

export function deepEqual(a: unknown, b: unknown): boolean {
	if (Object.is(a, b)) return true;
	if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
	if (Array.isArray(a) !== Array.isArray(b)) return false;
	const [left, right] = [Object.entries(a), new Map(Object.entries(b))];
	return (
		left.length === right.size &&
		left.every(([key, value]) => right.has(key) && deepEqual(value, right.get(key)))
	);
}

/** Two texts are compared by `same`; undefined, null and an empty text are all "not set". */
export function sameText(same: (a: string, b: string) => boolean): (a: unknown, b: unknown) => boolean {
	return (a, b) => {
		const [left, right] = [a || undefined, b || undefined];
		if (typeof left !== "string" || typeof right !== "string") return left === right;
		return same(left, right);
	};
}
