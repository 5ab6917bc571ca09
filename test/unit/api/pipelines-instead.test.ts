import { describe, expect, test } from "vitest";
import { NotFoundError, ServerError } from "../../../src/api";
import { pipelinesInstead } from "../../../src/api/client";
import { callFacts } from "../../helpers/api-calls";
import { connect } from "../../helpers/api-connect";
import { failureOf, json } from "../../helpers/api-servers";

async function service(status: number, reply: unknown) {
	const { server, client } = await connect(({ response }) => json(response, status, reply), {
		maxAttempts: 1,
	});
	const instead = (error: unknown) => pipelinesInstead(client, { team_name: "other", name: "p" }, error);
	return { server, instead };
}

const unknown = (serverMessage?: string) => new NotFoundError(callFacts(), { status: 404, serverMessage });

describe("the error of an unknown pipeline", () => {
	test("lists the pipelines that the team has", async () => {
		const { instead, server } = await service(200, [{ pipeline_id: "1", name: "a" }, { pipeline_id: "2" }]);
		expect(await instead(unknown("no"))).toBe('team "other" has no pipeline "p". It has "a".');
		expect(server.requests[0]?.query).toEqual([
			["team_name", "other"],
			["limit", "100"],
		]);
	});

	test("does not call a pipeline missing that the list has", async () => {
		const { instead } = await service(200, [{ pipeline_id: "1", name: "p" }]);
		expect(await instead(unknown("no"))).toMatch(/^the service lists pipeline "p" in team "other", but /);
	});

	test.each<[string, Error]>([
		["another failure", new ServerError(callFacts(), { status: 500 })],
		["a 404 that is not the service's own", unknown()],
	])("is not made of %s, and no request is sent", async (_, error) => {
		const { instead, server } = await service(200, []);
		expect(await failureOf(instead(error))).toBe(error);
		expect(server.requests).toEqual([]);
	});

	test("stays as it was if the pipelines cannot be listed", async () => {
		const error = unknown("no");
		const { instead } = await service(500, {});
		expect(await failureOf(instead(error))).toBe(error);
	});
});
