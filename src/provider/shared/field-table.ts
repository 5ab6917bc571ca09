import type { DiffResult, Props } from "../handler";
import { containsUnknown } from "./unknown";

/** What a changed field does to its resource. */
export type Effect = "update" | "replace" | "ignore";

export interface FieldRule {
	readonly effect: Effect;
	/** Whether two known values mean the same; both may be undefined. Deep equality where left out. */
	readonly same?: (old: unknown, declared: unknown) => boolean;
	/** Narrows `replace` or `update` by the values at hand: a removed cron cannot be updated away, for example. */
	readonly effectOf?: (old: unknown, declared: unknown) => Effect;
}

export type FieldTable = Readonly<Record<string, FieldRule>>;

/** Which fields differ in meaning. A value that is not known yet differs, but is never a reason to replace. */
export function changedFields(
	table: FieldTable,
	olds: Props,
	news: Props,
): { field: string; effect: Effect }[] {
	return Object.entries(table).flatMap(([field, rule]) => {
		const [old, declared] = [olds[field], news[field]];
		if (rule.effect === "ignore") return [];
		if (containsUnknown(declared)) return [{ field, effect: "update" as const }];
		if ((rule.same ?? deepEqual)(old, declared)) return [];
		return [{ field, effect: rule.effectOf?.(old, declared) ?? rule.effect }];
	});
}

export function diffByTable(
	table: FieldTable,
	olds: Props,
	news: Props,
	options: { deleteFirst: boolean } = { deleteFirst: true },
): DiffResult {
	const changed = changedFields(table, olds, news).filter((change) => change.effect !== "ignore");
	const replaces = changed.filter((change) => change.effect === "replace").map((change) => change.field);
	return {
		changes: changed.length > 0,
		replaces,
		// Where create adopts by name, the old object must be gone first, or it would be adopted and then deleted.
		deleteBeforeReplace: options.deleteFirst && replaces.length > 0,
	};
}

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

/** Undefined and null are both "not set"; two set texts are compared by `same`. */
export function sameText(same: (a: string, b: string) => boolean): (a: unknown, b: unknown) => boolean {
	return (a, b) => {
		if (typeof a !== "string" || typeof b !== "string") return (a ?? undefined) === (b ?? undefined);
		return same(a, b);
	};
}
