import { relative } from "node:path";
import { AbortedError, resolveConnection } from "../api";
import { modelOf, type TeamModel } from "../export/model";
import { type Language, renderProject } from "../export/render-project";
import { count, leftOutLine, secretCommands } from "../export/render-readme";
import { readTeam } from "./export-read";
import { checkTarget, writeProject } from "./export-write";
import { ownManifest } from "./own-manifest";
import { connectionSources } from "./pulumi-cli";
import { runPulumi } from "./run-pulumi";
import { progress, say } from "./terminal";
import { withClient } from "./with-client";

/** Options of `pulumi-datachain export`, as commander hands them over. */
export interface ExportOptions {
	out: string;
	language?: Language;
	filter?: string[];
	team?: string;
	force?: boolean;
	retain?: boolean;
	plainValues?: boolean;
	writeConfig?: boolean;
	stack?: string;
}

/** Writes the live team as a Pulumi project. Only reads from the service. */
export async function exportTeam(options: ExportOptions): Promise<void> {
	checkOptions(options);
	const folder = await checkTarget(options.out, options.force === true);
	const stopping = new AbortController();
	const stop = () => stopping.abort();
	process.once("SIGINT", stop).once("SIGTERM", stop);
	try {
		const connection = resolveConnection(
			await connectionSources({ explicit: { teamName: options.team }, signal: stopping.signal }),
		);
		const team = await withClient(connection, stopping.signal, (client) =>
			readTeam(client, options.filter ?? [], counting("Reading schedules and pipelines")),
		);
		const model = modelOf(team, {
			teamName: options.team,
			plainValues: options.plainValues,
			yaml: options.language === "yaml",
		});
		stopping.signal.throwIfAborted();
		const { version, peerDependencies } = ownManifest();
		const files = renderProject(model, {
			teamName: connection.teamName,
			language: options.language,
			retain: options.retain === true,
			versions: { provider: version, sdk: peerDependencies["@pulumi/pulumi"] },
		});
		await writeProject(folder, files);
		report(model, options);
		if (options.stack !== undefined) await storeSecrets(model, folder, options.stack, stopping.signal);
	} catch (error) {
		if (error instanceof AbortedError || (stopping.signal.aborted && error === stopping.signal.reason))
			throw new Error("The export was stopped. Nothing was written.");
		throw error;
	} finally {
		process.off("SIGINT", stop).off("SIGTERM", stop);
	}
}

function checkOptions(options: ExportOptions): void {
	if (options.writeConfig === true && !options.stack) {
		throw new Error(
			"--write-config needs to know the stack whose configuration it writes. Add --stack NAME; it is made if it does not exist.",
		);
	}
	if (options.stack !== undefined && options.writeConfig !== true)
		throw new Error("--stack is only used together with --write-config. Add that, or leave --stack out.");
}

function report(model: TeamModel, options: ExportOptions): void {
	for (const leftOut of model.leftOut) say(`warning: left out: ${leftOutLine(leftOut)}`);
	say(
		`Wrote ${count(model.schedules.length, "schedule")} and the settings of ${count(model.settings.length, "pipeline")} to ` +
			`"${options.out}". Its README.md says how to go on.`,
	);
	if (model.secrets.length === 0 || options.writeConfig === true) return;
	say("Values that may be secret are not in the code. In that folder, once it has a stack, run:");
	for (const command of secretCommands(model)) say(`  ${command}`);
}

const COMMAND_MILLIS = 120_000;

/** Stores the secrets, encrypted, in the configuration of the project's stack, which is made where it does not exist. */
async function storeSecrets(
	{ secrets }: TeamModel,
	folder: string,
	stack: string,
	signal: AbortSignal,
): Promise<void> {
	const pulumi = (args: readonly string[], problem: string, input?: string) =>
		runPulumi(args, { folder, input, signal, limitMillis: COMMAND_MILLIS }).catch((error: Error) => {
			throw new Error(
				`The project is written to "${folder}", but ${problem} in stack "${stack}": ${error.message} ` +
					"Its README.md has the commands to go on with.",
			);
		});
	await pulumi(["stack", "select", "--create", stack], "the stack could not be selected");
	const tick = counting("Storing secrets");
	for (const [index, { key, value }] of secrets.entries()) {
		const args = ["config", "set", "--secret", "--stack", stack, key];
		await pulumi(args, `the value of ${key} could not be stored`, value);
		tick(index + 1, secrets.length);
	}
	const where = relative(process.cwd(), folder) || ".";
	say(
		`Stored ${count(secrets.length, "secret")} in stack "${stack}". Next: cd ${JSON.stringify(where)}, and ` +
			"go on as its README.md says.",
	);
}

/** A line that counts up, where someone watches. */
const counting = (what: string) => (done: number, total: number) =>
	done < total ? progress.show(`${what}: ${done} of ${total}`) : progress.clear();
