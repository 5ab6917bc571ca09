import { type TestDeployment, testDeployment } from "../../../../test/helpers/e2e-deployment";
import type { Random } from "../../random";
import { declaredOf, type Generation, Generations, writesBetween } from "./generations";
import { type Damage, damageOf, type Findings, foreignSchedules, inspect } from "./inspect";
import { recover } from "./recover";
import { drawMoment, type Moment, strike, type Victim } from "./strike";

export interface Kind {
	readonly name: string;
	readonly victims: readonly [Victim, ...Victim[]];
	readonly skipCheckpoints: boolean;
}

/** One kill to be done, and the random numbers for it. */
export interface Order {
	readonly kind: Kind;
	readonly random: Random;
}

export interface Outcome {
	readonly kind: Kind;
	/** Which kill it was, to find it again. */
	readonly label: string;
	/** Why the way back failed; undefined where every command of it passed. */
	readonly failure: string | undefined;
	readonly damage: Damage;
	readonly findings: Findings;
}

/** How often one order may come too late before it counts as failed. */
const ATTEMPTS = 4;

/**
 * Works through its orders on one stack: each kill strikes the step from one program to the next, and what it left
 * is brought in order before the next. The first step starts from nothing.
 */
export async function runLane(
	orders: readonly Order[],
	schedules: number,
	told: (outcome: Outcome) => void,
): Promise<void> {
	const test = await testDeployment();
	const generations = new Generations(schedules);
	let current: Generation = [];
	try {
		const foreign = await foreignSchedules(test);
		for (const order of orders) {
			for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
				const random = order.random.fork(`attempt ${attempt}`);
				const next = current.length === 0 ? generations.first(random) : generations.after(current, random);
				const { hit, outcome } = await killOnce(test, order, { random, current, next, foreign });
				current = next;
				// A kill that came too late proves nothing, unless something is wrong all the same.
				if (hit || attempt === ATTEMPTS || !isWell(outcome)) {
					told(outcome);
					break;
				}
			}
		}
	} finally {
		await test.dispose();
	}
}

export const isWell = ({ failure, findings }: Outcome): boolean =>
	failure === undefined && Object.values(findings).every((list: readonly string[]) => list.length === 0);

interface Step {
	readonly random: Random;
	readonly current: Generation;
	readonly next: Generation;
	readonly foreign: readonly string[];
}

async function killOnce(
	test: TestDeployment,
	{ kind }: Order,
	{ random, current, next, foreign }: Step,
): Promise<{ hit: boolean; outcome: Outcome }> {
	const victim = random.pick(kind.victims);
	const moment = drawMoment(random, writesBetween(current, next));
	// The variable counts for the deployment and for its recovery, as in a shell that exports it.
	test.stack.env.PULUMI_SKIP_CHECKPOINTS = String(kind.skipCheckpoints);
	test.declare(...declaredOf(next));
	const { hit, result, endLeftovers } = await strike(test, victim, moment);
	try {
		const damage = await damageOf(test, foreign);
		const ended = result.timedOut ? "the killed deployment did not end" : undefined;
		const failure = await recover(test, victim, { preview: random.chance(0.2) });
		const outcome = {
			kind,
			label: labelOf(victim, moment, hit),
			failure: ended ?? failure,
			damage,
			findings: await inspect(test, next, foreign),
		};
		return { hit, outcome };
	} finally {
		await endLeftovers();
	}
}

function labelOf(victim: Victim, { write, slow, pauseMs }: Moment, hit: boolean): string {
	const open = slow === undefined ? "" : `, ${slow.kind} ${slow.ms} ms`;
	return `${victim} killed ${pauseMs} ms after write ${write}${open}${hit ? "" : " (too late)"}`;
}
