import { type FaultRule, type LocalServer, startServer } from "../../../src/server";
import { testDeployment } from "../../../test/helpers/e2e-deployment";
import { inProcess } from "../process";
import { all, atOnce, type Figure, type Row, type RowContext } from "../row";
import { StackModel } from "./model/engine-model";

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

/** Many creates under a rate limit: all succeed, in hardly more than the limit's own time. */
export const rateLimit: Row = {
	number: 6,
	name: "rate-limit",
	async run(context) {
		const [count, limit] = [COUNTS[context.scale], LIMITS[context.scale]];
		const figures = new Map<Shape, Figure[]>();
		const engine = context.scale === "full";
		// The engine and its provider need the processor for themselves; the handlers mostly wait.
		await atOnce(engine ? 1 : 2, SHAPES, async (shape) => {
			const run = engine ? onTheEngine : inOneProcess;
			const { made, seconds, refused, failures } = await run(ruleOf(shape, limit), count, context);
			const least = leastSeconds(shape, limit, count);
			const most = MOST_TIMES * least + NOISE_SECONDS[context.scale];
			const time = {
				what: `${shape}: seconds, from the first create to the last`,
				reached: seconds.toFixed(1),
				wanted: `≤ ${most.toFixed(1)}`,
				ok: seconds <= most && refused > 0,
				detail: `the limiter's own minimum is ${least.toFixed(1)} s; ${refused} requests were refused`,
			};
			figures.set(shape, [all(`${shape}: creates that succeed`, made, count, failures), time]);
		});
		const how = engine ? "the real engine" : "the handlers";
		return {
			load: `${count} creates at ${limit} writes in ${SECONDS} s, ${PARALLEL} at once, on ${how}`,
			figures: SHAPES.flatMap((shape) => figures.get(shape) ?? []),
		};
	},
};

const program = (count: number) =>
	Array.from({ length: count }, (_, index) => {
		const scheduleName = `limited-${index}`;
		const args = { scheduleName, pipelineName: "rusty-vise", cronExpression: `${index % 60} 3 1 * *` };
		return { kind: "PipelineSchedule" as const, name: scheduleName, args };
	});

/** Counts what came of the run, and how long the server took to be written to. */
async function measured(server: LocalServer, rule: FaultRule, run: () => Promise<readonly string[]>) {
	server.faults.add(rule);
	const failures = await run();
	const made = server
		.team(server.teamName)
		.schedules()
		.flatMap(({ name, createdAt }) => (name.startsWith("limited-") ? [createdAt] : []));
	return {
		made: made.length,
		seconds: (Math.max(...made) - Math.min(...made)) / 1_000,
		// Without a refusal the limiter was not at work.
		refused: server.requests.count({ endpoint: "createSchedule", status: 429 }),
		failures,
	};
}

async function inOneProcess(rule: FaultRule, count: number) {
	const server = await startServer({ faults: true });
	try {
		return await measured(server, rule, () =>
			inProcess(server.environment, async (providers) => {
				const options = { parallel: PARALLEL };
				const { failures } = await new StackModel().command("up", program(count), options, providers);
				return failures;
			}),
		);
	} finally {
		await server.close();
	}
}

async function onTheEngine(rule: FaultRule, count: number, { progress }: RowContext) {
	const test = await testDeployment();
	try {
		progress(`${count} creates by the engine`);
		test.declare(...program(count));
		return await measured(test.server, rule, async () => {
			const { code, stdout } = await test.stack.up(["--skip-preview", "--parallel", String(PARALLEL)]);
			return code === 0 ? [] : [stdout.slice(-2_000)];
		});
	} finally {
		await test.dispose();
	}
}
