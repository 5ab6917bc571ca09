import type { BenchOptions } from "./arguments";
import { type DeploymentContext, deploy, deployLookups } from "./deployment";
import { type Deployment, isSilent, type Sample, type StepName, type VariantName } from "./model";
import type { BenchServer, ServerAnswer } from "./server";

/** One deployment to be measured from up to destroy. */
export interface Round {
	readonly variant: VariantName;
	readonly n: number;
	readonly delayMs: number;
	readonly repetition: number;
}

export interface Bench {
	readonly options: BenchOptions;
	readonly server: BenchServer;
	readonly context: Pick<DeploymentContext, "engine" | "pluginFolder">;
	readonly onSample: (sample: Sample) => void;
}

/** Beyond this the naive form would take hours. */
const naiveMax = 300;

/** Variants and delays take turns within a repetition, so that a busy minute of the machine hits all of them. */
export function plan(options: BenchOptions): Round[] {
	const repetitions = Array.from({ length: options.reps }, (_, index) => index + 1);
	return options.n.flatMap((n) =>
		repetitions.flatMap((repetition) =>
			options.delay.flatMap((delayMs, index) =>
				options.variants
					.filter((variant) => variant !== "naive" || n <= naiveMax)
					.filter((variant) => !isSilent(variant) || index === 0)
					.map((variant) => ({ variant, n, delayMs, repetition })),
			),
		),
	);
}

/** Each schedule must really be made, changed and deleted, or the figure is of something else. */
const writes: Partial<Record<StepName, string>> = {
	up: "createSchedule",
	update: "updateSchedule",
	destroy: "deleteSchedule",
};

export async function runRound(bench: Bench, round: Round): Promise<void> {
	const { options, server } = bench;
	const started = await server.start(round.delayMs);
	const deployment = await deploy(round.variant, contextOf(bench, started, round.n));
	try {
		// The other steps need something deployed.
		if (!options.steps.includes("up")) await deployment.run("up");
		for (const step of options.steps) {
			if (step !== "lookups") await runStep(bench, round, deployment, step);
		}
	} finally {
		deployment.dispose();
	}
}

/** A thousand of the same lookup in one program; nothing is deployed, so once is enough. */
export async function runLookups(bench: Bench): Promise<void> {
	const round: Round = { variant: "ours", n: 1_000, delayMs: 0, repetition: 1 };
	const started = await bench.server.start(round.delayMs);
	const deployment = await deployLookups(contextOf(bench, started, round.n));
	try {
		await runStep(bench, round, deployment, "lookups");
	} finally {
		deployment.dispose();
	}
}

async function runStep(
	{ options, server, onSample }: Bench,
	round: Round,
	deployment: Deployment,
	step: StepName,
): Promise<void> {
	await server.clear();
	const cost = await deployment.run(step);
	if (cost === undefined) return;
	const { requests, maxInFlight, endpoints } = await server.count();
	const write = isSilent(round.variant) ? undefined : writes[step];
	if (write !== undefined && endpoints[write] !== round.n) {
		throw new Error(
			`${step} of ${round.n} schedules (${round.variant}) made ${endpoints[write] ?? 0} requests to ${write}. ` +
				"It must make one for each; what was measured is not that step.",
		);
	}
	onSample({ ...round, step, checkpoints: !options.skipCheckpoints, ...cost, requests, maxInFlight });
}

function contextOf({ options, context }: Bench, { environment }: ServerAnswer, n: number): DeploymentContext {
	const { skipCheckpoints, program } = options;
	return { ...context, n, environment, skipCheckpoints, language: program };
}
