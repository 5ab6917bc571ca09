import fc from "fast-check";
import { messageOf } from "../../../../src/schemas/wording";
import { atOnce, type Row, type RowContext } from "../../row";
import type { Edit } from "./edits";
import { LAG_MILLIS, openEnginePlace } from "./engine-place";
import { openPlace } from "./place";
import { play } from "./play";
import { type Scenario, scenarios, stormy } from "./scenario";
import type { Host } from "./stack";

/** Sequences with the model of the engine, with writes that fail, through the plugin's host, and with the engine itself. */
const COUNTS = {
	quick: { dynamic: 300, stormy: 100, plugin: 100, engine: 2 },
	full: { dynamic: 5_000, stormy: 1_000, plugin: 2_000, engine: 100 },
};
/** Of one seed: few, so that a failure is found again quickly. */
const TOGETHER = 50;
/** For the sequences of one seed and for shrinking: far more than a slow machine needs, so that only a hang meets it. */
const LIMIT_MILLIS = 900_000;
const LANES = 2;

/** Whose is it? Random programs, orders, lags and failures, and after each command the service is what it must be. */
export const model: Row = {
	number: 2,
	name: "model",
	async run(context) {
		const counts = COUNTS[context.scale];
		const broken = await withoutEngine(context, "dynamic", counts.dynamic);
		const brokenInStorm = await withoutEngine(context, "dynamic", counts.stormy, stormy);
		const brokenInPlugin = await withoutEngine(context, "plugin", counts.plugin);
		const brokenThere = await withEngine(context, counts.engine);
		return {
			load: `${counts.dynamic} random sequences of two stacks and a colleague, ${counts.stormy} whose first writes fail, ${counts.plugin} more through the plugin's host, and ${counts.engine} on the engine, every second with the plugin`,
			figures: [
				{ what: "sequences that lose, double, overwrite or never settle", cases: broken },
				{ what: "the same where writes fail in each command", cases: brokenInStorm },
				{ what: "the same through the plugin's host", cases: brokenInPlugin },
				{ what: "the same on the engine", cases: brokenThere },
			],
		};
	},
};

async function withoutEngine(
	{ random, progress }: RowContext,
	host: Host,
	count: number,
	change = (scenario: Scenario) => scenario,
): Promise<string[]> {
	const place = await openPlace(host);
	const broken: string[] = [];
	const name = change === stormy ? "with writes that fail" : host;
	const seeds = random.fork(name === "dynamic" ? "sequences" : name);
	try {
		for (let done = 0; done < count; done += TOGETHER) {
			const tried = (scenario: Scenario) => play(place, change(scenario));
			const found = await firstBroken(tried, seeds.integer(0, 2 ** 31 - 1));
			if (found !== undefined) {
				broken.push(found);
				// A full run takes an hour, and whoever waits for it wants to know now.
				progress(`broken: ${found}`);
			}
			progress(`${done + TOGETHER} of ${count} sequences, ${name}, ${broken.length} broken`);
		}
	} finally {
		await place.close();
	}
	return broken;
}

/** The first of a seed's sequences that breaks the invariant, in its smallest form; or that they did not all end. */
async function firstBroken(
	tried: (scenario: Scenario) => Promise<void>,
	seed: number,
): Promise<string | undefined> {
	const result = await fc.check(fc.asyncProperty(scenarios, tried), {
		seed,
		numRuns: TOGETHER,
		interruptAfterTimeLimit: LIMIT_MILLIS,
	});
	// An interrupted run counts as none that failed.
	if (result.interrupted && result.counterexample === null)
		return `seed ${seed}: only ${result.numRuns} of ${TOGETHER} ended in time`;
	if (!result.failed || result.errorInstance === null) return undefined;
	return `seed ${seed}, path ${result.counterexamplePath ?? ""}: ${messageOf(result.errorInstance)}`;
}

async function withEngine({ random, progress }: RowContext, count: number): Promise<string[]> {
	const broken: string[] = [];
	const seed = random.fork("engine").integer(0, 2 ** 31 - 1);
	const samples = fc.sample(scenarios, { seed, numRuns: count });
	await atOnce(LANES, samples.entries(), async ([index, scenario]) => {
		const place = await openEnginePlace(index % 2 === 1 ? "plugin" : "dynamic");
		try {
			await play(place, shortened(scenario));
		} catch (error) {
			broken.push(`seed ${seed}, number ${index}: ${messageOf(error)}`);
			progress(`broken: ${broken.at(-1)}`);
		} finally {
			await place.close();
		}
		progress(`${index + 1} of ${samples.length} sequences on the engine`);
	});
	return broken;
}

/** The engine's time is real, so its lags are short, and jobs that never end are soon given up. */
const shortened = (scenario: Scenario): Scenario => ({
	...scenario,
	staleMillis: Math.min(scenario.staleMillis, LAG_MILLIS),
	lateMillis: Math.min(scenario.lateMillis, LAG_MILLIS),
	moves: scenario.moves.slice(0, 3).map((move) => ({ ...move, edits: move.edits.map(soonGivenUp) })),
});

const soonGivenUp = (edit: Edit): Edit =>
	"content" in edit && edit.content.kind === "Job"
		? { ...edit, content: { ...edit.content, timeout: "10s" } }
		: edit;
