import {
	lstat,
	mkdir,
	mkdtemp,
	readdir,
	readFile,
	realpath,
	rename,
	rm,
	writeFile,
} from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { type Command, Option } from "commander";
import { AbortedError, type DataChainClient } from "../client";
import { listAllPipelines } from "../operations/lists";
import { pipelinesByName, SHOWN_SETTINGS } from "../schemas/pipeline-status";
import type { Pipeline } from "../schemas/wire/pipeline";
import { many } from "../text/report";
import { matchesGlob } from "../text/suggest";
import { type LiveTeam, modelOf, type TeamModel } from "./export/model";
import {
	LANGUAGES,
	type Language,
	leftOutLine,
	renderProject,
	secretCommands,
} from "./export/project";
import { runPulumi } from "./pulumi-cli";
import { askEach, readSchedules, withSession } from "./session";
import { type RunPulumi, storeConfig } from "./store-config";
import { collect, notify, ownManifest, progress, say } from "./terminal";

interface ExportOptions {
	out: string;
	language: Language;
	filter?: string[];
	team?: string;
	force?: boolean;
	retain?: boolean;
	plainValues?: boolean;
	writeConfig?: boolean;
	stack?: string;
}

export const define = (command: Command): Command =>
	command
		.option("--out <folder>", "where to write the project", "./datachain-team")
		.option(
			"--filter <glob>",
			"only schedules whose name matches; * is any characters, ? one; repeatable",
			collect,
		)
		.option(
			"--team <name>",
			"team to export, written into the program (default: the connection's)",
		)
		.option(
			"--force",
			"write into a folder that is not empty; files of an earlier export are replaced",
		)
		.addOption(
			new Option("--language <name>", "language of the project")
				.choices(LANGUAGES)
				.default("typescript"),
		)
		.option(
			"--retain",
			"keep schedules on the service when their resources are deleted",
		)
		.option(
			"--plain-values",
			"leave environment values that look like no secret in the code",
		)
		.option(
			"--write-config",
			"store the secrets in the configuration of --stack, with the Pulumi CLI",
		)
		.option(
			"-s, --stack <name>",
			"stack for --write-config; created if it does not exist",
		)
		.addHelpText("after", EXAMPLES)
		.action(exportTeam);

const EXAMPLES = `
Reads from the service, never writes to it. The connection comes from DATACHAIN_STUDIO_URL, DATACHAIN_STUDIO_TOKEN and
DATACHAIN_STUDIO_TEAM, and for those that are not set, from the config of the selected Pulumi stack.
Environment values go to the stack's configuration, not into the code.

Exit codes: 0 written, 1 error; then nothing was written, unless the message says so.

Examples:
  $ pulumi-datachain export
  $ pulumi-datachain export --out infra/datachain --filter "nightly-*" --filter "weekly-*"
  $ pulumi-datachain export --language python --out infra
  $ pulumi-datachain export --write-config --stack dev && cd datachain-team && npm install && pulumi preview
`;

/** Writes the live team as a Pulumi project. Only reads from the service. */
async function exportTeam(options: ExportOptions): Promise<void> {
	checkOptions(options);
	const folder = await checkTarget(options.out, options.force === true);
	return withSession({ team: options.team }, async ({ client, interrupt }) => {
		try {
			await exportTo(folder, client, interrupt, options);
		} catch (error) {
			if (
				error instanceof AbortedError ||
				(interrupt.aborted && error === interrupt.reason)
			)
				throw new Error("The export was stopped. Nothing was written.");
			throw error;
		}
	});
}

async function exportTo(
	folder: string,
	client: DataChainClient,
	interrupt: AbortSignal,
	options: ExportOptions,
): Promise<void> {
	const team = await readTeam(client, options.filter ?? []);
	const retain = options.retain === true;
	const model = modelOf(team, {
		teamName: options.team,
		plainValues: options.plainValues,
		retain,
		yaml: options.language === "yaml",
	});
	interrupt.throwIfAborted();
	const { version: provider, peerDependencies } = ownManifest();
	const versions = { provider, sdk: peerDependencies["@pulumi/pulumi"] };
	const { language } = options;
	const files = renderProject(model, {
		teamName: client.teamName,
		language,
		retain,
		stack: options.stack,
		versions,
	});
	await writeProject(folder, files);
	report(model, options);
	if (options.stack !== undefined)
		await storeSecrets(model, folder, options.stack, interrupt);
}

