import { writeFileSync } from "node:fs";
import { errorCode } from "../api/error-code";

/** Writes a page or a calendar where the user said, and says so. */
export function writeReport(file: string, text: string): void {
	try {
		writeFileSync(file, text);
	} catch (error) {
		throw new Error(
			`The file "${file}" cannot be written (${errorCode(error)}). Check the folder and its permissions.`,
		);
	}
	process.stderr.write(`Wrote ${file}\n`);
}
