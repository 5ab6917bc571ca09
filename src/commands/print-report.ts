import { reportMarkdown } from "../report/markdown";
import type { Report } from "../report/report";
import { reportText, type TextOptions } from "../report/text";
import { printResult, wantsColor, writeReport } from "./terminal";

/** The options in which commands that make a report agree. */
export interface ReportOptions {
	json?: boolean;
	markdown?: boolean;
	html?: string;
}

/** What a command found out, and how it is shown. */
export interface Findings extends Omit<TextOptions, "color"> {
	/** What --json prints. */
	readonly result: unknown;
	readonly report: Report;
	readonly page: () => string;
	/** JSON on one line, if several reports follow each other. */
	readonly oneLine?: boolean;
}

/** To be asked before any work. */
export function checkFormats({ json, markdown }: ReportOptions): void {
	if (json && markdown) throw new Error("--json and --markdown both print to stdout. Keep one of them.");
}

/** Writes the page if one is wanted, and prints the report in the wanted form. */
export function printReport(options: ReportOptions, findings: Findings): void {
	const { result, report, page, oneLine, ...text } = findings;
	if (options.html !== undefined) writeReport(options.html, page());
	const shown = () =>
		options.markdown
			? reportMarkdown(report)
			: reportText(report, { ...text, color: wantsColor(process.stdout) });
	printResult(options, result, shown, oneLine ? 0 : 2);
}
