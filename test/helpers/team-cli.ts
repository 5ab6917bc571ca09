import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { type LocalServer, startServer } from "../../src/server";
import { tempFolder } from "../../tools/process/temp-folder";
import { runCli } from "./drift-cli";
import { apiOf } from "./server-harness";
import { spawnCli } from "./server-process";

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
		start: (...args: string[]) => spawnCli(args, server.environment),
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
		jobOf: async (id: string) => (await apiOf(server).get(`/jobs/?job_id=${id}`)).at("0"),
	};
}
