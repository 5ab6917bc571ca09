import { onTestFinished } from "vitest";
import { type ServerOptions, startServer } from "../../src/server";
import { createStack } from "../../tools/stack";
import { testEngine } from "./engine";

/** Config values that the programs of the examples and pages read. */
export const EXAMPLE_CONFIG = {
	labelingApiKey: "an-example-key",
	s3Key: "an-example-key",
	s3Secret: "an-example-secret",
	serviceAccountKey: JSON.stringify({ type: "service_account", project_id: "example" }),
	azureAccount: "images",
	azureKey: "an-example-key",
	hubToken: "hf_example",
};

/** A local server, and a stack of the project's own program on it; both end with the test. */
export async function stackOf(
	projectDir: string,
	env: NodeJS.ProcessEnv = {},
	options: ServerOptions = {},
) {
	const server = await startServer(options);
	onTestFinished(() => server.close());
	const engine = await testEngine();
	const stack = await createStack({
		projectDir,
		engine,
		env: { ...server.environment, ...env },
	});
	onTestFinished(stack.dispose);
	return { server, stack };
}
