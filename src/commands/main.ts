#!/usr/bin/env node
import { Command } from "commander";
import { boundedText } from "../text/report";
import { beQuiet } from "./progress";
import { collect, explainFailure, ownManifest, say, watchOutput } from "./terminal";

/** Adds a command's options and what it does. */
type Define = (command: Command) => unknown;

const completion = () => require("./completion") as typeof import("./completion");
const rerun = () => require("./rerun") as typeof import("./rerun");
const board = () => require("./board") as typeof import("./board");
const doctor = () => require("./doctor") as typeof import("./doctor");
const drift = () => require("./drift") as typeof import("./drift");
const exporting = () => require("./export") as typeof import("./export");
const forecast = () => require("./forecast") as typeof import("./forecast");
const jobs = () => require("./jobs") as typeof import("./jobs");
const pause = () => require("./pause") as typeof import("./pause");
const pipelines = () => require("./pipelines") as typeof import("./pipelines");
const run = () => require("./run") as typeof import("./run");
const schedules = () => require("./schedules") as typeof import("./schedules");
const serve = () => require("./serve") as typeof import("./serve");
const trigger = () => require("./trigger") as typeof import("./trigger");
const verify = () => require("./verify") as typeof import("./verify");

/** Usage, description and definition of each command; its file is loaded only if the command line names the command. */
const COMMANDS: readonly [usage: string, description: string, load: () => Define][] = [
	[
		"serve",
		"run a local server with the API of DataChain Studio and a small team",
		() => serve().define,
	],
	[
		"board",
		"show the team in a browser, live: what needs attention, schedules, runs, logs",
		() => board().define,
	],
	["jobs [job]", "list jobs, newest first, or show one", () => jobs().defineJobs],
	["logs <job>", "print the log of a job", () => jobs().defineLogs],
	[
		"run <file>",
		"run a script as a job: Python, or a shell script by its name",
		() => run().define,
	],
	[
		"rerun <job>",
		"repeat a job with its script and its settings",
		() => rerun().define,
	],
	["cancel <job...>", "cancel running or queued jobs", () => jobs().defineCancel],
	[
		"pipelines [pipeline]",
		"list pipelines, newest first, or show one with its settings, jobs and schedules",
		() => pipelines().definePipelines,
	],
	[
		"trigger <dataset...>",
		"create a pipeline that rebuilds datasets and their sources",
		() => trigger().define,
	],
	[
		"pause <pipeline>",
		"pause a pipeline: running jobs continue, new jobs and schedules do not start",
		() => pause().definePause,
	],
	["resume <pipeline>", "resume a pipeline", () => pause().definePause],
	[
		"remove-job <pipeline> <job>",
		"remove a job that has not started from a paused pipeline",
		() => pause().defineRemoveJob,
	],
	[
		"schedules [schedule]",
		"list schedules, or show one by its name or id, with its next runs",
		() => schedules().define,
	],
	["clusters", "list compute clusters", () => jobs().defineClusters],
	[
		"drift",
		"compare what the stack last deployed with the live team",
		() => drift().define,
	],
	[
		"forecast",
		"list every run of every schedule in a window of time",
		() => forecast().define,
	],
	[
		"export",
		"write the live team as a Pulumi project that adopts its objects",
		() => exporting().define,
	],
	[
		"completion",
		"print the completion script for bash, zsh or fish",
		() => completion().define,
	],
	[
		"doctor",
		"check everything that the provider needs, and say how to fix it",
		() => doctor().define,
	],
	[
		"verify",
		"check whether the service behaves as the provider expects",
		() => verify().define,
	],
];

function makeProgram(argv: readonly string[]): Command {
	const program = new Command("pulumi-datachain")
		.description("Tools for the Pulumi provider for DataChain Studio.")
		.version(ownManifest().version)
		.option(
			"--debug",
			"show where in the code a failure came from, as DATACHAIN_LOG=debug does",
		)
		.option(
			"-q, --quiet",
			"print results, warnings and errors, but no progress and no notices",
		)
		// Options that are not loaded are there all the same.
		.configureHelp({
			subcommandTerm: (command) => `${command.name()} ${command.usage()}`,
		})
		.configureOutput({ outputError: (text, write) => write(boundedText(text)) })
		.showHelpAfterError("(add --help for usage)")
		.hook("preAction", (_, command) => refuseEmpty(command))
		.hook("preAction", () => {
			if (program.opts<{ quiet?: boolean }>().quiet) beQuiet();
		});
	// A completion names the options of every command.
	const isAll = argv.includes("completion");
	for (const [usage, description, load] of COMMANDS) {
		const command = program.command(usage).description(description);
		if (isAll || argv.includes(command.name())) load()(command);
		refuseRepeated(command);
	}
	refuseRepeated(program);
	return program;
}

/** The last one would win without a word: `drift --stack a --stack b` would call the schedules of stack a unmanaged. */
function refuseRepeated(command: Command): void {
	for (const option of command.options) {
		if (option.parseArg === collect) continue;
		let isGiven = false;
		command.on(`option:${option.name()}`, () => {
			if (isGiven)
				throw new Error(
					`${option.long} is given more than once, and only one of them could count. Keep one.`,
				);
			isGiven = true;
		});
	}
}

/** A variable of a script that is not set would otherwise mean the default: another team, or another stack. */
function refuseEmpty(command: Command): void {
	const { options, registeredArguments, processedArgs } = command;
	const given = [
		...options.map((option) => [
			option.long,
			command.getOptionValue(option.attributeName()),
			true,
		]),
		...registeredArguments.map((argument, at) => [
			argument.name(),
			processedArgs[at],
			!argument.required,
		]),
	];
	for (const [name, value, canBeLeftOut] of given)
		if ([value].flat().some((text) => typeof text === "string" && text.trim() === ""))
			throw new Error(
				`${name} is empty. Write a value${canBeLeftOut ? ", or leave it out" : ""}.`,
			);
}

/** Loaded with the first failure: a command must not pay for it. */
const wantsTraces = () =>
	(
		require("../client/request-log") as typeof import("../client/request-log")
	).wantsTraces();

async function main(): Promise<void> {
	watchOutput();
	const program = makeProgram(process.argv);
	try {
		await program.parseAsync(process.argv);
	} catch (error) {
		const debug = program.opts<{ debug?: boolean }>().debug === true || wantsTraces();
		say(explainFailure(error, debug));
		process.exitCode = 1;
	}
}

void main();
