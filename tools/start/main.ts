import { parseArgs } from "node:util";
import { EngineUnavailableError, ensureEngine } from "../engine";
import { tempFolder } from "../process/temp-folder";
import { repository } from "../repository";
import { createStack } from "../stack";
import { instructions } from "./by-hand";
import { serveDetached, serveHere } from "./local-server";
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
	const server = keep ? await serveDetached(data.path) : await serveHere();
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
		narrator.say(`\n${instructions({ stack, engine, server, folders: [stack.folder, data.path] })}`);
		return;
	}
	await destroy(stack, narrator);
	narrator.step("Stop the server and clean up");
	stack.dispose();
	await server.stop();
	data.remove();
	narrator.done("Done. `npm start -- --keep` leaves it all running for you to play with.");
}

const narrator = createNarrator();
process.once("SIGINT", () => narrator.failed("Interrupted: stopping and cleaning up."));
main(narrator).catch((error: unknown) => {
	const expected = error instanceof TourError || error instanceof EngineUnavailableError;
	narrator.failed(error instanceof Error ? error.message : String(error));
	if (!expected && error instanceof Error) console.error(error.stack);
	// Ends the server and whatever else still runs; the exit handlers clean up.
	process.exit(1);
});
