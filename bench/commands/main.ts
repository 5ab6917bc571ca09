import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { emptyTeam, type TeamState } from "../../src/server/state";
import { serverWith } from "../../test/helpers/board-team";
import { operatorTeam } from "../../test/helpers/operator-team";
import { ensureEngine } from "../../tools/engine";
import { run } from "../../tools/process/run";
import { repository } from "../../tools/repository";
import { stackEnvironment } from "../../tools/stack/environment";

const { values: options } = parseArgs({
	options: {
		schedules: { type: "string", default: "5000" },
		jobs: { type: "string", default: "20000" },
		/** Milliseconds that the service takes for each request, beyond the work of the local server. */
		latency: { type: "string", default: "50" },
		values: { type: "string", default: "900" },
		dist: { type: "string", default: join(repository, "dist") },
		only: { type: "string" },
	},
});

/** Runs a command against a team of its own, and says how many requests it sent and how long it took. */
async function measure(
	title: string,
	team: TeamState,
	args: readonly string[],
): Promise<void> {
	if (options.only !== undefined && !title.startsWith(options.only)) return;
	const folder = mkdtempSync(join(tmpdir(), "bench-commands-"));
	const server = await serverWith({ ...emptyTeam("vision"), ...team }, Date.now(), {
		faults: true,
	});
	server.faults.add({
		endpoint: "*",
		kind: "delay",
		ms: Number(options.latency),
		times: 1_000_000,
	});
	try {
		const { env } = stackEnvironment(folder, await ensureEngine(), server.environment);
		writeFileSync(join(folder, "Pulumi.yaml"), "name: bench\nruntime: yaml\n");
		const started = Date.now();
		const command = [resolve(options.dist, "commands", "main.js"), ...args];
		const { code, stderr } = await run(process.execPath, command, {
			cwd: folder,
			env,
			timeoutMs: 1_800_000,
		});
		const seconds = ((Date.now() - started) / 1_000).toFixed(1);
		console.log(
			`${title}: ${server.requests.count()} requests, ${seconds} s, exit code ${code}`,
		);
		if (code !== 0) console.log(stderr.slice(-500));
	} finally {
		await server.close();
		rmSync(folder, { recursive: true, force: true });
	}
}

/** What the same lists cost without a command: the least that any of them can take. */
async function plainLists(team: TeamState): Promise<void> {
	const server = await serverWith({ ...emptyTeam("vision"), ...team }, Date.now(), {
		faults: true,
	});
	server.faults.add({
		endpoint: "*",
		kind: "delay",
		ms: Number(options.latency),
		times: 1_000_000,
	});
	const started = Date.now();
	for (const path of [
		"pipeline/schedules",
		"pipeline/list?limit=10000",
		"jobs/?limit=1000",
	]) {
		const headers = { Authorization: `Bearer ${server.token}` };
		await (await fetch(`${server.url}/api/datachain/${path}`, { headers })).text();
	}
	console.log(
		`plain HTTP lists: 3 requests, ${((Date.now() - started) / 1_000).toFixed(1)} s`,
	);
	await server.close();
}

async function main(): Promise<void> {
	const schedules = Number(options.schedules);
	const large = operatorTeam(Date.now(), {
		schedules,
		runsOfEach: 1,
		jobs: Number(options.jobs) - schedules,
	});
	await plainLists(large);
	await measure("forecast --live", large, ["forecast", "--live"]);
	await measure("export", large, ["export"]);
	const small = operatorTeam(Date.now(), {
		schedules: Number(options.values) / 3,
		variablesOfEach: 3,
	});
	const args = ["export", "--language", "yaml", "--write-config", "--stack", "dev"];
	await measure("config", small, args);
}

void main();
