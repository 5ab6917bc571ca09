import { copyFileSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createClient, resolveConnection } from "../../src/client";
import { type LocalServer, manualClock, startServer } from "../../src/server";
import { shellWord } from "../../src/text/report";
import { type Engine, ensureEngine } from "../engine";
import { run } from "../process/run";
import { tempFolder } from "../process/temp-folder";
import { linkCommand, linkPackages, repository } from "../repository";
import { stackEnvironment } from "../stack/environment";

/** A command as typed, and everything that it wrote to its terminal. */
export interface Scene {
	readonly name: string;
	readonly command: string;
	readonly output: string;
}

/** Of the terminal that the commands see. */
export const COLUMNS = 132;

/** When it plays, as far as the server tells the time. */
const NOW = "2026-01-15T09:00:00Z";

/** What the commands left: scenes on a terminal, and the page of `drift --html`. */
interface Played {
	readonly scenes: readonly Scene[];
	readonly driftPage: string;
}

/** The quickstart deployed, changed behind Pulumi's back, and looked at: real commands on a real terminal. */
export async function playScenes(): Promise<Played> {
	const engine = await ensureEngine();
	const server = await startServer({ clock: manualClock(NOW) });
	const folder = tempFolder("screenshots-project-");
	try {
		const project = join(folder.path, "quickstart");
		const { env } = stackEnvironment(folder.path, engine, {
			...server.environment,
			TERM: "xterm-256color",
		});
		makeProject(project, engine);
		const typed = (name: string, command: string, codes = [0]) =>
			onTerminal(name, command, { cwd: project, env: pictured(env), codes });
		await typed("", "pulumi stack init dev");
		const up = await typed("up", "pulumi up --yes");
		await changeBehindTheBack(server);
		const drift = await typed("drift", "npx pulumi-datachain drift", [2]);
		await typed("", "npx pulumi-datachain drift --html drift.html", [2]);
		const forecast = await typed(
			"forecast",
			`npx pulumi-datachain forecast --live --from ${NOW}`,
		);
		const driftPage = readFileSync(join(project, "drift.html"), "utf8");
		return { scenes: [up, drift, forecast], driftPage };
	} finally {
		folder.remove();
		await server.close();
	}
}

/** A project as `pulumi new typescript` and `npm install` leave it, with the quickstart's program. */
function makeProject(project: string, engine: Engine): void {
	linkPackages(project, "@pulumi/pulumi", "typescript", "ts-node", "pulumi-datachain");
	linkCommand(project);
	symlinkSync(engine.command, join(project, "node_modules", ".bin", "pulumi"));
	copyFileSync(
		join(repository, "examples", "quickstart", "index.ts"),
		join(project, "index.ts"),
	);
	copyFileSync(
		join(repository, "examples", "quickstart", "tsconfig.json"),
		join(project, "tsconfig.json"),
	);
	writeFileSync(join(project, "Pulumi.yaml"), "name: quickstart\nruntime: nodejs\n");
	writeFileSync(
		join(project, "package.json"),
		'{ "name": "quickstart", "private": true, "main": "index.ts" }\n',
	);
}

/** With the colours that the pictures are for, and without what this machine's npm would say of its own settings. */
function pictured(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
	const plain = Object.entries(env).filter(
		([name]) => name !== "NO_COLOR" && !name.startsWith("npm_"),
	);
	return {
		...Object.fromEntries(plain),
		npm_config_userconfig: "/dev/null",
		npm_config_update_notifier: "false",
		npm_config_progress: "false",
	};
}

/** Somebody else edits the schedule and the settings in the web UI. */
async function changeBehindTheBack({ environment }: LocalServer): Promise<void> {
	const client = createClient(resolveConnection({ env: environment }));
	try {
		const nightly = (await client.schedules.list()).find((item) =>
			item.schedule_name?.endsWith("nightly"),
		);
		if (nightly === undefined) throw new Error("The quickstart made no schedule.");
		await client.schedules.update({
			schedule_id: nightly.id,
			cron_expression: "30 5 * * 1",
		});
		await client.pipelines.settings({
			pipeline_name: "rusty-vise",
			python_version: "3.10",
		});
	} finally {
		await client.close();
	}
}

interface Place {
	readonly cwd: string;
	readonly env: NodeJS.ProcessEnv;
	readonly codes: readonly number[];
}

/** `script` gives the command a terminal of its own. */
async function onTerminal(
	name: string,
	command: string,
	{ cwd, env, codes }: Place,
): Promise<Scene> {
	const sized = `stty cols ${COLUMNS} rows 60; PATH=${shellWord(join(cwd, "node_modules", ".bin"))}:"$PATH"; ${command}`;
	const result = await run("script", ["-qec", sized, "/dev/null"], {
		cwd,
		env,
		timeoutMs: 300_000,
	});
	if (codes.includes(result.code)) return { name, command, output: result.stdout };
	throw new Error(
		`\`${command}\` ended with ${result.code}:\n${result.stdout}${result.stderr}`,
	);
}
