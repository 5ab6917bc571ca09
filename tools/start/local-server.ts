import { spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startServer } from "pulumi-datachain/server";
import { onExit } from "../process/cleanup";
import { isAlive, killTree } from "../process/kill-tree";

export interface TeamServer {
	readonly environment: Readonly<Record<string, string>>;
	/** Of the server left running; none where it lives in this process. */
	readonly pid?: number;
	stop(): Promise<void>;
	/** Lets the server outlive this process. */
	keep(): void;
}

const variables = ["DATACHAIN_STUDIO_URL", "DATACHAIN_STUDIO_TOKEN", "DATACHAIN_STUDIO_TEAM"];
const startMs = 20_000;

/** A server in this process: nothing of it can be left behind. */
export async function serveHere(): Promise<TeamServer> {
	const server = await startServer();
	return { environment: { ...server.environment }, stop: () => server.close(), keep: () => {} };
}

/** `pulumi-datachain serve` as a process of its own, with its data in `folder`. */
export async function serveDetached(folder: string): Promise<TeamServer> {
	const main = resolve(__dirname, "..", "..", "dist", "commands", "main.js");
	const log = join(folder, "server.log");
	const errors = join(folder, "server-errors.log");
	// Files, not pipes: a pipe would break when this process ends, and take the server with it.
	const [stdout, stderr] = [openSync(log, "w", 0o600), openSync(errors, "w", 0o600)];
	const child = spawn(process.execPath, [main, "serve", "--data", join(folder, "server.json")], {
		stdio: ["ignore", stdout, stderr],
		detached: true,
	});
	closeSync(stdout);
	closeSync(stderr);
	const { pid } = child;
	if (pid === undefined) throw new Error("The local server could not be started: Node.js did not run.");
	const withdraw = onExit(() => killTree(pid));
	child.unref();
	const environment = await readEnvironment(log, errors, pid);
	return {
		environment,
		pid,
		keep: withdraw,
		stop: async () => {
			withdraw();
			killTree(pid);
		},
	};
}

async function readEnvironment(log: string, errors: string, pid: number): Promise<Record<string, string>> {
	const deadline = Date.now() + startMs;
	while (Date.now() < deadline && isAlive(pid)) {
		const pairs = readFileSync(log, "utf8")
			.split("\n")
			.flatMap((line): [string, string][] => {
				const [, name, value] = /^export (\w+)=(.+)$/.exec(line) ?? [];
				return name && value && variables.includes(name) ? [[name, value]] : [];
			});
		if (pairs.length === variables.length) return Object.fromEntries(pairs);
		await sleep(50);
	}
	const said = readFileSync(errors, "utf8").trim();
	throw new Error(
		`The local server did not start. ${said || `It printed no settings within ${startMs / 1000} s.`}`,
	);
}
