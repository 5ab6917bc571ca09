import fc from "fast-check";
import type { Engine } from "../../../../tools/engine";
import { atOnce } from "../../at-once";
import { none, type Row, type RowContext } from "../../row";
import { LAG_MILLIS, openEnginePlace } from "./engine-place";
import { type Host, openPlace } from "./place";
import { play } from "./play";
import { type Scenario, scenarios } from "./scenario";

/** Sequences with the model of the engine, and with the engine itself. */
const SEQUENCES = { quick: 300, full: 5_000 };
const THROUGH_PLUGIN = { quick: 100, full: 2_000 };
const WITH_ENGINE = { quick: 2, full: 200 };
/** Of one seed: few, so that a failure is found again quickly. */
const TOGETHER = 50;
/** For the sequences of one seed and for shrinking: far more than a slow machine needs, so that only a hang meets it. */
const LIMIT_MILLIS = 180_000;
const LANES = 2;

/** Whose is it? Random programs, orders, lags and failures, and after each command the service is what it must be. */
export const model: Row = {
	number: 11,
	name: "model",
	async run(context) {
		const broken = await withoutEngine(context, "dynamic", SEQUENCES[context.scale]);
		const brokenInPlugin = await withoutEngine(context, "plugin", THROUGH_PLUGIN[context.scale]);
		const brokenThere = await withEngine(context);
		const [count, there] = [SEQUENCES[context.scale], WITH_ENGINE[context.scale]];
		const inPlugin = THROUGH_PLUGIN[context.scale].toLocaleString("en");
		return {
			load: `${count.toLocaleString("en")} random sequences of two stacks and a colleague, ${inPlugin} more through the plugin's host, and ${there} on the engine, every second with the plugin`,
			figures: [
				none("sequences that lose, double, overwrite or never settle", broken),
				none("the same through the plugin's host", brokenInPlugin),
				none("the same on the engine", brokenThere),
			],
		};
	},
};

async function withoutEngine({ random, progress }: RowContext, host: Host, count: number): Promise<string[]> {
	const place = await openPlace(host);
	const broken: string[] = [];
	const seeds = random.fork(host === "dynamic" ? "sequences" : host);
	try {
		for (let done = 0; done < count; done += TOGETHER) {
			const tried = (scenario: Scenario) => play(place, scenario);
			const found = await firstBroken(tried, seeds.integer(0, 2 ** 31 - 1));
			if (found !== undefined) broken.push(found);
			progress(`${done + TOGETHER} of ${count} sequences, ${host}`);
		}
	} finally {
		await place.close();
	}
	return broken;
}

/** The first of a seed's sequences that breaks the invariant, in its smallest form; or that they did not all end. */
export async function firstBroken(
	tried: (scenario: Scenario) => Promise<void>,
	seed: number,
	limitMillis = LIMIT_MILLIS,
): Promise<string | undefined> {
	const result = await fc.check(fc.asyncProperty(scenarios, tried), {
		seed,
		numRuns: TOGETHER,
		interruptAfterTimeLimit: limitMillis,
	});
	// An interrupted run counts as none that failed.
	if (result.interrupted && result.counterexample === null)
		return `seed ${seed}: only ${result.numRuns} of ${TOGETHER} ended in time`;
	if (!result.failed || result.errorInstance === null) return undefined;
	const why =
		result.errorInstance instanceof Error ? result.errorInstance.message : String(result.errorInstance);
	return `seed ${seed}, path ${result.counterexamplePath ?? ""}: ${why}`;
}

async function withEngine({ scale, random, engine, progress }: RowContext): Promise<string[]> {
	const broken: string[] = [];
	const seed = random.fork("engine").integer(0, 2 ** 31 - 1);
	const samples = fc.sample(scenarios, { seed, numRuns: WITH_ENGINE[scale] });
	const ready = await engine();
	await atOnce(LANES, samples.entries(), async ([index, scenario]) => {
		const why = await tryOnce(ready, scenario, index % 2 === 1 ? "plugin" : "dynamic");
		if (why !== undefined) broken.push(`seed ${seed}, number ${index}: ${why}`);
		// A full run takes an hour, and whoever waits for it wants to know now.
		if (why !== undefined) progress(`broken: ${broken.at(-1)}`);
		progress(`${index + 1} of ${samples.length} sequences on the engine`);
	});
	return broken;
}

/** The engine's time is real, so its lags are short. */
async function tryOnce(engine: Engine, scenario: Scenario, host: Host): Promise<string | undefined> {
	const { staleMillis, lateMillis, moves } = scenario;
	const short = {
		staleMillis: Math.min(staleMillis, LAG_MILLIS),
		lateMillis: Math.min(lateMillis, LAG_MILLIS),
	};
	const place = await openEnginePlace(engine, host);
	try {
		await play(place, { ...scenario, ...short, moves: moves.slice(0, 3) });
		return undefined;
	} catch (error) {
		return error instanceof Error ? error.message : String(error);
	} finally {
		await place.close();
	}
}
