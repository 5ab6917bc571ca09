import { randomBytes } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { type Answer, type Facts, type Rows, TABLES, type TableName } from "./snapshot";

interface Kept {
	readonly row: unknown;
	/** The revision that it came with. */
	readonly revision: number;
}

/** More rows that went are not remembered; a page that missed some of them is sent everything. */
const MOST_GONE = 10_000;

/** Remembers when each row last changed, so that a page is sent only what it does not have yet. */
export class Changes {
	/** Distinguishes this process from an earlier one at the same address. */
	private readonly origin = randomBytes(6).toString("hex");
	private revision = 0;
	private readonly tables = new Map<TableName, Map<string, Kept>>();
	private readonly gone: { readonly table: TableName; readonly id: string; readonly revision: number }[] = [];
	/** A page that knows nothing newer than this has to start over. */
	private forgotten = 0;

	update(rows: Rows): void {
		this.revision += 1;
		for (const table of TABLES) {
			const before = this.tables.get(table) ?? new Map<string, Kept>();
			const after = new Map<string, Kept>();
			for (const row of rows[table]) {
				const old = before.get(row.id);
				const isSame = old !== undefined && isDeepStrictEqual(old.row, row);
				after.set(row.id, isSame ? old : { row, revision: this.revision });
			}
			for (const id of before.keys()) {
				if (!after.has(id)) this.gone.push({ table, id, revision: this.revision });
			}
			this.tables.set(table, after);
		}
		const surplus = this.gone.splice(0, Math.max(0, this.gone.length - MOST_GONE));
		this.forgotten = surplus.at(-1)?.revision ?? this.forgotten;
	}

	/** What changed since the page's last answer; everything if that was none of this process's, or too long ago. */
	since(given: string | null, facts: Facts): Answer {
		const [origin, number] = (given ?? "").split(".");
		const isWhole = origin !== this.origin || !(Number(number) >= this.forgotten);
		const after = isWhole ? 0 : Number(number);
		const rows: Record<string, unknown[]> = {};
		for (const [table, kept] of this.tables) {
			const changed = [...kept.values()].filter(({ revision }) => revision > after).map(({ row }) => row);
			if (changed.length > 0 || isWhole) rows[table] = changed;
		}
		const gone: { [Name in TableName]?: string[] } = {};
		for (const { table, id, revision } of isWhole ? [] : this.gone) {
			if (revision <= after || this.tables.get(table)?.has(id) === true) continue;
			const ids = gone[table] ?? [];
			ids.push(id);
			gone[table] = ids;
		}
		return {
			...facts,
			revision: `${this.origin}.${this.revision}`,
			isWhole,
			rows: rows as Partial<Rows>,
			gone,
		};
	}
}
