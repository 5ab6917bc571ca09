import { describe, expect, test } from "vitest";
import type { EndpointName } from "../../src/schemas/wire/endpoints";
import { calls } from "../helpers/api-calls";
import { connect } from "../helpers/api-connect";
import { failureOf, json } from "../helpers/api-servers";

const names = (text: string) => text.split(" ") as EndpointName[];
/** Written out from the promise to users, not read from the table that the client obeys. */
const always = [
	...names("listJobs jobLogs listClusters getSchedule listSchedules pipelineStatus listPipelines cancelJob"),
	...names("updateSchedule deleteSchedule updateSettings pausePipeline resumePipeline"),
];
const onlyUnreceived = names("createSchedule uploadFile triggerPipeline createJob removeJob");

test.each([...always.map((name) => [name, 5] as const), ...onlyUnreceived.map((name) => [name, 1] as const)])(
	"%s is sent %d times if its connection is cut",
	async (name, attempts) => {
		const { server, client } = await connect(({ socket }) => socket.destroy());
		expect(await failureOf(calls[name].run(client))).toMatchObject({ attempts, received: "unknown" });
		expect(server.requests).toHaveLength(attempts);
	},
);

describe("what is sent again", () => {
	test("is the same request, after whatever failure", async () => {
		const { server, client } = await connect(({ index, response, socket }) => {
			if (index === 0) socket.destroy();
			else if (index === 1) json(response, 503, {});
			else if (index === 2) json(response, 429, {}, { "retry-after": "0" });
			else if (index === 3) response.writeHead(200, { "content-type": "application/json" }).end("[{");
			else json(response, 200, calls.updateSettings.reply);
		});
		await calls.updateSettings.run(client);
		expect(server.requests).toHaveLength(5);
		expect(new Set(server.requests.map(({ body }) => body)).size).toBe(1);
	});

	test("is the whole file again, if an upload was refused", async () => {
		const { server, client } = await connect(({ index, response }) =>
			index === 0 ? json(response, 429, {}) : json(response, 200, { id: 9 }),
		);
		const result = await client.jobs.uploadFile({ name: "a.txt", content: "whole content" });
		expect(result.size).toBe(13);
		expect(server.requests).toHaveLength(2);
		for (const { body } of server.requests) expect(body).toContain("\r\n\r\nwhole content\r\n");
	});
});
