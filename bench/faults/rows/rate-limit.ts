import type { FaultRule } from "../../../src/server";
import { testDeployment } from "../../../test/helpers/e2e-deployment";
import type { Figure, Row } from "../row";

/** So many writes in 5 seconds, as a window that opens anew and as a bucket that fills up steadily. */
const LIMITS = { quick: 20, full: 40 };
const SECONDS = 5;
const SHAPES = ["window", "bucket"] as const;
type Shape = (typeof SHAPES)[number];
const COUNTS = { quick: 60, full: 200 };
/** As a user may set it; the client itself sends 16 writes at once. */
const PARALLEL = 32;
/** How much longer than the limiter alone would take is still good use of it. */
const MOST_TIMES = 1.15;
/** A short run among other suites must not fail for what they take of the processor. */
const NOISE_SECONDS = { quick: 2, full: 0 };

const ruleOf = (shape: Shape, limit: number): FaultRule =>
	shape === "window"
		? { kind: "rate-limit", shape, limit, windowMs: SECONDS * 1_000 }
		: { kind: "rate-limit", shape, limit, perSecond: limit / SECONDS };

/** What the limiter itself takes: whole windows, or the time in which the bucket fills up. */
const leastSeconds = (shape: Shape, limit: number, count: number): number =>
	shape === "window" ? SECONDS * (Math.ceil(count / limit) - 1) : (SECONDS * (count - limit)) / limit;

/** Many creates under a rate limit, on the engine: all succeed, in hardly more than the limit's own time. */
export const rateLimit: Row = {
	number: 5,
	name: "rate-limit",
	async run({ scale, progress }) {
		const [count, limit] = [COUNTS[scale], LIMITS[scale]];
		const figures: Figure[] = [];
		const took: string[] = [];
		// One after another: the engine and its provider need the processor for themselves.
		for (const shape of SHAPES) {
			progress(`${count} creates, ${shape}`);
			const { made, seconds, refused, failures } = await measured(ruleOf(shape, limit), count);
			const least = leastSeconds(shape, limit, count);
			const most = MOST_TIMES * least + NOISE_SECONDS[scale];
			took.push(`${shape} ${seconds.toFixed(1)} s (${most.toFixed(1)} at most)`);
			// Without a refusal the limiter was not at work.
			const isSlow = seconds > most || refused === 0;
			const slow = `the limiter's own minimum is ${least.toFixed(1)} s; ${refused} requests were refused`;
			figures.push(
				{ what: `${shape}: failed creates`, cases: made === count ? [] : [`${made} made`, ...failures] },
				{ what: `${shape}: takes longer than the limiter, or meets none`, cases: isSlow ? [slow] : [] },
			);
		}
		const load = `${count} creates at ${limit} writes in ${SECONDS} s, ${PARALLEL} at once: ${took.join(", ")}`;
		return { load, figures };
	},
};

/** Counts what came of the run, and how long the server took to be written to. */
async function measured(rule: FaultRule, count: number) {
	const test = await testDeployment();
	const { server, stack, declare } = test;
	try {
		declare(
			...Array.from({ length: count }, (_, index) => {
				const scheduleName = `limited-${index}`;
				const args = { scheduleName, pipelineName: "rusty-vise", cronExpression: `${index % 60} 3 1 * *` };
				return { kind: "PipelineSchedule" as const, name: scheduleName, args };
			}),
		);
		server.faults.add(rule);
		const { code, stdout } = await stack.up(["--skip-preview", "--parallel", String(PARALLEL)]);
		const made = server
			.team(server.teamName)
			.schedules()
			.flatMap(({ name, createdAt }) => (name.startsWith("limited-") ? [createdAt] : []));
		return {
			made: made.length,
			seconds: (Math.max(...made) - Math.min(...made)) / 1_000,
			refused: server.requests.count({ endpoint: "createSchedule", status: 429 }),
			failures: code === 0 ? [] : [stdout.slice(-2_000)],
		};
	} finally {
		await test.dispose();
	}
}
