import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { emptyTeam, type TeamState } from "../../src/server/state";
import { type Answer, KEY_HEADER } from "../../src/team/snapshot";
import { type BoardServer, serverWith } from "../../test/helpers/board-team";
import { operatorTeam } from "../../test/helpers/operator-team";
import { ensureEngine } from "../../tools/engine";
import { markdownTable } from "../../tools/matrix/table";
import { exitWith } from "../../tools/process/exit-with";
import { signalQuietly } from "../../tools/process/kill-tree";
import { start } from "../../tools/process/run";
import { repository } from "../../tools/repository";
import { stackEnvironment } from "../../tools/stack/environment";
import { endedChildrenMs } from "../cpu-time";
import { importStack } from "./large-stack";

const { values: options } = parseArgs({
	options: {
		schedules: { type: "string", default: "5000" },
		jobs: { type: "string", default: "20000" },
		/** Milliseconds that the service takes for each request, beyond the work of the local server. */
		latency: { type: "string", default: "50" },
		/** Variables that `export --write-config` stores. */
		values: { type: "string", default: "900" },
		/** Built checkout of another version, measured in turns with this one. */
		other: { type: "string" },
		only: { type: "string", multiple: true },
	},
});

interface Measured {
	readonly title: string;
	readonly team: TeamState;
	readonly args: readonly string[];
	/** Whether the command runs in the folder of a project whose stack manages every schedule. */
	readonly hasStack?: boolean;
}

/** What a page of the board gets: the first rows, or everything. */
type BoardMoment = "first page" | "all pipelines";

async function main(): Promise<number> {
	const schedules = Number(options.schedules);
	const large = operatorTeam(Date.now(), {
		schedules,
		runsOfEach: 1,
		jobs: Number(options.jobs) - schedules,
	});
	const small = operatorTeam(Date.now(), {
		schedules: Number(options.values) / 3,
		variablesOfEach: 3,
	});
	const measured: readonly Measured[] = [
		{ title: "forecast --live", team: large, args: ["forecast", "--live"] },
		{
			title: "forecast --live, in the stack's project",
			team: large,
			args: ["forecast", "--live"],
			hasStack: true,
		},
		{ title: "export", team: large, args: ["export"] },
		{ title: "drift", team: large, args: ["drift"], hasStack: true },
		{ title: "board", team: large, args: ["board", "--no-open"] },
		{
			title: "board, in the stack's project",
			team: large,
			args: ["board", "--no-open"],
			hasStack: true,
		},
		{
			title: `export --write-config, ${options.values} values`,
			team: small,
			args: ["export", "--language", "yaml", "--write-config", "--stack", "dev"],
		},
	];
	const wanted = measured.filter(
		({ title }) => options.only?.some((part) => title.startsWith(part)) ?? true,
	);
	const builds = [
		["this", repository],
		...(options.other ? [["other", options.other]] : []),
	];
	console.error(`${cpus().length} cores, ${options.latency} ms a request`);
	await measure("", { title: "plain HTTP lists", team: large, args: [] });
	for (const one of wanted)
		for (const [name = "", folder = ""] of builds) await measure(name, one, folder);
	const heads = ["command", "build", "requests", "CPU s", "wall s", "exit", "load"];
	console.log(markdownTable(heads, rows));
	return 0;
}

const rows: string[][] = [];

function note(...cells: readonly (string | number)[]): void {
	const row = cells.map(String);
	rows.push(row);
	console.error(row.join(" | "));
}

/** Runs a command of a build against a server of its own, and notes what it cost. */
async function measure(
	build: string,
	{ title, team, args, hasStack }: Measured,
	checkout = repository,
): Promise<void> {
	const folder = mkdtempSync(join(tmpdir(), "bench-commands-"));
	const server = await serverWith({ ...emptyTeam("vision"), ...team }, Date.now(), {
		faults: true,
	});
	const ms = Number(options.latency);
	server.faults.add({ endpoint: "*", kind: "delay", ms, times: 1_000_000 });
	try {
		const engine = await ensureEngine();
		const { env } = stackEnvironment(folder, engine, server.environment);
		if (hasStack)
			writeFileSync(join(folder, "Pulumi.yaml"), "name: bench\nruntime: yaml\n");
		const baseUrl = `${server.url}/api`;
		if (hasStack)
			await importStack(team, { folder, env, pulumi: engine.command, baseUrl });
		const [load] = loadavg();
		const command =
			args.length > 0
				? [resolve(checkout, "dist", "commands", "main.js"), ...args]
				: [join(__dirname, "plain-lists.mjs")];
		const [began, cpuBefore] = [performance.now(), endedChildrenMs()];
		const running = start(process.execPath, command, {
			cwd: folder,
			env,
			timeoutMs: 1_800_000,
			onOutput: args[0] === "board" ? (chunk) => void printed.push(chunk) : undefined,
		});
		const printed: string[] = [];
		const moments = new Map<BoardMoment, { seconds: string; requests: number }>();
		if (args[0] === "board") {
			await watchBoard(printed, server, (moment, requests) => {
				moments.set(moment, { seconds: secondsSince(began), requests });
			});
			signalQuietly(running.pid ?? 0, "SIGTERM");
		}
		const { code, stderr } = await running.finished;
		const cpu = (((endedChildrenMs() ?? 0) - (cpuBefore ?? 0)) / 1_000).toFixed(1);
		const first = moments.get("first page");
		if (first !== undefined)
			note(
				`${title}: first page`,
				build,
				first.requests,
				"",
				first.seconds,
				"",
				(load ?? 0).toFixed(1),
			);
		const last = moments.get("all pipelines");
		const what = last === undefined ? title : `${title}: all pipelines`;
		const requests = last?.requests ?? server.requests.count();
		note(
			what,
			build,
			requests,
			cpu,
			last?.seconds ?? secondsSince(began),
			code,
			(load ?? 0).toFixed(1),
		);
		if (code !== 0) console.error(stderr.slice(-500));
	} finally {
		await server.close();
		rmSync(folder, { recursive: true, force: true });
	}
}

const secondsSince = (began: number): string =>
	((performance.now() - began) / 1_000).toFixed(1);

const PATIENCE_MILLIS = 900_000;

/** Asks as a page does, and tells when it has the first rows and when nothing is missing. */
async function watchBoard(
	printed: readonly string[],
	{ requests }: BoardServer,
	tell: (moment: BoardMoment, requests: number) => void,
): Promise<void> {
	const until = performance.now() + PATIENCE_MILLIS;
	let since = "";
	let hasRows = false;
	while (performance.now() < until) {
		const address = /^http\S+/m.exec(printed.join(""))?.[0];
		if (address === undefined) {
			await sleep(50);
			continue;
		}
		const { origin, searchParams } = new URL(address);
		const headers = { [KEY_HEADER]: searchParams.get("key") ?? "" };
		// On a busy machine the board may have closed the connection just before it is used again; a page asks again, too.
		const page = await fetch(`${origin}/board/data?since=${since}`, { headers }).catch(
			() => undefined,
		);
		if (page === undefined) continue;
		const answer = (await page.json()) as Answer;
		since = answer.revision;
		if (!hasRows && answer.rows.schedules !== undefined && answer.asOf > 0) {
			hasRows = true;
			tell("first page", requests.count());
		}
		if (hasRows && answer.notes.every((text) => !text.includes("known so far")))
			return tell("all pipelines", requests.count());
		await sleep(250);
	}
	throw new Error("The board did not learn every pipeline in time.");
}

exitWith(main());
