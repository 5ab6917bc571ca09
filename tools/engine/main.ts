import { EngineUnavailableError, ensureEngine } from ".";

/** `npx ts-node tools/engine/main.ts` prints the engine's folder, to be put on PATH by hand. */
async function main(): Promise<void> {
	const engine = await ensureEngine();
	console.error(`Pulumi ${engine.version} (${engine.source})`);
	console.log(engine.binDir);
}

main().catch((error: unknown) => {
	console.error(error instanceof EngineUnavailableError ? error.message : error);
	process.exitCode = 1;
});
