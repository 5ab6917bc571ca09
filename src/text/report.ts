import { parseInstant } from "./instant";
import { visible } from "./wording";

/** A cell says what it holds; each rendering escapes it and shows it in its own way. */
export type Cell =
	/** A sentence. It may quote what a server sent. */
	| { readonly as: "words"; readonly text: string }
	/** A name, an id or a value: what people chose. */
	| { readonly as: "name"; readonly text: string }
	/** A cron expression, with its meaning if it can be read. */
	| { readonly as: "cron"; readonly text: string; readonly meaning: string | undefined }
	/** A moment, as far as the server sent one. */
	| { readonly as: "time"; readonly text: string }
	| { readonly as: "resource"; readonly kind: string; readonly name: string };

/** How much a person should worry; each rendering has one colour for each. */
export type Severity = "bad" | "odd" | "good" | "info" | "quiet";

/** A table of a report. */
export interface Section {
	readonly id: string;
	readonly title: string;
	readonly severity: Severity;
	readonly what: string;
	readonly heads: readonly string[];
	/** Rows that go on with the resource of the row above share its first cell. */
	readonly rows: readonly (readonly Cell[])[];
	/** Number of its entries, which stands beside the title. Default: the number of rows. */
	readonly count?: number;
	/** The command that repairs it. */
	readonly repair?: string;
	/** A column that a narrow rendering can do without. */
	readonly spare?: number;
}

/** What a command found out. Text, Markdown and page are three renderings of it. */
export interface Report {
	/** Stands above a page and a comment. */
	readonly heading: { readonly page: string; readonly comment: string };
	/** One sentence without its full stop; the verdict, if there is one, comes first and has a colour. */
	readonly headline: string;
	readonly verdict?: { readonly text: string; readonly severity: Severity };
	/** How it was found out. */
	readonly footnotes: readonly string[];
	readonly sections: readonly Section[];
	/** What could not be found out. */
	readonly notes: readonly string[];
}

/** A section with a row for each item; each column has its head and what stands below it. */
export const sectionOf = <Item>(
	about: Omit<Section, "what" | "heads" | "rows">,
	description: string,
	items: readonly Item[],
	cells: Readonly<Record<string, (item: Item) => Cell>>,
): Section => ({
	...about,
	what: description,
	heads: Object.keys(cells),
	rows: items.map((item) => Object.values(cells).map((cell) => cell(item))),
});

export const words = (text: string): Cell => ({ as: "words", text });
export const name = (text: string): Cell => ({ as: "name", text });
export const time = (text: string): Cell => ({ as: "time", text });
export const number = (count: number | null): Cell => words(String(count));

/**
 * Names come from a server that others write to: line breaks become spaces, and characters that steer a
 * terminal or turn the direction of text are spelled out, as in the output of every command.
 */
export function plain(text: string, longest = 120): string {
	const spelled = visible(text.replace(/[\t\n\v\f\r]+/g, " "));
	const clean = spelled.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, " ").trim();
	const characters = [...clean];
	return characters.length > longest
		? `${characters.slice(0, longest - 1).join("")}…`
		: clean;
}

const MOST_CHARACTERS = 2_000;

/** Text that may repeat what others wrote, fit for a terminal: nothing in it can move the cursor or fill the screen. */
export function boundedText(text: string): string {
	const safe = visible(text);
	if (safe.length <= MOST_CHARACTERS) return safe;
	// The beginning says what is wrong, the end what to do about it.
	return `${safe.slice(0, MOST_CHARACTERS / 2)} … ${safe.slice(-MOST_CHARACTERS / 4)}`;
}

/** `2026-01-31 03:00 UTC`; what cannot be read is shown as it came. */
export function moment(
	timestamp: string | null,
	length = "2026-01-31T03:00".length,
): string {
	if (timestamp === null) return "unknown";
	const millis = parseInstant(timestamp);
	if (millis === undefined) return plain(timestamp);
	return `${new Date(millis).toISOString().slice(0, length).replace("T", " ")} UTC`;
}

const MINUTE_MS = 60_000;

/** The same with seconds if there are some: two instants that differ must not look alike. */
export const exactMoment = (timestamp: string): string =>
	moment(
		timestamp,
		(parseInstant(timestamp) ?? 0) % MINUTE_MS === 0
			? undefined
			: "2026-01-31T03:00:00".length,
	);

/** `3 runs`, `1 run`. */
export const many = (count: number, noun: string): string =>
	`${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;

/** A length of time: `45 s`, `12 min`, `3 h 05 min`, `2 d 4 h`. */
export function lengthWords(millis: number): string {
	const minutes = Math.round(millis / MINUTE_MS);
	if (millis < MINUTE_MS) return `${Math.max(0, Math.round(millis / 1_000))} s`;
	if (minutes < 60) return `${minutes} min`;
	if (minutes < 24 * 60)
		return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")} min`;
	return `${Math.floor(minutes / 1_440)} d ${Math.floor((minutes % 1_440) / 60)} h`;
}

/** The text as one word of a POSIX shell. */
export function shellWord(text: string): string {
	return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
