import { onTestFinished } from "vitest";
import type { ClientOptions } from "../../src/api";
import { clientFor, type Exchange, startRawServer } from "./api-servers";

/** A server that answers as the test says, and a client of it; both until the test's end. */
export async function connect(answer: (exchange: Exchange) => void, options?: ClientOptions) {
	const server = await startRawServer(answer);
	const client = clientFor(server.url, options);
	onTestFinished(async () => {
		await client.close();
		await server.close();
	});
	return { server, client };
}
