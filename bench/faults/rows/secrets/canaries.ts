import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { Random } from "../../random";

const LETTERS = [..."abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"];

/** What a text turns into when it is put into JSON, a URL or another encoding. */
const FORMS: Readonly<Record<string, (text: string) => string[]>> = {
	plain: (text) => [text],
	"JSON-escaped": (text) => [JSON.stringify(text), JSON.stringify(JSON.stringify(text))],
	"URL-encoded": (text) => [encodeURIComponent(text), new URLSearchParams({ x: text }).toString()],
	base64: (text) => inner64(text, "base64"),
	base64url: (text) => inner64(text, "base64url"),
	hex: (text) => [Buffer.from(text).toString("hex")],
};

/** The part of the encoding that depends on the text alone; what stands before it moves the groups of three bytes. */
const inner64 = (text: string, encoding: "base64" | "base64url"): string[] =>
	["", "x", "xx"].map((before) =>
		Buffer.from(before + text)
			.toString(encoding)
			.slice(before === "" ? 0 : 4, -4),
	);

/** Where people look, or what they share: each has a figure of its own. */
export const PLACES = [
	"state",
	"stdout and stderr",
	"server log",
	"drift reports",
	"exported programs",
] as const;
export type Place = (typeof PLACES)[number];

/** Length of the fragments that are looked for: short enough to find a cut text, too long to meet by chance. */
const FRAGMENT = 12;

/** Every value begins with so many letters, which nothing writes in another way. */
const LETTERS_FIRST = 18;

/** Makes values that must never be seen in clear, and finds them and their fragments in whatever form. */
export class Canaries {
	/** By the field each was put into. */
	readonly made = new Map<string, string>();
	private readonly fragments = new Map<string, { field: string; form: string }>();
	/** Of the characters that all canaries have in the middle: nobody's secret. */
	private readonly common = new Set<string>();
	private readonly seen = new Map<Place, Set<string>>(PLACES.map((place) => [place, new Set()]));
	/** Bytes that were searched. */
	readonly searched = new Map<Place, number>();

	constructor(private readonly random: Random) {}

	/** Letters and digits only: for tokens and passwords in URLs. */
	word(field: string): string {
		return this.add(field, this.letters(32));
	}

	/** With characters that JSON, URLs and shells write differently. */
	text(field: string): string {
		return this.add(field, `${this.letters(LETTERS_FIRST)}"/+ é\\%${this.letters(18)}`);
	}

	private letters(length: number): string {
		return Array.from({ length }, () => this.random.pick(LETTERS)).join("");
	}

	private add(field: string, value: string): string {
		this.made.set(field, value);
		const forms = Object.entries(FORMS).flatMap(([form, encode]) =>
			encode(value).map((text) => ({ form, text })),
		);
		for (const { form, text } of forms) {
			for (const fragment of fragmentsOf(Buffer.from(text))) {
				const known = this.fragments.get(fragment);
				// The first form wins: most fragments look alike in several.
				if (known === undefined) this.fragments.set(fragment, { field, form });
				else if (known.field !== field) this.common.add(fragment);
			}
		}
		return value;
	}

	search(place: Place, what: string, text: string | Buffer): void {
		this.searched.set(place, (this.searched.get(place) ?? 0) + text.length);
		for (const fragment of fragmentsOf(Buffer.from(text as string))) {
			const hit = this.common.has(fragment) ? undefined : this.fragments.get(fragment);
			if (hit !== undefined) this.seen.get(place)?.add(`${what}: ${hit.field} (${hit.form})`);
		}
	}

	/** All files of a folder, whatever they are called; links lead to what is not ours. */
	searchFolder(place: Place, what: string, folder: string, skip = ""): void {
		for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
			if (!entry.isFile() || entry.name === skip) continue;
			const path = join(entry.parentPath, entry.name);
			this.search(place, `${what} ${relative(folder, path)}`, readFileSync(path));
		}
	}

	/** Which canaries were seen there, by field and form: `storage.s3.key (base64)`. */
	at(place: Place): string[] {
		return [...(this.seen.get(place) ?? [])];
	}

	/** Fields whose canary is in a text that is in clear, known by the letters that it begins with. */
	shownIn(text: string): Set<string> {
		const shown = [...this.made].filter(([, value]) => text.includes(value.slice(0, LETTERS_FIRST)));
		return new Set(shown.map(([field]) => field));
	}
}

function* fragmentsOf(content: Buffer): Generator<string> {
	const bytes = content.toString("latin1");
	for (let at = 0; at + FRAGMENT <= bytes.length; at++) yield bytes.slice(at, at + FRAGMENT);
}
