import type { Command } from "commander";
import type { ServeOptions } from "./serve";

/** Registers `pulumi-datachain serve`; the command itself is loaded when it runs. */
export function addServeCommand(program: Command): void {
	program
		.command("serve")
		.description("run the service's API on this machine, with a small team to try things on")
		.option("--keep <folder>", "keep port, token, team and data in this folder: the next server is the same")
		.option("--env", "print the settings of the server that runs with --keep, and end")
		.option("--host <address>", "where to listen", "127.0.0.1")
		.option("--port <number>", "port to listen on; a free one unless given")
		.option("--data <file>", "keep only the data, in this file")
		.option("--empty", "start with a team that has nothing in it")
		.option("--faults", "allow requests to be made to fail, over POST /api/_test/faults")
		.option("--team <name>", 'name of the team; "vision" unless given')
		.option("--token-file <file>", "take the token from this file; made, with a new token, if it is missing")
		.option("--clock <instant>", "stop the clock at this ISO 8601 time; POST /api/_test/clock moves it")
		.option("--allow-remote", "let a --host that other machines can reach be used")
		.option("--verbose", "log each request to stderr")
		.addHelpText("after", EXAMPLES)
		.action(async (options: ServeOptions) => (require("./serve") as typeof import("./serve")).serve(options));
}

const EXAMPLES = `
Prints three lines to stdout once it is ready, and runs until Ctrl-C. Paste them into the shell in which you run Pulumi
(bash, zsh, sh; in PowerShell write $env:NAME = "value", in fish set -x NAME value).

Examples:
  $ pulumi-datachain serve
  $ pulumi-datachain serve --empty --faults --verbose

  One server for a while, with its settings in any terminal:
  $ pulumi-datachain serve --keep .studio
  $ eval "$(pulumi-datachain serve --keep .studio --env)"
  $ curl -H "Authorization: Bearer $DATACHAIN_STUDIO_TOKEN" "$DATACHAIN_STUDIO_URL/api/datachain/clusters/"
`;
