import { setTimeout as sleep } from "node:timers/promises";
import { type Command, InvalidArgumentError } from "commander";
import { driftPage } from "../board/files";
import { withoutRequest } from "../client/errors";
import { checkDrift } from "../team/drift-check";
import { describeDrift } from "../team/drift-rendering";
import {
	DRIFT_KINDS,
	type DriftKind,
	type DriftReport,
	exitCodeOf,
	fingerprintOf,
} from "../team/drift-report";
import { readIgnoreFile } from "../team/ignore-file";
import { parseDuration } from "../text/duration";
import { many } from "../text/report";
import { readStack } from "./pulumi-cli";
import { checkFormats, printReport, type ReportOptions } from "./report-output";
import {
	collect,
	endOnInterrupt,
	endWithReader,
	explainFailure,
	progress,
	say,
} from "./terminal";

interface DriftOptions extends ReportOptions {
	stack?: string;
	failOn: string;
	ignore?: string[];
	/** Milliseconds. */
	watch?: number;
}

export const define = (command: Command): Command =>
	command
		.option("-s, --stack <name>", "stack to check (default: the selected one)")
		.option("--json", "print the report as JSON")
		.option(
			"--markdown",
			"print the report as Markdown, fit for a comment on a pull request",
		)
		.option(
			"--html <file>",
			"write the report to this file, as one self-contained page",
		)
		.option(
			"--fail-on <kinds>",
			"kinds of drift that make the exit code 2",
			"changed,missing,duplicate",
		)
		.option(
			"--ignore <pattern>",
			"names of unmanaged schedules and pipelines to leave out; repeatable",
			collect,
		)
		.option(
			"--watch <interval>",
			"check repeatedly (30s, 5m, 1h), and print when the verdict changes",
			interval,
		)
		.addHelpText("after", EXAMPLES)
		.action(drift);

/** `30s`, `5m`, `1h` as milliseconds. */
function interval(text: string): number {
	const millis = /^\d{1,6}[smh]$/.test(text) ? (parseDuration(text) ?? 0) : 0;
	// A day is more than anyone watches for, and well below what a timer can hold.
	if (millis >= 5_000 && millis <= 24 * 3_600_000) return millis;
	throw new InvalidArgumentError("Write it as 30s, 5m or 1h; from 5s to 24h.");
}

const EXAMPLES = `
Reads the state through the Pulumi CLI and writes nothing. Values that may be secret are shown only as "differs".
The file .datachainignore in the current folder takes one --ignore pattern per line (* and ?; # starts a comment).

A duplicate is a schedule that has the name of a managed one and is not managed: most likely it runs the pipeline a
second time. It counts as unmanaged too. A schedule that runs at a different local time than declared, because the clocks
changed since the last deployment, counts as changed.

Exit codes: 0 no drift, 2 drift of a kind named by --fail-on, 1 an error, or no drift found while something could not
be checked or the team's list is cut short; then the report is printed and names it.

Examples:
  $ pulumi-datachain drift
  $ pulumi-datachain drift --stack prod --fail-on changed,missing,unmanaged
  $ pulumi-datachain drift --markdown --html drift.html > comment.md
  $ pulumi-datachain drift --watch 5m --ignore "tmp-*"
`;

const FAILED = 1;

/** Checks once, or until Ctrl-C, and leaves the verdict in the exit code. */
export async function drift(options: DriftOptions): Promise<void> {
	checkFormats(options);
	const kinds = driftKinds(options.failOn);
	const codeOf = (report: DriftReport): number => exitCodeOf(report, kinds);
	if (options.watch !== undefined) return watch(options, options.watch, codeOf);
	const signal = endOnInterrupt();
	const report = await check(options, signal);
	print(report, options);
	process.exitCode = codeOf(report);
}

function driftKinds(text: string): DriftKind[] {
	return text.split(",").map((part) => {
		const asked = part.trim();
		const kind = DRIFT_KINDS.find((each) => each === asked);
		if (kind !== undefined) return kind;
		throw new Error(
			`--fail-on takes a list of ${DRIFT_KINDS.join(", ")}; "${asked}" is none of them.`,
		);
	});
}

async function check(options: DriftOptions, signal: AbortSignal): Promise<DriftReport> {
	try {
		const ignore = [...readIgnoreFile(), ...(options.ignore ?? [])];
		const { state, sources } = await readStack({ stack: options.stack, signal });
		progress.step(`Comparing ${state.resources.length} resources with the service…`);
		return await checkDrift({ state, sources, ignore });
	} finally {
		progress.clear();
	}
}

function print(report: DriftReport, options: DriftOptions): void {
	printReport(options, {
		result: report,
		report: describeDrift(report),
		page: () => driftPage(report),
		// While watching, one report a line, so that a reader knows where each ends.
		oneLine: options.watch !== undefined,
	});
	const { failed, unlisted } = report.summary;
	// The report often goes to a file, and this is what a person must not miss.
	if (failed > 0) say(`${failed} could not be checked; the report says what and why.`);
	if (unlisted > 0)
		say(
			`The team's list does not contain ${many(unlisted, "existing object")}; other objects may be missing too.`,
		);
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
	endWithReader(() => code);
	while (!signal.aborted) {
		const started = Date.now();
		try {
			const report = await check(options, signal);
			code = codeOf(report);
			if (fingerprintOf(report) !== last) print(report, options);
			last = fingerprintOf(report);
		} catch (error) {
			if (signal.aborted) return;
			code = FAILED;
			const text = explainFailure(error, false);
			if (withoutRequest(text) !== last) say(text);
			last = withoutRequest(text);
		}
		await sleep(Math.max(1_000, intervalMillis - (Date.now() - started)));
	}
}
