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
import type { ServeOptions } from "./serve";

/** Read at run time, so that the number is written in one place only. */
function packageVersion(): string {
	const text = readFileSync(join(__dirname, "..", "..", "package.json"), "utf8");
	return (JSON.parse(text) as { version: string }).version;
}

function makeProgram(): Command {
	const program = new Command("pulumi-datachain")
		.description("Tools for the Pulumi provider for DataChain Studio.")
		.version(packageVersion())
		.option("--debug", "show where in the code a failure came from")
		.configureOutput({ outputError: (text, write) => write(printable(text)) })
		.showHelpAfterError("(add --help for usage)");
	program
		.command("serve")
		.description("run the service's API on this machine, with a small team to try things on")
		.option("--host <address>", "where to listen", "127.0.0.1")
		.option("--port <number>", "port to listen on; 0 takes a free one", "0")
		.option("--data <file>", "keep the state in this file across restarts")
		.option("--empty", "start with a team that has nothing in it")
		.option("--faults", "allow requests to be made to fail, over POST /api/_test/faults")
		.option("--team <name>", "name of the team", "vision")
		.option("--token-file <file>", "take the token from this file; made, with a new token, if it is missing")
		.option("--clock <instant>", "stop the clock at this ISO 8601 time; POST /api/_test/clock moves it")
		.option("--allow-remote", "let a --host that other machines can reach be used")
		.option("--verbose", "log each request to stderr")
		.addHelpText("after", SERVE_EXAMPLES)
		// Loaded only when used: a command must not pay for the others.
		.action(async (options: ServeOptions) => (require("./serve") as typeof import("./serve")).serve(options));
	addDriftCommand(program);
	addDoctorCommand(program);
	addExportCommand(program);
	addRunsCommands(program);
	addForecastCommand(program);
	return program;
}

const SERVE_EXAMPLES = `
Prints three NAME=value lines to stdout once it is ready, and runs until Ctrl-C.

Examples:
  $ pulumi-datachain serve
  $ pulumi-datachain serve --port 8080 --data team.json --token-file team.token
  $ pulumi-datachain serve --empty --faults --verbose

  In another terminal, with the lines it printed:
  $ export DATACHAIN_STUDIO_URL=... DATACHAIN_STUDIO_TOKEN=... DATACHAIN_STUDIO_TEAM=...
  $ curl -H "Authorization: Bearer $DATACHAIN_STUDIO_TOKEN" "$DATACHAIN_STUDIO_URL/api/datachain/clusters/"
`;

async function main(): Promise<void> {
	const program = makeProgram();
	try {
		await program.parseAsync(process.argv);
	} catch (error) {
		process.stderr.write(`${explainFailure(error, program.opts<{ debug?: boolean }>().debug === true)}\n`);
		process.exitCode = 1;
	}
}

void main();
