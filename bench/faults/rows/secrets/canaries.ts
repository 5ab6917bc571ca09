import type { Random } from "../../random";

/** A value that must never be seen in clear, and the field it was put into. */
export interface Canary {
	readonly field: string;
	readonly value: string;
}

const LETTERS = "abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";

/** What a text turns into when it is put into JSON, a URL or another encoding. */
const FORMS: Readonly<Record<string, (text: string) => string[]>> = {
	plain: (text) => [text],
	"JSON-escaped": (text) => [JSON.stringify(text), JSON.stringify(JSON.stringify(text))],
	"URL-encoded": (text) => [encodeURIComponent(text), new URLSearchParams({ x: text }).toString()],
	// What stands before it moves the groups of three bytes.
	base64: (text) => ["", "x", "xx"].map((before) => inner64(Buffer.from(before + text), before.length)),
	base64url: (text) =>
		["", "x", "xx"].map((before) => inner64(Buffer.from(before + text), before.length, "base64url")),
	hex: (text) => [Buffer.from(text).toString("hex")],
};

/** The part of the encoding that depends on the text alone. */
const inner64 = (bytes: Buffer, before: number, encoding: "base64" | "base64url" = "base64"): string =>
	bytes.toString(encoding).slice(before === 0 ? 0 : 4, -4);

/** Length of the fragments that are looked for: short enough to find a cut text, too long to meet by chance. */
const FRAGMENT = 12;

/** Makes canaries, and finds them and their fragments in whatever form. */
export class Canaries {
	private readonly made: Canary[] = [];
	private readonly fragments = new Map<string, { field: string; form: string }>();

	/** Of the characters that all canaries have in the middle: nobody's secret. */
	private readonly common = new Set<string>();

	constructor(private readonly random: Random) {}

	get all(): readonly Canary[] {
		return this.made;
	}

	/** Letters and digits only: for tokens and passwords in URLs. */
	word(field: string): string {
		return this.add(field, this.letters(32));
	}

	/** With characters that JSON, URLs and shells write differently. */
	text(field: string): string {
		return this.add(field, `${this.letters(18)}"/+ é\\%${this.letters(18)}`);
	}

	private letters(length: number): string {
		return Array.from({ length }, () => this.random.pick([...LETTERS])).join("");
	}

	private add(field: string, value: string): string {
		this.made.push({ field, value });
		for (const [form, encode] of Object.entries(FORMS)) {
			for (const text of encode(value)) {
				this.addFragments(Buffer.from(text).toString("latin1"), field, form);
			}
		}
		return value;
	}

	private addFragments(bytes: string, field: string, form: string): void {
		for (let at = 0; at + FRAGMENT <= bytes.length; at++) {
			const fragment = bytes.slice(at, at + FRAGMENT);
			const known = this.fragments.get(fragment);
			// The first form wins: most fragments look alike in several.
			if (known === undefined) this.fragments.set(fragment, { field, form });
			else if (known.field !== field) this.common.add(fragment);
		}
	}

	/** Which canaries show, by field and form: `storage.s3.key (base64)`. */
	findIn(text: string | Buffer): string[] {
		const bytes = (typeof text === "string" ? Buffer.from(text) : text).toString("latin1");
		const found = new Set<string>();
		for (let at = 0; at + FRAGMENT <= bytes.length; at++) {
			const fragment = bytes.slice(at, at + FRAGMENT);
			const hit = this.fragments.get(fragment);
			if (hit !== undefined && !this.common.has(fragment)) found.add(`${hit.field} (${hit.form})`);
		}
		return [...found];
	}

	/** Fields whose canary is whole somewhere in a JSON text, however often it is JSON within JSON. */
	wholeIn(json: string): string[] {
		const leaves = leavesOf(JSON.parse(json));
		return this.made
			.filter(({ value }) => leaves.some((leaf) => leaf.includes(value)))
			.map(({ field }) => field);
	}
}

function leavesOf(value: unknown): string[] {
	if (typeof value === "object" && value !== null) return Object.values(value).flatMap(leavesOf);
	if (typeof value !== "string") return [];
	return [value, ...(/^["[{]/.test(value) ? leavesOf(parsed(value)) : [])];
}

function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