function checkOptions(options: ExportOptions): void {
	if (options.writeConfig === true && !options.stack) {
		throw new Error(
			"--write-config needs to know the stack whose configuration it writes. Add --stack NAME; it is created if it does not exist.",
		);
	}
	if (options.stack !== undefined && options.writeConfig !== true)
		throw new Error(
			"--stack is only used together with --write-config. Add that, or leave --stack out.",
		);
}

function report(model: TeamModel, options: ExportOptions): void {
	for (const leftOut of model.leftOut)
		say(`warning: left out: ${leftOutLine(leftOut)}`);
	notify(
		`Wrote ${many(model.schedules.length, "schedule")} and the settings of ${many(model.settings.length, "pipeline")} to ` +
			`"${options.out}". Its README.md has the next steps.`,
	);
	if (model.secrets.length === 0 || options.writeConfig === true) return;
	notify(
		"Values that may be secret are not in the code. In that folder, once it has a stack, run:",
	);
	for (const command of secretCommands(model)) notify(`  ${command}`);
}

/** Stores the secrets, encrypted, in the configuration of the project's stack, which is created if it does not exist. */
async function storeSecrets(
	{ secrets }: TeamModel,
	folder: string,
	stack: string,
	signal: AbortSignal,
): Promise<void> {
	const pulumi: RunPulumi = (args, problem, options = {}) =>
		runPulumi(args, { folder, signal, ...options }).catch((error: Error) => {
			throw new Error(
				`The project is written to "${folder}", but ${problem} in stack "${stack}": ${error.message} ` +
					"Its README.md has the next commands.",
			);
		});
	await pulumi(
		["stack", "select", "--create", stack],
		"the stack could not be selected",
	);
	notify(`Storing ${many(secrets.length, "secret")} in stack "${stack}".`);
	await withoutDeclarations(folder, () => storeConfig({ secrets, stack, run: pulumi }));
	const where = relative(process.cwd(), folder) || ".";
	notify(
		`Stored ${many(secrets.length, "secret")} in stack "${stack}". Next: cd ${JSON.stringify(where)}, and ` +
			"follow its README.md.",
	);
}

/** In a YAML project, the values that it declares: up to the next line that is not indented. */
const DECLARATIONS = /^config:\n(?:[ \t].*\n)*/m;

/**
 * For each value that it stores, the CLI checks all values that a YAML project declares: 900 took minutes. So it is shown
 * the project without its declarations meanwhile. The resources stay: after a kill, the next `pulumi up` would delete
 * what the program no longer has.
 */
async function withoutDeclarations(
	folder: string,
	work: () => Promise<void>,
): Promise<void> {
	const path = join(folder, "Pulumi.yaml");
	const project = await readFile(path, "utf8");
	const undeclared = project.replace(DECLARATIONS, "");
	if (undeclared === project) return work();
	await writeFile(path, undeclared);
	try {
		await work();
	} finally {
		await writeFile(path, project);
	}
}

/**
 * Reads the schedules and the pipelines they run. The list names no pipelines, so each schedule is asked for. What is
 * deleted meanwhile is left out. `filters` are patterns for the names of schedules, none for all of them.
 */
