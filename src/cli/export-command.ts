import { type Command, Option } from "commander";
import type { ExportOptions } from "./export";
import { collect } from "./repeatable";

/** Registers `pulumi-datachain export`; the command itself is loaded when it runs. */
export function addExportCommand(program: Command): void {
	program
		.command("export")
		.description("write the live team as a Pulumi project that adopts what is there")
		.option("--out <folder>", "where to write the project", "./datachain-team")
		.option(
			"--filter <glob>",
			"only schedules whose name matches; * is any characters, ? one; repeatable",
			collect,
		)
		.option("--team <name>", "team to export, written into the program; default: the connection's")
		.option("--force", "write into a folder that is not empty; files of an earlier export are replaced")
		.addOption(
			new Option("--language <name>", "language of the project").choices(LANGUAGES).default("typescript"),
		)
		.option("--retain", "make schedules stay on the service when Pulumi lets go of them")
		.option("--plain-values", "leave environment values that look like no secret in the code")
		.option("--write-config", "store the secrets in the configuration of --stack, with the Pulumi CLI")
		.option("-s, --stack <name>", "stack for --write-config; made if it does not exist")
		.addHelpText("after", EXAMPLES)
		.action(async (options: ExportOptions) =>
			(require("./export") as typeof import("./export")).exportTeam(options),
		);
}

/** Written out: the exporter is loaded when it runs. A test compares them with its own. */
export const LANGUAGES = ["typescript", "python", "yaml"];

const EXAMPLES = `
Reads from the service, never writes to it. The connection comes from DATACHAIN_STUDIO_URL, DATACHAIN_STUDIO_TOKEN and
DATACHAIN_STUDIO_TEAM, and what they leave open from the config of the Pulumi stack that is selected in this folder.
Environment values go to the stack's configuration, not into the code.

Exit codes: 0 written, 1 error; then nothing was written, unless the message says so.

Examples:
  $ pulumi-datachain export
  $ pulumi-datachain export --out infra/datachain --filter "nightly-*" --filter "weekly-*"
  $ pulumi-datachain export --language python --out infra
  $ pulumi-datachain export --write-config --stack dev && cd datachain-team && npm install && pulumi preview
`;
