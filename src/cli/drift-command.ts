import { type Command, InvalidArgumentError } from "commander";
import { parseDuration } from "../schemas/duration";
import type { DriftOptions } from "./drift";
import { collect } from "./repeatable";

/** Registers `pulumi-datachain drift`; the command itself is loaded when it runs. */
export function addDriftCommand(program: Command): void {
	program
		.command("drift")
		.description("compare what the stack last deployed with the live team")
		.option("-s, --stack <name>", "stack to check; the selected one unless given")
		.option("--json", "print the report as JSON")
		.option("--markdown", "print the report as Markdown, fit for a comment on a pull request")
		.option("--html <file>", "write the report to this file, as one self-contained page")
		.option("--fail-on <kinds>", "kinds of drift that make the exit code 2", "changed,missing,twin")
		.option(
			"--ignore <pattern>",
			"names of unmanaged schedules and pipelines to leave out; repeatable",
			collect,
		)
		.option(
			"--watch <interval>",
			"check again and again (30s, 5m, 1h), and print when the verdict changes",
			interval,
		)
		.addHelpText("after", EXAMPLES)
		.action(async (options: DriftOptions) => (require("./drift") as typeof import("./drift")).drift(options));
}

/** `30s`, `5m`, `1h` as milliseconds. */
function interval(text: string): number {
	const millis = /^\d{1,6}[smh]$/.test(text) ? (parseDuration(text) ?? 0) : 0;
	// A day is more than anyone watches for, and well below what a timer can hold.
	if (millis >= 5_000 && millis <= 24 * 3_600_000) return millis;
	throw new InvalidArgumentError("Write it as 30s, 5m or 1h; from 5s to 24h.");
}

const EXAMPLES = `
Reads the state through the Pulumi CLI and writes nothing. Values that may be secret are shown only as "differs".
Lines of a file .datachainignore in the current folder are patterns like those of --ignore (* and ?; # starts a comment).

A twin is a schedule that has the name of a managed one and is not managed: most likely it runs the pipeline a second
time. It counts as unmanaged too.

Exit codes: 0 no drift, 2 drift of a kind named by --fail-on, 1 an error, or no drift found while something could not
be checked; then the report is printed and names it.

Examples:
  $ pulumi-datachain drift
  $ pulumi-datachain drift --stack prod --fail-on changed,missing,unmanaged
  $ pulumi-datachain drift --markdown --html drift.html > comment.md
  $ pulumi-datachain drift --watch 5m --ignore "tmp-*"
`;
