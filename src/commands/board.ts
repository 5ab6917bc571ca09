import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { Board } from "../board/board";
import { boardUrl, listen } from "../board/http";
import type { ProjectFacts } from "../board/team";
import { type ConnectionSources, resolveConnection } from "../client";
import { checkDrift } from "../team/drift-check";
import { schedulesByUrn } from "../team/forecast-schedules";
import { readIgnoreFile } from "../team/ignore-file";
import { managedPipelines } from "../team/managed-pipelines";
import { explainStart, PORT } from "./listening";
import { findProject } from "./project-file";
import { connectionSources, readStack } from "./pulumi-cli";
import { aborted, interruptible, progress, say } from "./terminal";

interface BoardOptions {
	team?: string;
	stack?: string;
	port?: number;
	open: boolean;
}

export const define = (command: Command): Command =>
	command
		.option("--team <name>", "team to show (default: the connection's)")
		.option(
			"-s, --stack <name>",
			"stack to compare the team with (default: the selected one)",
		)
		.option(...PORT)
		.option("--no-open", "do not open a browser")
		.addHelpText("after", EXAMPLES)
		.action(board);

const EXAMPLES = `
Serves the page to this machine alone until Ctrl-C, and changes nothing. The key in the address lets a browser in; the
token stays here. In the folder of a Pulumi project the page also shows drift and unmanaged objects.

Examples:
  $ pulumi-datachain board
  $ pulumi-datachain board --team vision --port 8080 --no-open
`;

const board = (options: BoardOptions): Promise<void> =>
	interruptible((signal) => serveBoard(options, signal));

async function serveBoard(options: BoardOptions, signal: AbortSignal): Promise<void> {
	const { port = 0 } = options;
	const sources = await connectionSources({
		explicit: { teamName: options.team },
		stack: options.stack,
		signal,
	});
	const connection = resolveConnection(sources);
	const hasProject = findProject(process.cwd()) !== undefined;
	const page = new Board(connection, {
		signal,
		service: connection.baseUrl,
		// npm tells its own command to what it runs.
		typing: {
			runner: process.env.npm_command === "exec" ? "npx" : undefined,
			team: options.team,
			stack: options.stack,
		},
		project: hasProject
			? () => readProject(options, sources, connection.teamName, signal)
			: undefined,
	});
	const key = randomBytes(24).toString("base64url");
	try {
		const listening = await listen(page, key, port).catch((error: unknown) => {
			throw explainStart(error, { port });
		});
		const address = boardUrl(listening.url, key);
		// The browser takes a moment to start, in which the team can be read.
		page.refresh();
		process.stdout.write(`${address}\n`);
		if (process.stdout.isTTY)
			say(
				`The board of team "${connection.teamName}" is at this address until Ctrl-C.`,
			);
		const opened =
			options.open && process.stdout.isTTY ? openBrowser(address) : undefined;
		await aborted(signal);
		opened?.remove();
		await listening.close();
	} finally {
		await page.close();
	}
}

/** The stack of the folder: which schedules it manages, and how the team differs from it. */
async function readProject(
	{ stack }: BoardOptions,
	sources: ConnectionSources,
	teamName: string,
	signal: AbortSignal,
): Promise<ProjectFacts> {
	const { state } = await readStack({ stack, signal });
	progress.clear();
	const drift = await checkDrift({ state, sources, ignore: readIgnoreFile() });
	const own = [...schedulesByUrn(state, teamName).values()].filter(
		({ team }) => team === teamName,
	);
	const managed = new Map(
		own.flatMap((schedule) => (schedule.id === null ? [] : [[schedule.id, schedule]])),
	);
	const pipelines = managedPipelines(state, {
		baseUrl: resolveConnection(sources).baseUrl,
		teamName,
	});
	return { stack: state.stack, managed, pipelines, drift };
}

const OPENERS: Partial<Record<NodeJS.Platform, readonly string[]>> = {
	darwin: ["open"],
	win32: ["cmd", "/c", "start", ""],
};

/** Opens a file that leads to the address: in the arguments of a process every user of the machine could read the key. */
function openBrowser(address: string): { remove(): void } {
	const folder = mkdtempSync(join(tmpdir(), "datachain-board-"));
	const file = join(folder, "board.html");
	const html = `<!doctype html><title>DataChain board</title><meta http-equiv="refresh" content="0;url=${address}"><a href="${address}">Open the board</a>`;
	writeFileSync(file, html, { mode: 0o600 });
	const [command = "xdg-open", ...args] = OPENERS[process.platform] ?? [];
	// Whoever has no browser here has the printed address.
	spawn(command, [...args, file], { stdio: "ignore", detached: true })
		.on("error", () => {})
		.unref();
	return { remove: () => rmSync(folder, { recursive: true, force: true }) };
}
