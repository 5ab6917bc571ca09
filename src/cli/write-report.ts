import { writeFileSync } from "node:fs";

/** Writes a page or a calendar where the user said, and says so. */
export function writeReport(file: string, text: string): void {
	try {
		writeFileSync(file, text);
	} catch (error) {
		const code = error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
		throw new Error(`The file "${file}" cannot be written${code}. Check the folder and its permissions.`);
	}
	process.stderr.write(`Wrote ${file}\n`);
}
