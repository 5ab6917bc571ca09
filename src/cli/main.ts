#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { addDoctorCommand } from "./doctor-command";
import { addDriftCommand } from "./drift-command";
import { addExportCommand } from "./export-command";
import { explainFailure, printable } from "./failure";
import { addForecastCommand } from "./forecast-command";
import { addRunsCommands } from "./runs/commands";
import { addServeCommand } from "./serve-command";

/** Read at run time, so that the number is written in one place only. */
function packageVersion(): string {
	const text = readFileSync(join(__dirname, "..", "..", "package.json"), "utf8");
	return (JSON.parse(text) as { version: string }).version;
}

function makeProgram(): Command {
	const program = new Command("pulumi-datachain")
		.description("Tools for the Pulumi provider for DataChain Studio.")
		.version(packageVersion())
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
		process.stderr.write(`${explainFailure(error, debug)}\n`);
		process.exitCode = 1;
	}
}

void main();
