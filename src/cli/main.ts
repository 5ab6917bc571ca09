#!/usr/bin/env node
import { Command } from "commander";
import { addDoctorCommand } from "./doctor-command";
import { addDriftCommand } from "./drift-command";
import { addExportCommand } from "./export-command";
import { explainFailure, printable } from "./failure";
import { addForecastCommand } from "./forecast-command";
import { ownManifest } from "./own-manifest";
import { addRunsCommands } from "./runs/commands";
import { addServeCommand } from "./serve-command";
import { progress, say } from "./terminal";

function makeProgram(): Command {
	const program = new Command("pulumi-datachain")
		.description("Tools for the Pulumi provider for DataChain Studio.")
		.version(ownManifest().version)
		.option("--debug", "show where in the code a failure came from, as DATACHAIN_LOG=debug does")
		.configureOutput({ outputError: (text, write) => write(printable(text)) })
		.showHelpAfterError("(add --help for usage)");
	addServeCommand(program);
	addDriftCommand(program);
	addDoctorCommand(program);
	addExportCommand(program);
	addRunsCommands(program);
	addForecastCommand(program);
	return program;
}

/** Loaded with the first failure: a command must not pay for it. */
const wantsTraces = () =>
	(require("../api/request-log") as typeof import("../api/request-log")).wantsTraces();

async function main(): Promise<void> {
	const program = makeProgram();
	try {
		await program.parseAsync(process.argv);
	} catch (error) {
		const debug = program.opts<{ debug?: boolean }>().debug === true || wantsTraces();
		progress.clear();
		say(explainFailure(error, debug));
		process.exitCode = 1;
	}
}

void main();
