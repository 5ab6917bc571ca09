import { onTestFinished } from "vitest";
import { type ServerOptions, startServer } from "../../src/server";
import { createStack } from "../../tools/stack";
import { testEngine } from "./engine";

/** A local server, and a stack of the project's own program on it; both end with the test. */
export async function stackOf(projectDir: string, env: NodeJS.ProcessEnv = {}, options: ServerOptions = {}) {
	const server = await startServer(options);
	onTestFinished(() => server.close());
	const engine = await testEngine();
	const stack = await createStack({ projectDir, engine, env: { ...server.environment, ...env } });
	onTestFinished(stack.dispose);
	return { server, stack };
}
