import { writeFileSync } from "node:fs";
import { errorCode } from "../client/errors";
import type { Report } from "../text/report";
import { inWantedColor, notify, printResult } from "./terminal";

/** Writes a page where the user said, and says so. */
function writeReport(file: string, text: string): void {
	try {
		writeFileSync(file, text);
	} catch (error) {
		throw new Error(
			`The file "${file}" cannot be written (${errorCode(error)}). Check the folder and its permissions.`,
		);
	}
	notify(`Wrote ${file}`);
}

/** The options in which commands that make a report agree. */
export interface ReportOptions {
	json?: boolean;
	markdown?: boolean;
	html?: string;
}

/** What a command found out, and how it is shown. */
export interface Findings {
	/** What --json prints. */
	readonly result: unknown;
	readonly report: Report;
	readonly page: () => string;
	/** JSON on one line, if several reports follow each other. */
	readonly oneLine?: boolean;
}

/** To be asked before any work. */
export function checkFormats({ json, markdown }: ReportOptions): void {
	if (json && markdown)
		throw new Error("--json and --markdown both print to stdout. Keep one of them.");
}

/** Loaded with the first report: a command must not pay for it. */
const renderings = () =>
	require("../text/renderings") as typeof import("../text/renderings");

/** Writes the page if one is wanted, and prints the report in the wanted form. */
export function printReport(options: ReportOptions, findings: Findings): void {
	const { result, report, page, oneLine } = findings;
	if (options.html !== undefined) writeReport(options.html, page());
	const text = () =>
		options.markdown
			? renderings().reportMarkdown(report)
			: inWantedColor(renderings().reportText(report));
	printResult(options, result, text, oneLine ? 0 : 2);
}
