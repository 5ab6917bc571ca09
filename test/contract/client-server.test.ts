import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createClient, type DataChainClient, NotAuthenticatedError, NotAuthorizedError } from "../../src/api";
import { endpoints } from "../../src/schemas/endpoints";
import type { EndpointName } from "../../src/schemas/wire/endpoints";
import { type LocalServer, manualClock, startServer } from "../../src/server";
import { calls } from "../helpers/api-calls";
import { failureOf } from "../helpers/api-servers";

let server: LocalServer;

beforeAll(async () => {
	const tokens = [
		{ token: "reader", user: "reader", teams: ["vision"], read: true, write: false },
		{ token: "stranger", user: "stranger", teams: ["elsewhere"], read: true, write: true },
	];
	server = await startServer({ clock: manualClock(), tokens });
});
afterAll(() => server.close());

function as(token: string): DataChainClient {
	const client = createClient({ baseUrl: server.url, token, teamName: server.teamName });
	onTestFinished(() => client.close());
	return client;
}

describe("tokens and teams, on every endpoint", () => {
	const names = Object.keys(endpoints) as EndpointName[];
	const state = () => {
		const team = server.team(server.teamName);
		return JSON.stringify([team.schedules(), team.pipelines(), team.jobs()]);
	};

	test.each(names)(
		"%s: refused, and nothing done, with an unknown token, one of another team, and one that may only read",
		async (name) => {
			const before = state();
			expect(await failureOf(calls[name].run(as("unknown")))).toBeInstanceOf(NotAuthenticatedError);
			expect(await failureOf(calls[name].run(as("stranger")))).toBeInstanceOf(NotAuthorizedError);
			if (endpoints[name].access === "write")
				expect(await failureOf(calls[name].run(as("reader")))).toBeInstanceOf(NotAuthorizedError);
			expect(state()).toBe(before);
		},
	);
});
