import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, onTestFinished } from "vitest";
import { type LocalServer, startServer } from "../../src/server";
import { start } from "../../tools/process/run";
import { tempFolder } from "../../tools/process/temp-folder";
import { repository } from "../../tools/repository";
import { command, runCli } from "./cli";
import { apiOf, eventually } from "./server-harness";

/** The built command line, as users run it, still running; it ends with the test. */
export function startCli(
	args: readonly string[],
	env: NodeJS.ProcessEnv = {},
	cwd = repository,
) {
	/** So far. */
	const printed = { stdout: "", stderr: "" };
	const running = start(process.execPath, [command, ...args], {
		cwd,
		env: { ...process.env, ...env },
		timeoutMs: 300_000,
		onOutput: (chunk, stream) => {
			printed[stream] += chunk;
		},
	});
	onTestFinished(running.kill);
	return { ...running, printed };
}

/** `pulumi-datachain serve` as a process of its own, once it has said where it listens. */
export async function startServe(...args: readonly string[]) {
	const serve = startCli(["serve", ...args]);
	const { printed } = serve;
	await eventually(() => printed.stdout.split("\n").length > 3, 30_000);
	const exported = [...printed.stdout.matchAll(/^export (\w+)=(.*)$/gm)];
	const environment = Object.fromEntries(
		exported.map(([, name = "", value = ""]) => [name, value]),
	);
	const { DATACHAIN_STUDIO_URL: url = "", DATACHAIN_STUDIO_TOKEN: token = "" } =
		environment;
	return { ...serve, environment, url, token, team: environment.DATACHAIN_STUDIO_TEAM };
}

/** The built command line, with a server and a folder of scripts that last for the suite. */
export function teamCli(scripts: Readonly<Record<string, string>>) {
	let server: LocalServer;
	const { path: folder } = tempFolder("team-cli-");
	const file = (name: string) => join(folder, name);
	const written = (name: string, text: string): string => {
		writeFileSync(file(name), text);
		return file(name);
	};
	beforeAll(async () => {
		server = await startServer({ jobStepMillis: 50, faults: true });
		for (const [name, text] of Object.entries(scripts)) written(name, text);
	});
	afterEach(() => server.faults.clear());
	afterAll(() => server?.close());
	const cliAt = ({ environment }: LocalServer, ...args: string[]) =>
		runCli({ folder, env: { ...process.env, ...environment } }, args);
	const cli = (...args: string[]) => cliAt(server, ...args);
	return {
		get server() {
			return server;
		},
		file,
		written,
		cliAt,
		cli,
		/** The command, still running. */
		start: (...args: string[]) => startCli(args, server.environment),
		/** What it prints with --json; it must succeed and say nothing else. */
		json: async (...args: string[]) => {
			const result = await cli(...args, "--json");
			expect(result).toMatchObject({ code: 0, stderr: "" });
			return JSON.parse(result.stdout);
		},
		/** What it says; it must fail and print nothing. */
		fails: async (...args: string[]) => {
			const { code, stdout, stderr } = await cli(...args);
			expect([code, stdout], stderr).toEqual([1, ""]);
			return stderr;
		},
		jobOf: async (id: string) =>
			(await apiOf(server).get(`/jobs/?job_id=${id}`)).at("0"),
	};
}
