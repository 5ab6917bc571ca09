import { type Command, InvalidArgumentError } from "commander";
import type { ForecastOptions } from "./forecast";

/** Registers `pulumi-datachain forecast`; the command itself is loaded when it runs. */
export function addForecastCommand(program: Command): void {
	program
		.command("forecast")
		.description("show what will run when: every run of every schedule in a window of time")
		.option("-s, --stack <name>", "stack whose schedules to look at; the selected one unless given")
		.option("--live", "look at all schedules of the live team, managed or not")
		.option("--compare", "what the program would change: deployed runs against those of a preview")
		.option("--days <number>", "length of the window", days, 7)
		.option("--from <instant>", "where the window begins, as ISO 8601; now unless given")
		.option("--time-zone <name>", "by whose clocks days and hours are shown, such as Europe/Berlin", "UTC")
		.option("--json", "print the forecast as JSON, with every run")
		.option("--markdown", "with --compare: print it as Markdown, fit for a comment on a pull request")
		.option("--html <file>", "write it to this file, as one self-contained page")
		.option("--ics <file>", "write the runs to this file, as a calendar")
		.addHelpText("after", EXAMPLES)
		.action(async (options: ForecastOptions) =>
			(require("./forecast") as typeof import("./forecast")).forecast(options),
		);
}

const MOST_DAYS = 366;

function days(text: string): number {
	const value = /^\d{1,3}$/.test(text) ? Number(text) : 0;
	if (value >= 1 && value <= MOST_DAYS) return value;
	throw new InvalidArgumentError(`Write a number from 1 to ${MOST_DAYS}.`);
}

const EXAMPLES = `
Reads the state through the Pulumi CLI, or the live team, and writes nothing but the files that are named. How long runs
take and how many workers they need comes from the service, where it shows them.

Exit codes: 0 done, 1 error.

Examples:
  $ pulumi-datachain forecast
  $ pulumi-datachain forecast --stack prod --days 30 --html forecast.html
  $ pulumi-datachain forecast --live --time-zone Europe/Berlin --ics runs.ics
  $ pulumi-datachain forecast --compare --markdown > comment.md
`;
