import { matchesGlob as matches } from "../schemas/glob";

/** The file, in the working directory, whose lines are patterns like those of --ignore. */
export const IGNORE_FILE = ".datachainignore";

/** The patterns of an ignore file: one a line; blank lines and lines that start with # mean nothing. */
export function parseIgnoreFile(text: string): string[] {
	return text
		.split(/\r?\n/)
		.map((line) => line.trim())
		.filter((line) => line !== "" && !line.startsWith("#"));
}

/** Splits off what belongs to others. Only unmanaged objects can be ignored: what is managed is always compared. */
export function applyIgnores<Found extends { readonly name: string | null }>(
	found: readonly Found[],
	patterns: readonly string[],
): { kept: Found[]; ignored: number } {
	const kept = found.filter(({ name }) => !patterns.some((pattern) => matchesGlob(pattern, name ?? "")));
	return { kept, ignored: found.length - kept.length };
}

/** As in an ignore file: a backslash takes the next character as it is. */
export const matchesGlob = (pattern: string, name: string): boolean =>
	matches(pattern, name, { escape: true });
