import { describe, expect, onTestFinished, test } from "vitest";
import type { EndpointName } from "../../src/schemas/wire/endpoints";
import { type FaultRule, manualClock, startServer } from "../../src/server";
import { calls } from "../helpers/api-calls";
import { clientOfTest, connect } from "../helpers/api-connect";
import { failureOf, json } from "../helpers/api-servers";
import { skipLongWaits } from "../helpers/virtual-time";

const names = (text: string) => text.split(" ") as EndpointName[];
/** Written out from the promise to users, not read from the table that the client obeys. */
const always = [
	...names(
		"listJobs jobLogs listClusters getSchedule listSchedules pipelineStatus listPipelines cancelJob",
	),
	...names("updateSchedule deleteSchedule updateSettings pausePipeline resumePipeline"),
];
const onlyUnreceived = names(
	"createSchedule uploadFile triggerPipeline createJob removeJob",
);

test.each([
	...always.map((name) => [name, 5] as const),
	...onlyUnreceived.map((name) => [name, 1] as const),
])("%s is sent %d times if its connection is cut", async (name, attempts) => {
	const { server, client } = await connect(({ socket }) => socket.destroy());
	expect(await failureOf(calls[name].run(client))).toMatchObject({
		attempts,
		received: "unknown",
	});
	expect(server.requests).toHaveLength(attempts);
});

describe("what is sent again", () => {
	test("is the same request, after whatever failure", async () => {
		const { server, client } = await connect(({ index, response, socket }) => {
			if (index === 0) socket.destroy();
			else if (index === 1) json(response, 503, {});
			else if (index === 2) json(response, 429, {}, { "retry-after": "0" });
			else if (index === 3)
				response.writeHead(200, { "content-type": "application/json" }).end("[{");
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
		const result = await client.jobs.uploadFile({
			name: "a.txt",
			content: "whole content",
		});
		expect(result.size).toBe(13);
		expect(server.requests).toHaveLength(2);
		for (const { body } of server.requests)
			expect(body).toContain("\r\n\r\nwhole content\r\n");
	});
});

test("a create does not use a connection that the service may be closing because it was idle", async () => {
	const idleSince = new WeakMap<object, number>();
	// The request crosses the close: the service has not seen it, and the client cannot know that.
	const { server, client } = await connect(({ response, socket }) => {
		const since = idleSince.get(socket) ?? performance.now();
		if (performance.now() - since > 1_500) return void socket.destroy();
		response.on("finish", () => idleSince.set(socket, performance.now()));
		response.setHeader("connection", "keep-alive");
		json(response, 200, calls.createSchedule.reply);
	});
	await calls.createSchedule.run(client);
	await new Promise((resolve) => setTimeout(resolve, 1_700));
	await calls.createSchedule.run(client);
	expect(server.requests).toHaveLength(2);
});

const [COUNT, LIMIT] = [60, 20];

/** With the seconds that the limiter itself takes: whole windows, or the time in which the bucket fills up. */
test.each<[string, FaultRule, number]>([
	[
		"a window that opens again",
		{ kind: "rate-limit", shape: "window", limit: LIMIT, windowMs: 60_000 },
		120,
	],
	[
		"a bucket that fills up",
		{ kind: "rate-limit", shape: "bucket", limit: LIMIT, perSecond: 0.25 },
		160,
	],
])(
	"many creates under the rate limit of %s are all done, once, in hardly more than the limit's own time",
	async (_, rule, leastSeconds) => {
		skipLongWaits();
		const clock = {
			...manualClock(),
			now: () => performance.timeOrigin + performance.now(),
		};
		const server = await startServer({ faults: true, clock });
		onTestFinished(() => server.close());
		server.faults.add(rule);
		const client = clientOfTest(server.environment);
		const inputs = Array.from({ length: COUNT }, (_, index) => {
			const times = { cron_expression: "0 3 1 * *", pipeline_name: "rusty-vise" };
			return { schedule_name: `limited-${index}`, ...times };
		});
		await Promise.all(inputs.map((input) => client.schedules.create(input)));
		const all = server.team(server.teamName).schedules();
		const made = all.filter(({ name }) => name.startsWith("limited-"));
		expect(made.map(({ name }) => name).sort()).toEqual(
			inputs.map((input) => input.schedule_name).sort(),
		);
		const times = made.map(({ createdAt }) => createdAt);
		const seconds = (Math.max(...times) - Math.min(...times)) / 1_000;
		// The window is open for a moment already when the first create comes.
		expect(seconds).toBeGreaterThan(leastSeconds - 2);
		expect(seconds).toBeLessThan(1.15 * leastSeconds);
	},
);
