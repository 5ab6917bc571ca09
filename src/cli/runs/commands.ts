import { type Command, InvalidArgumentError, Option } from "commander";
import { parseDuration } from "../../schemas/duration";
import { collect } from "../repeatable";
import type { JobsOptions, PipelinesOptions } from "./lists";
import type { LogsOptions } from "./logs";
import type { RunsOptions } from "./session";
import type { RunOptions, TriggerOptions } from "./start";

// Loaded only when used: a command must not pay for the others.
const lists = () => require("./lists") as typeof import("./lists");
const start = () => require("./start") as typeof import("./start");
const act = () => require("./act") as typeof import("./act");

/** Registers the commands about jobs and pipelines; each is loaded when it runs. */
export function addRunsCommands(program: Command): void {
	const command = (usage: string, what: string): Command =>
		program
			.command(usage)
			.description(what)
			.option("--team <name>", "team to work in; the connection's unless given")
			.option("--json", "print the result as JSON");
	const waiting = (made: Command): Command =>
		made
			.option("--wait", "follow it to its end; the exit code says how it ended")
			.option("--timeout <time>", "with --wait: give up after 90s, 30m, 1h30m; 1h unless given", duration)
			.addOption(
				new Option("--on-interrupt <what>", "with --wait: what Ctrl-C does to it")
					.choices(["cancel", "leave"])
					.default("leave"),
			);
	command("jobs", "list jobs, newest first")
		.option("--status <status>", "only these: a status, or ACTIVE or INACTIVE")
		.option("--limit <number>", "at most so many", count, 20)
		.action((options: JobsOptions) => lists().jobs(options));
	command("pipelines [name]", "list pipelines, newest first, or show one with its jobs")
		.option("--status <status>", "only these; repeatable", collect)
		.option("--search <text>", "only those with this in their name or source dataset")
		.option("--limit <number>", "at most so many", count, 20)
		.action((name: string | undefined, options: PipelinesOptions) => lists().pipelines(name, options));
	command("logs <job>", "print the log of a job")
		.option("-f, --follow", "until the job ends")
		.action((job: string, options: LogsOptions) =>
			(require("./logs") as typeof import("./logs")).logs(job, options),
		);
	waiting(command("run <file>", "run a script as a job: Python, or a shell script by its name"))
		.option("--name <name>", "name of the job; the file's unless given")
		.option("--workers <number>", "number of workers", count)
		.option("--env <name=value>", "environment variable; repeatable", collect)
		.option("--req <package>", "package to install; repeatable", collect)
		.option("--python <version>", "Python version, such as 3.12")
		.option("--repository <url>", "repository to clone, with an optional @revision")
		.option("--priority <number>", "0 to 5; lower runs sooner", count)
		.option("--cluster <name>", "compute cluster")
		.option("--credentials <name>", "credential set stored in the service")
		.option("--file <path>", "file that the job sees; repeatable", collect)
		.addHelpText("after", RUN_EXAMPLES)
		.action((file: string, options: RunOptions) => start().run(file, options));
	waiting(command("trigger <dataset...>", "rebuild datasets, and all they are made from, as one pipeline"))
		.option("--paused", "make it paused; nothing runs until it is resumed")
		.addHelpText("after", TRIGGER_EXAMPLES)
		.action((datasets: string[], options: TriggerOptions) => start().trigger(datasets, options));
	command("cancel <job...>", "end jobs that run or wait").action((jobs: string[], options: RunsOptions) =>
		act().cancel(jobs, options),
	);
	command(
		"pause <pipeline>",
		"pause a pipeline: running jobs go on, no new ones start, schedules do not run it",
	).action((name: string, options: RunsOptions) => act().setPaused(name, true, options));
	command("resume <pipeline>", "resume a pipeline: jobs that can start do").action(
		(name: string, options: RunsOptions) => act().setPaused(name, false, options),
	);
}

function count(text: string): number {
	if (/^\d{1,9}$/.test(text)) return Number(text);
	throw new InvalidArgumentError("Write a whole number.");
}

function duration(text: string): string {
	if (parseDuration(text) !== undefined) return text;
	throw new InvalidArgumentError("Write it as 90s, 30m or 1h30m.");
}

const RUN_EXAMPLES = `
The request is never repeated: a lost reply is looked for in the list of jobs. With --wait the job's log is the output.

Exit codes: 0 the job was started, or with --wait succeeded; with --wait the job's own exit code where it fails (1 where
it has none), 124 after --timeout, 130 after Ctrl-C. After both the job goes on; with --on-interrupt cancel, Ctrl-C ends it.

Examples:
  $ pulumi-datachain run train.py --wait --timeout 30m --env EPOCHS=3
  $ id=$(pulumi-datachain run train.py) && pulumi-datachain logs "$id" --follow
`;

const TRIGGER_EXAMPLES = `
The request is never repeated: a lost reply is looked for in the list of pipelines. Prints the pipeline's name.

Exit codes: 0 triggered, or with --wait completed; with --wait 1 where it fails, 124 after --timeout, 130 after Ctrl-C.
--on-interrupt cancel pauses the pipeline then, as no request ends one.

Examples:
  $ pulumi-datachain trigger dev.images.final_result --wait
  $ pulumi-datachain trigger dev.images.raw dev.images.clean@1.0.3 --paused
`;
