import { analyse } from "../forecast/analyse";
import type { Comparison } from "../forecast/comparison";
import { comparisonHtml, comparisonMarkdown, comparisonText } from "../forecast/render-comparison";
import { renderHtml } from "../forecast/render-html";
import { renderIcs } from "../forecast/render-ics";
import { renderText } from "../forecast/render-text";
import type { ForecastReport } from "../forecast/report";
import { type ForecastWindow, windowOf } from "../forecast/window";
import { parseInstant } from "../schemas/instant";
import { timeZoneProblem } from "../schemas/schedule-args";
import { compareDeployed, readDeployed, readLive } from "./forecast-read";
import { endOnInterrupt, progress, tolerateClosedOutput, wantsColor } from "./terminal";
import { writeReport } from "./write-report";

/** Options of `pulumi-datachain forecast`, as commander hands them over. */
export interface ForecastOptions {
	stack?: string;
	live?: boolean;
	compare?: boolean;
	days: number;
	from?: string;
	timeZone: string;
	json?: boolean;
	markdown?: boolean;
	html?: string;
	ics?: string;
}

/** A window for which every run is listed must fit into a page, a calendar, a JSON text. */
const MOST_LISTED_RUNS = 2_000_000;

export async function forecast(options: ForecastOptions): Promise<void> {
	const window = checkedWindow(options);
	tolerateClosedOutput();
	const read = { stack: options.stack, signal: endOnInterrupt((code) => code) };
	if (options.compare) {
		const comparison = await compareDeployed(window, read);
		progress.clear();
		return printComparison(comparison, options);
	}
	const facts = options.live ? await readLive(read) : await readDeployed(read);
	const source = options.live ? "live" : "stack";
	const report = analysed(options, { ...facts, window, timeZone: options.timeZone, source });
	progress.clear();
	if (options.html !== undefined) writeReport(options.html, renderHtml(report));
	if (options.ics !== undefined) writeReport(options.ics, renderIcs(report));
	if (options.json) process.stdout.write(`${JSON.stringify(report, undefined, 2)}\n`);
	else process.stdout.write(renderText(report, { color: wantsColor(process.stdout) }));
}

function printComparison(comparison: Comparison, options: ForecastOptions): void {
	if (options.html !== undefined) writeReport(options.html, comparisonHtml(comparison));
	if (options.json) process.stdout.write(`${JSON.stringify(comparison, undefined, 2)}\n`);
	else if (options.markdown) process.stdout.write(comparisonMarkdown(comparison));
	else process.stdout.write(comparisonText(comparison, wantsColor(process.stdout)));
}

/** Counts first: listing a hundred million runs would only end the process. */
function analysed(
	options: ForecastOptions,
	input: Omit<Parameters<typeof analyse>[0], "keepRuns">,
): ForecastReport {
	const report = analyse({ ...input, keepRuns: false });
	if (!options.json && options.html === undefined && options.ics === undefined) return report;
	if (report.summary.runs > MOST_LISTED_RUNS) {
		throw new Error(
			`There are ${report.summary.runs.toLocaleString("en-US")} runs in these ${options.days} days, and at most ${MOST_LISTED_RUNS.toLocaleString("en-US")} can be listed. Choose fewer --days, or leave --json, --html and --ics out.`,
		);
	}
	return analyse({ ...input, keepRuns: true });
}

function checkedWindow(options: ForecastOptions): ForecastWindow {
	if (options.live && (options.compare || options.stack !== undefined)) {
		throw new Error("--live looks at the whole team; leave out --stack and --compare.");
	}
	if (options.json && options.markdown) {
		throw new Error("--json and --markdown both print to stdout. Keep one of them.");
	}
	if (options.markdown && !options.compare)
		throw new Error("--markdown is for --compare. Add it, or use --html.");
	if (options.ics !== undefined && options.compare) {
		throw new Error("--ics is for a forecast, not for a comparison. Leave out --compare.");
	}
	const problem = timeZoneProblem(options.timeZone);
	if (problem !== undefined) throw new Error(`--time-zone: ${problem}`);
	const from = options.from === undefined ? Date.now() : parseInstant(options.from);
	if (from === undefined) throw new Error('--from must be a date-time such as "2026-01-31T03:00:00Z".');
	return windowOf(from, options.days);
}
