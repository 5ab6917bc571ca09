import { describe, expect, test } from "vitest";
import { calls, JOB_ID } from "../helpers/api-calls";
import { client, freshServer, server } from "../helpers/api-connect";
import { json } from "../helpers/api-servers";

let reply: unknown;
freshServer(({ response }) => json(response, 200, reply));

/** The fields travel with the team in the query of a GET and in the body of a POST; an id in the path only there. */
test.each(Object.entries(calls))(
	"%s is sent as the REST document has it",
	async (name, call) => {
		const { where, input, run } = call;
		reply = call.reply;
		const isOther = name === "jobLogs" || name === "uploadFile";
		expect(await run(client)).toEqual(isOther ? expect.anything() : reply);
		const [request, ...more] = server.requests;
		expect(more).toEqual([]);
		expect(`${request?.method} ${request?.path}`).toBe(
			where.replace(" ", " /api/datachain/"),
		);
		if (name === "uploadFile") {
			expect(request?.query).toEqual([["team_name", "ml"]]);
			expect(request?.headers["content-type"]).toMatch(
				/^multipart\/form-data; boundary=/,
			);
			return;
		}
		const { job_id, ...others } = input;
		const sent = { team_name: "ml", ...(where.includes(JOB_ID) ? others : input) };
		const isRead = where.startsWith("GET");
		const query = Object.entries(sent).flatMap(([name, value]) =>
			[value].flat().map((one) => [name, String(one)]),
		);
		expect(new Set(request?.query)).toEqual(new Set(isRead ? query : []));
		expect(JSON.parse(request?.body || "null")).toEqual(isRead ? null : sent);
		expect(request?.headers["content-type"]).toBe(
			isRead ? undefined : "application/json",
		);
	},
);

describe("a reply", () => {
	test("may have extra fields, unknown statuses, and fields that are missing or null", async () => {
		reply = [
			{
				id: JOB_ID,
				status: "LEVITATING",
				brand_new: { a: 1 },
				finished_at: null,
				environment: null,
			},
			{
				id: "another",
				status: "RUNNING",
				compute_cluster_id: "k3f9x2mq7a",
				environment: { X: null },
			},
		];
		expect(await client.jobs.list()).toEqual(reply);
		reply = {
			id: 1,
			pipeline: {
				pipeline_id: "p",
				job_runs: [{}],
				status: "?",
				environment_variables: { X: null, Y: "1" },
			},
			latest_run: null,
			created_by: {},
		};
		expect(await client.schedules.get({ schedule_id: 1 })).toEqual(reply);
	});

	test("may have numbers as text, where they count something", async () => {
		const counts = { workers: 2, priority: 0, completed: 3, total: 4 };
		reply = { pipeline_id: "a", workers: "2", priority: "0", completed: "3", total: 4 };
		expect(await client.pipelines.status({ name: "p" })).toEqual({
			pipeline_id: "a",
			...counts,
		});
		reply = [{ id: "j", status: "RUNNING", workers: "2" }];
		expect(await client.jobs.list()).toMatchObject([{ workers: 2 }]);
	});
});