async function readTeam(
	client: DataChainClient,
	filters: readonly string[],
): Promise<LiveTeam> {
	const all = await client.schedules.list();
	const wanted = all.filter(
		({ schedule_name: name }) =>
			filters.length === 0 || filters.some((filter) => matchesGlob(filter, name ?? "")),
	);
	if (all.length > 0 && wanted.length === 0) {
		throw new Error(
			`No schedule of team "${client.teamName}" matches ${filters.map((filter) => JSON.stringify(filter)).join(", ")}; ` +
				`it has ${all.length}. In --filter, * stands for any characters and ? for one. Nothing was written.`,
		);
	}
	const schedules = await readSchedules(client, wanted);
	const names = [...new Set(schedules.flatMap(({ pipeline }) => pipeline?.name || []))];
	return { all, schedules, pipelines: await readPipelines(client, names) };
}

/** The pipelines of these names: as the list shows them, which is what the provider reads too, or else asked for one by one. */
async function readPipelines(
	client: DataChainClient,
	names: readonly string[],
): Promise<Pipeline[]> {
	if (names.length === 0) return [];
	progress.step("Reading the list of pipelines…");
	const listed = pipelinesByName(await listAllPipelines(client));
	const isWhole = (name: string) =>
		SHOWN_SETTINGS.every((field) => listed.get(name)?.[field] !== undefined);
	const missing = names.filter((name) => !isWhole(name));
	const asked = await askEach("pipelines", missing, (name) =>
		client.pipelines.status({ name }),
	);
	const byName = new Map([
		...listed,
		...asked.map((pipeline) => [pipeline.name, pipeline] as const),
	]);
	const gone = new Set(
		missing.filter((name) => !asked.some((pipeline) => pipeline.name === name)),
	);
	return names.flatMap((name) => (gone.has(name) ? [] : (byName.get(name) ?? [])));
}

/** Refuses a folder that holds something, unless told otherwise. Returns where the project goes, links resolved. */
async function checkTarget(folder: string, force: boolean): Promise<string> {
	const path = await realpath(folder).catch(() => resolve(folder));
	const names = await readdir(path).catch((error: NodeJS.ErrnoException) => {
		if (error.code === "ENOENT") return [];
		const why = error.code === "ENOTDIR" ? "it is not a folder" : "it cannot be read";
		throw new Error(
			`Cannot write to "${folder}": ${why}. Choose another one with --out.`,
		);
	});
	if (names.length > 0 && !force) {
		throw new Error(
			`The folder "${folder}" is not empty. Choose another one with --out, or add --force to replace the files of an ` +
				"earlier export in it; its other files stay. Nothing was written.",
		);
	}
	return path;
}

/**
 * Writes everything to a new folder first, so that no failure leaves half a project. A new folder is then put in
 * place at once. Into one that exists the files are moved one by one: its stack settings and node_modules stay, and
 * nothing is written beside it, where that may not be allowed.
 */
async function writeProject(
	path: string,
	files: ReadonlyMap<string, string>,
): Promise<void> {
	try {
		const isThere = (await statOf(path)) !== undefined;
		if (!isThere) await mkdir(dirname(path), { recursive: true });
		const draft = await mkdtemp(
			join(isThere ? path : dirname(path), `.${basename(path)}-`),
		);
		// mkdtemp makes folders that only their owner can open; a project is made to be shared.
		const project = join(draft, "project");
		try {
			await mkdir(project);
			for (const [name, text] of files) await writeFile(join(project, name), text);
			await putInPlace(project, path, [...files.keys()]);
		} finally {
			await rm(draft, { recursive: true, force: true });
		}
	} catch (error) {
		if (!(error instanceof Error && "code" in error)) throw error;
		throw new Error(
			`The project could not be written to "${path}" (${error.code}). Check the folder and its permissions, or choose ` +
				"another one with --out.",
		);
	}
}

const statOf = (path: string) => lstat(path).catch(() => undefined);

async function putInPlace(
	project: string,
	path: string,
	names: readonly string[],
): Promise<void> {
	if ((await statOf(path)) === undefined) return rename(project, path);
	for (const name of names) {
		if ((await statOf(join(path, name)))?.isDirectory())
			throw new Error(
				`"${join(path, name)}" is a folder, but the project has a file of that name. Nothing was written.`,
			);
	}
	for (const name of names) await rename(join(project, name), join(path, name));
}
