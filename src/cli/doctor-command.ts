import type { Command } from "commander";
import type { DoctorOptions } from "./doctor";

/** Registers `pulumi-datachain doctor`; the command itself is loaded when it runs. */
export function addDoctorCommand(program: Command): void {
	program
		.command("doctor")
		.description("check that everything the provider needs is there, and say how to fix what is not")
		.option("-s, --stack <name>", "stack whose config may hold the connection; the selected one unless given")
		.option("--json", "print the checks as JSON")
		.addHelpText("after", EXAMPLES)
		.action(async (options: DoctorOptions) =>
			(require("./doctor") as typeof import("./doctor")).doctor(options),
		);
}

const EXAMPLES = `
Run it in the folder of your Pulumi program. Writes nothing, neither here nor on the service.

Exit codes: 0 nothing failed (there may be warnings), 1 a check failed.

Examples:
  $ pulumi-datachain doctor
  $ pulumi-datachain doctor --stack prod --json
`;
