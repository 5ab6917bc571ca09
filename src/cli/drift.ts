import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { errorCode } from "../api/error-code";
import { checkDrift } from "../drift/check";
import { IGNORE_FILE, parseIgnoreFile } from "../drift/ignore";
import { renderHtml } from "../drift/render-html";
import { renderMarkdown, renderText } from "../drift/render-text";
import { DRIFT_KINDS, type DriftKind, type DriftReport } from "../drift/report";
import { type Outcome, outcomeOf, verdictOf } from "../drift/verdict";
import { explainFailure } from "./failure";
import { readStack } from "./read-stack";
import { endOnInterrupt, progress, say, tolerateClosedOutput, wantsColor } from "./terminal";
import { writeReport } from "./write-report";

/** Options of `pulumi-datachain drift`, as commander hands them over. */
export interface DriftOptions {
	stack?: string;
	json?: boolean;
	markdown?: boolean;
	html?: string;
	failOn: string;
	ignore?: string[];
	/** Milliseconds. */
	watch?: number;
}

const FAILED = 1;
/** What could not be checked must not look like "no drift". */
const CODES: Readonly<Record<Outcome, number>> = { none: 0, incomplete: FAILED, drift: 2 };

/** Checks once, or until Ctrl-C, and leaves the verdict in the exit code. */
export async function drift(options: DriftOptions): Promise<void> {
	if (options.json && options.markdown) {
		throw new Error("--json and --markdown both print to stdout. Keep one of them.");
	}
	const kinds = driftKinds(options.failOn);
	tolerateClosedOutput();
	const codeOf = (report: DriftReport): number => CODES[outcomeOf(report, kinds)];
	if (options.watch !== undefined) return watch(options, options.watch, codeOf);
	const signal = endOnInterrupt((code) => code);
	const report = await check(options, signal);
	print(report, options);
	process.exitCode = codeOf(report);
}

function driftKinds(text: string): DriftKind[] {
	return text.split(",").map((part) => {
		const kind = DRIFT_KINDS.find((each) => each === part.trim());
		if (kind !== undefined) return kind;
		throw new Error(`--fail-on takes a list of ${DRIFT_KINDS.join(", ")}; "${part.trim()}" is none of them.`);
	});
}

async function check(options: DriftOptions, signal: AbortSignal): Promise<DriftReport> {
	const { stack } = options;
	try {
		const ignore = [...ignoreFile(), ...(options.ignore ?? [])];
		const { state, sources } = await readStack({ stack, signal });
		progress.show(`Comparing ${state.resources.length} resources with the service…`);
		return await checkDrift({ state, sources, ignore, stack });
	} finally {
		progress.clear();
	}
}

function ignoreFile(): string[] {
	try {
		return parseIgnoreFile(readFileSync(IGNORE_FILE, "utf8"));
	} catch (error) {
		if (errorCode(error) === "ENOENT") return [];
		throw new Error(`${IGNORE_FILE} cannot be read. Check that it is a file, and its permissions.`);
	}
}

function print(report: DriftReport, options: DriftOptions): void {
	if (options.html !== undefined) writeReport(options.html, renderHtml(report));
	process.stdout.write(rendered(report, options));
	const { failed } = report.summary;
	// The report often goes to a file, and this is what a person must not miss.
	if (failed > 0) say(`${failed} could not be checked; the report says what and why.`);
}

function rendered(report: DriftReport, options: DriftOptions): string {
	if (options.markdown) return renderMarkdown(report);
	if (!options.json) return renderText(report, { color: wantsColor(process.stdout) });
	// While watching, one report a line, so that a reader knows where each ends.
	return `${JSON.stringify(report, undefined, options.watch === undefined ? 2 : undefined)}\n`;
}

/** Ctrl-C ends it with the exit code of the last verdict. A failed check is told once and tried again. */
async function watch(
	options: DriftOptions,
	intervalMillis: number,
	codeOf: (report: DriftReport) => number,
): Promise<void> {
	let last = "";
	let code: number | undefined;
	const signal = endOnInterrupt((interrupted) => code ?? interrupted);
	while (!signal.aborted) {
		const started = Date.now();
		try {
			const report = await check(options, signal);
			code = codeOf(report);
			if (verdictOf(report) !== last) print(report, options);
			last = verdictOf(report);
		} catch (error) {
			if (signal.aborted) return;
			code = FAILED;
			const text = explainFailure(error, false);
			if (text !== last) say(text);
			last = text;
		}
		await sleep(Math.max(1_000, intervalMillis - (Date.now() - started)));
	}
}
