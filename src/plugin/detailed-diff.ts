import type { DiffResult, Props } from "../provider/handler";
import { type AnyTable, changes, deepEqual } from "../provider/shared/table";
import { containsUnknown, isUnknown } from "../provider/shared/unknown";
import type { Path } from "./values";

export interface PropertyChange {
	readonly kind: "add" | "update" | "delete";
	readonly replaces: boolean;
}

export type DetailedDiff = Readonly<Record<string, PropertyChange>>;

/**
 * What a change does, down to the nested key, in the form in which the engine shows it: the fields that differ in
 * meaning are the table's to say, and within each the leaves that differ.
 */
export function detailedDiff(
	table: AnyTable,
	result: DiffResult,
	olds: Props,
	news: Props,
	movedSecrets: readonly Path[],
): DetailedDiff {
	const found: Record<string, PropertyChange> = {};
	for (const { field } of changes(table, olds, news)) {
		const replaces = result.replaces.includes(field);
		for (const [path, kind] of leaves(olds[field], news[field], propertyPath([field])))
			found[path] = { kind, replaces };
	}
	// A handler may decide on more than the table says, such as that another resource holds the object now.
	for (const field of result.replaces) {
		const isNamed = Object.entries(found).some(([path, { replaces }]) => replaces && isWithin(path, field));
		if (!isNamed) found[field] = { kind: "update", replaces: true };
	}
	for (const path of movedSecrets) found[propertyPath(path)] ??= { kind: "update", replaces: false };
	return found;
}

const isWithin = (path: string, field: string): boolean =>
	path === field || path.startsWith(`${field}.`) || path.startsWith(`${field}[`);

function leaves(old: unknown, now: unknown, path: string): [string, PropertyChange["kind"]][] {
	const [before, after] = [old ?? undefined, now ?? undefined];
	if (before === undefined) return [[path, "add"]];
	if (after === undefined) return [[path, "delete"]];
	if (!isTree(before) || !isTree(after) || isUnknown(after)) return [[path, "update"]];
	const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
	const inside = keys.flatMap((key) => {
		const [a, b] = [before[key], after[key]];
		if (deepEqual(a, b) && !containsUnknown(b)) return [];
		return leaves(a, b, `${path}${segment(key)}`);
	});
	// Two forms that differ in nothing one can point at.
	return inside.length > 0 ? inside : [[path, "update"]];
}

/** Lists are compared as a whole: what moved in one says less than the list. */
const isTree = (value: unknown): value is Props =>
	typeof value === "object" && value !== null && !Array.isArray(value);

const propertyPath = ([first = "", ...rest]: Path): string => first + rest.map(segment).join("");

/** The engine's own spelling: `a.b`, and `a["b.c"]` where the key is more than a word. */
const segment = (key: string): string =>
	/^[A-Za-z_$][\w$]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
