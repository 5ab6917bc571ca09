import { spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { rootPageUrl } from "../../src/board/root-page";
import { ServerFolder } from "../../src/commands/server-folder";
import { exportLines } from "../../src/commands/terminal";
import { shellWord } from "../../src/text/report";
import { type Engine, EngineUnavailableError, ensureEngine } from "../engine";
import { onExit } from "../process/cleanup";
import { killTree } from "../process/kill-tree";
import { tempFolder } from "../process/temp-folder";
import { repository } from "../repository";
import { createStack, type Stack } from "../stack";
import { createNarrator, type Narrator } from "./terminal";
import { destroy, TourError, tour } from "./tour";

/** Everything after the engine is there takes well under a minute; this ends a run that hangs. */
const tourMs = 10 * 60_000;

const usage = `npm start             a tour: create, drift, repair, destroy, against a local server
npm start -- --keep   the same without the destruction; leaves server and stack for you`;

async function main(narrator: Narrator): Promise<void> {
	const { values } = parseArgs({
		options: { keep: { type: "boolean" }, help: { type: "boolean", short: "h" } },
	});
	if (values.help) return console.log(usage);
	const keep = values.keep === true;

	narrator.step("Find the Pulumi engine");
	const engine = await ensureEngine();
	narrator.done(`Pulumi ${engine.version} from ${engine.binDir}`);
	setTimeout(() => {
		narrator.failed(`Not done after ${tourMs / 60_000} minutes; giving up.`);
		process.exit(1);
	}, tourMs).unref();

	narrator.step("Start a local DataChain Studio");
	const data = tempFolder("pulumi-datachain-server-");
	const server = await startServer(data.path);
	narrator.done(
		`${server.environment.DATACHAIN_STUDIO_URL}, team ${server.environment.DATACHAIN_STUDIO_TEAM}`,
	);
	const stack = await createStack({
		projectDir: repository,
		engine,
		// The types of the program are checked with the rest; here each command would check them again.
		env: { ...server.environment, PULUMI_NODEJS_TRANSPILE_ONLY: "true" },
		onCommand: narrator.command,
		onOutput: narrator.output,
	});
	await tour(stack, narrator);
	if (keep) {
		for (const kept of [stack, server, data]) kept.keep();
		narrator.say(
			`\n${instructions({ stack, engine, server, folders: [stack.folder, data.path] })}`,
		);
		return;
	}
	await destroy(stack, narrator);
	narrator.step("Stop the server and clean up");
	stack.dispose();
	server.stop();
	data.remove();
	narrator.done(
		"Done. `npm start -- --keep` leaves it all running for you to play with.",
	);
}

type TeamServer = Awaited<ReturnType<typeof startServer>>;

/** `pulumi-datachain serve` as a process of its own, with its data in `folder`. */
async function startServer(folder: string) {
	const errors = join(folder, "server-errors.log");
	// A file, not a pipe: a pipe would break when this process ends, and take the server with it.
	const stderr = openSync(errors, "w", 0o600);
	const command = [
		join(repository, "dist", "commands", "main.js"),
		"serve",
		"--keep",
		folder,
	];
	const child = spawn(process.execPath, command, {
		stdio: ["ignore", "ignore", stderr],
		detached: true,
	});
	closeSync(stderr);
	const { pid } = child;
	if (pid === undefined)
		throw new Error("The local server could not be started: Node.js did not run.");
	const withdraw = onExit(() => killTree(pid));
	child.unref();
	const environment = await new ServerFolder(folder).running().catch((error: Error) => {
		throw new Error(
			`The local server did not start. ${readFileSync(errors, "utf8").trim() || error.message}`,
		);
	});
	const stop = () => {
		withdraw();
		killTree(pid);
	};
	/** `keep` lets the server outlive this process. */
	return { environment, pid, stop, keep: withdraw };
}

interface Kept {
	readonly stack: Stack;
	readonly engine: Engine;
	readonly server: TeamServer;
	/** Everything that is left on disk. */
	readonly folders: readonly string[];
}

/** The lines to paste into a shell to go on where the tour ended. */
function instructions({ stack, engine, server, folders }: Kept): string {
	const { environment } = server;
	const variables = { ...environment, ...stack.ownEnv };
	const exports = [exportLines(variables).trimEnd()];
	if (engine.source !== "PATH")
		exports.push(`export PATH=${shellWord(engine.binDir)}:"$PATH"`);
	const flags = `--stack ${stack.name} --config-file ${shellWord(stack.configFile)}`;
	return [
		"The server and the stack are still there. To go on by hand, paste this into a shell:",
		"",
		`cd ${shellWord(stack.projectDir)}`,
		...exports,
		"",
		"Then, for example (the program is examples/quickstart/index.ts):",
		"",
		`pulumi preview --diff ${flags}`,
		`pulumi up ${flags}`,
		`pulumi refresh ${flags}`,
		`pulumi destroy ${flags}`,
		"",
		"To see the team in a browser, open:",
		"",
		rootPageUrl(environment.DATACHAIN_STUDIO_URL, environment.DATACHAIN_STUDIO_TOKEN),
		"",
		"To stop the server and remove everything:",
		"",
		`kill ${server.pid}; rm -rf ${folders.map(shellWord).join(" ")}`,
	].join("\n");
}

const narrator = createNarrator();
process.once("SIGINT", () => narrator.failed("Interrupted: stopping and cleaning up."));
main(narrator).catch((error: unknown) => {
	const expected =
		error instanceof TourError || error instanceof EngineUnavailableError;
	narrator.failed(error instanceof Error ? error.message : String(error));
	if (!expected && error instanceof Error) console.error(error.stack);
	// Ends the server and whatever else still runs; the exit handlers clean up.
	process.exit(1);
});
