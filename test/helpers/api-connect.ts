import { beforeEach, onTestFinished } from "vitest";
import {
	type ClientOptions,
	createClient,
	type DataChainClient,
	resolveConnection,
} from "../../src/client";
import { Clock } from "../../src/client/clock";
import { clientFor, type RawServer, startRawServer } from "./api-servers";
import type { Exchange } from "./raw-server";

/** A server that answers as the test says, and a client of it; both until the test's end. */
export async function connect(
	answer: (exchange: Exchange) => void,
	options?: ClientOptions,
) {
	const server = await startRawServer(answer);
	return { server, client: clientFor(server.url, options) };
}

/** The server that the test has for itself, and a client of it. */
export let server: RawServer;
export let client: DataChainClient;
let answer: (exchange: Exchange) => void;

/** Gives each test of the file a server, which answers like this until the test says otherwise. */
export function freshServer(
	first: (exchange: Exchange) => void,
	options?: ClientOptions,
): void {
	beforeEach(async () => {
		answer = first;
		({ server, client } = await connect((exchange) => answer(exchange), options));
	});
}
export const answerWith = (next: (exchange: Exchange) => void): void => {
	answer = next;
};

/** The clock of a call, until the test's end. */
export function clockOf(millis = 60_000, ...signals: AbortSignal[]): Clock {
	const clock = new Clock(millis, ...signals);
	onTestFinished(() => clock.close());
	return clock;
}

/** A client as users make it, of what these variables name. */
export const clientOf = (env: NodeJS.ProcessEnv): DataChainClient =>
	createClient(resolveConnection({ env }));

/** The same, which ends with the test. */
export function clientOfTest(env: NodeJS.ProcessEnv): DataChainClient {
	const client = clientOf(env);
	onTestFinished(() => client.close());
	return client;
}
