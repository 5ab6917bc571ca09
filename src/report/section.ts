/** A cell says what it holds; each rendering makes it safe and shows it in its own way. */
export type Cell =
	/** A sentence. It may quote what a server sent. */
	| { readonly as: "words"; readonly text: string }
	/** A name, an id or a value: what people chose. */
	| { readonly as: "name"; readonly text: string }
	/** A cron expression, with its meaning where it can be read. */
	| { readonly as: "cron"; readonly text: string; readonly meaning: string | undefined }
	/** A moment, as far as the server sent one. */
	| { readonly as: "time"; readonly text: string }
	| { readonly as: "resource"; readonly kind: string; readonly name: string };

/** A table of a report. */
export interface Section {
	readonly id: string;
	readonly title: string;
	readonly what: string;
	readonly heads: readonly string[];
	/** Rows that go on with the resource of the row above share its first cell. */
	readonly rows: readonly (readonly Cell[])[];
	/** Number of its entries, which stands beside the title; each row is one unless given. */
	readonly count?: number;
	/** How many first columns name what a row belongs to; a page shows those once, above its rows. */
	readonly grouped?: number;
	/** The command that puts it right. */
	readonly repair?: string;
	/** A column that a narrow rendering can do without. */
	readonly spare?: number;
}

export const words = (text: string): Cell => ({ as: "words", text });
export const name = (text: string): Cell => ({ as: "name", text });
export const time = (text: string): Cell => ({ as: "time", text });
