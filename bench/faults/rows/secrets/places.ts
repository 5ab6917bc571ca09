import { existsSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { Canaries } from "./canaries";

/** Where people look, or what they share: each has a figure of its own. */
export const PLACES = [
	"state",
	"stdout and stderr",
	"server log",
	"drift reports",
	"exported programs",
	"messages",
] as const;
export type Place = (typeof PLACES)[number];

/** What was searched, and what was seen in it. */
export class Findings {
	private readonly seen = new Map<Place, string[]>(PLACES.map((place) => [place, []]));
	private readonly searched = new Map<Place, number>();

	constructor(private readonly canaries: Canaries) {}

	search(place: Place, what: string, text: string | Buffer): void {
		this.searched.set(place, (this.searched.get(place) ?? 0) + text.length);
		for (const field of this.canaries.findIn(text)) this.seen.get(place)?.push(`${what}: ${field}`);
	}

	/** All files of a folder, whatever they are called; links lead to what is not ours. */
	searchFolder(place: Place, what: string, folder: string, skip: readonly string[] = []): void {
		for (const path of files(folder)) {
			const name = relative(folder, path);
			if (!skip.includes(name)) this.search(place, `${what} ${name}`, readFileSync(path));
		}
	}

	at(place: Place): readonly string[] {
		return [...new Set(this.seen.get(place))];
	}

	/** Kilobytes that were searched; nothing found in nothing proves nothing. */
	kilobytes(place: Place): number {
		return Math.ceil((this.searched.get(place) ?? 0) / 1024);
	}
}

function files(folder: string): string[] {
	if (!existsSync(folder)) return [];
	return readdirSync(folder).flatMap((name) => {
		const path = join(folder, name);
		const stat = lstatSync(path);
		if (stat.isDirectory()) return files(path);
		return stat.isFile() ? [path] : [];
	});
}
