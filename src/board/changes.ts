import { randomBytes } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { type Answer, type Facts, type Rows, TABLES, type TableName } from "./snapshot";

/** Remembers when each table last changed, so that a page is sent only those that it does not have yet. */
export class Changes {
	/** Distinguishes this process from an earlier one at the same address. */
	private readonly origin = randomBytes(6).toString("hex");
	private revision = 0;
	private readonly tables = new Map<TableName, { readonly rows: unknown; readonly revision: number }>();

	update(rows: Rows): void {
		this.revision += 1;
		for (const name of TABLES) {
			if (isDeepStrictEqual(this.tables.get(name)?.rows, rows[name])) continue;
			this.tables.set(name, { rows: rows[name], revision: this.revision });
		}
	}

	/** The tables that changed since the page's last answer; all of them if that was none of this process's. */
	since(given: string | null, facts: Facts): Answer {
		const [origin, number] = (given ?? "").split(".");
		const after = origin === this.origin ? Number(number) : 0;
		const changed = [...this.tables].filter(([, { revision }]) => !(revision <= after));
		const rows: Partial<Rows> = Object.fromEntries(changed.map(([name, table]) => [name, table.rows]));
		return { ...facts, revision: `${this.origin}.${this.revision}`, rows };
	}
}
