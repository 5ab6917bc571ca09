import type { Command } from "commander";
import type { DoctorOptions } from "./doctor";

/** Registers `pulumi-datachain doctor`; the command itself is loaded when it runs. */
export function addDoctorCommand(program: Command): void {
	program
		.command("doctor")
		.description("check that everything the provider needs is there, and say how to fix what is not")
		.option("-s, --stack <name>", "stack whose config may hold the connection; the selected one unless given")
		.option("--json", "print the checks as JSON")
		.option("--probe-write", "also ask whether the token may write, with a request that deletes nothing")
		.addHelpText("after", EXAMPLES)
		.action(async (options: DoctorOptions) =>
			(require("./doctor") as typeof import("./doctor")).doctor(options),
		);
}

const EXAMPLES = `
Run it in the folder of your Pulumi program. Writes nothing, neither here nor on the service: it only sends GET
requests. Whether the token may write is the one thing they do not tell; --probe-write asks the service to delete a
schedule with an id that is in no list, which a token without write access is refused (403) and any other one is told
that there is none (404).

Exit codes: 0 nothing failed (there may be warnings), 1 a check failed.

Examples:
  $ pulumi-datachain doctor
  $ pulumi-datachain doctor --stack prod --json
  $ pulumi-datachain doctor --probe-write
`;
