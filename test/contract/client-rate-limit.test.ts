import { expect, onTestFinished, test } from "vitest";
import { type FaultRule, manualClock, startServer } from "../../src/server";
import { clientOfTest } from "../helpers/api-connect";
import { skipLongWaits } from "../helpers/virtual-time";

const [COUNT, LIMIT] = [60, 20];

/** With the seconds that the limiter itself takes: whole windows, or the time in which the bucket fills up. */
test.each<[string, FaultRule, number]>([
	["a window that opens again", { kind: "rate-limit", shape: "window", limit: LIMIT, windowMs: 60_000 }, 120],
	["a bucket that fills up", { kind: "rate-limit", shape: "bucket", limit: LIMIT, perSecond: 0.25 }, 160],
])(
	"many creates under the rate limit of %s are all done, once, in hardly more than the limit's own time",
	async (_, rule, leastSeconds) => {
		skipLongWaits();
		const clock = { ...manualClock(), now: () => performance.timeOrigin + performance.now() };
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
		expect(made.map(({ name }) => name).sort()).toEqual(inputs.map((input) => input.schedule_name).sort());
		const times = made.map(({ createdAt }) => createdAt);
		const seconds = (Math.max(...times) - Math.min(...times)) / 1_000;
		// The window is open for a moment already when the first create comes.
		expect(seconds).toBeGreaterThan(leastSeconds - 2);
		expect(seconds).toBeLessThan(1.15 * leastSeconds);
	},
);
