import { expect, test } from "vitest";
import { NotFoundError, ServerError } from "../../../src/client";
import { missingPipelineReason } from "../../../src/client/client";
import { callFacts } from "../../helpers/api-calls";
import { connect } from "../../helpers/api-connect";
import { failureOf, json } from "../../helpers/api-servers";

async function instead(
	error: unknown,
	status: number,
	...names: (string | undefined)[]
): Promise<string> {
	const pipelines = names.map((name, index) => ({ pipeline_id: `${index}`, name }));
	const { client } = await connect(
		({ request, response }) =>
			json(
				response,
				String(request.query) === "team_name,other,limit,100" ? status : 500,
				pipelines,
			),
		{ maxAttempts: 1 },
	);
	return missingPipelineReason(client, { team_name: "other", name: "p" }, error);
}

const unknown = (serverMessage?: string) =>
	new NotFoundError(callFacts(), { status: 404, serverMessage });

test("the error of an unknown pipeline lists those that the team has, unless it is one of them", async () => {
	const missing = 'team "other" has no pipeline "p". It has "a".';
	expect(await instead(unknown("no"), 200, "a", undefined)).toBe(missing);
	const listed = /^the service lists pipeline "p" in team "other", but /;
	expect(await instead(unknown("no"), 200, "p")).toMatch(listed);
});

test.each<[string, Error, number]>([
	["another failure", new ServerError(callFacts(), { status: 500 }), 200],
	["a 404 that is not the service's own", unknown(), 200],
	["an unknown pipeline, where none can be listed", unknown("no"), 500],
])("the error of %s stays as it was", async (_, error, status) => {
	expect(await failureOf(instead(error, status))).toBe(error);
});
