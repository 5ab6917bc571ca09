import { readFileSync } from "node:fs";
import { errorCode } from "../client/errors";

/** The file, in the working directory, whose lines are patterns like those of --ignore. */
const IGNORE_FILE = ".datachainignore";

export function readIgnoreFile(): string[] {
	try {
		return parseIgnoreFile(readFileSync(IGNORE_FILE, "utf8"));
	} catch (error) {
		if (errorCode(error) === "ENOENT") return [];
		throw new Error(
			`${IGNORE_FILE} cannot be read. Check that it is a file, and its permissions.`,
		);
	}
}

/** The patterns of an ignore file: one a line; blank lines and lines that start with # mean nothing. */
export function parseIgnoreFile(text: string): string[] {
	return text
		.split(/\r?\n/)
		.map((line) => line.trim())
		.filter((line) => line !== "" && !line.startsWith("#"));
}
