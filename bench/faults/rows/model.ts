import {
	type Outcome,
	playOnEngine,
	playSeries,
	type Series,
} from "../../../test/model/sequences";
import type { Row } from "../row";

/** Sequences with the model of the engine, with writes that fail, through the plugin's host, and with the engine itself. */
const COUNTS = {
	quick: { dynamic: 300, failing: 100, plugin: 100, engine: 2 },
	full: { dynamic: 5_000, failing: 1_000, plugin: 2_000, engine: 100 },
};

const casesOf = ({ broken }: Outcome): string[] =>
	broken.map(({ seed, path, message }) => `seed ${seed}, path ${path}: ${message}`);

/** Whose is it? Random programs, orders, lags and failures, and after each command the service is what it must be. */
export const model: Row = {
	number: 2,
	name: "model",
	async run({ scale, random, progress }) {
		const counts = COUNTS[scale];
		const series = (sequences: number, others: Partial<Series> = {}): Series => {
			return { host: "dynamic", seed: random.seed, sequences, progress, ...others };
		};
		const broken = casesOf(await playSeries(series(counts.dynamic)));
		const brokenWrites = casesOf(
			await playSeries(series(counts.failing, { failing: true })),
		);
		const brokenInPlugin = casesOf(
			await playSeries(series(counts.plugin, { host: "plugin" })),
		);
		const brokenThere = casesOf(await playOnEngine(series(counts.engine)));
		return {
			load: `${counts.dynamic} random sequences of two stacks and a colleague, ${counts.failing} whose first writes fail, ${counts.plugin} more through the plugin's host, and ${counts.engine} on the engine, every second with the plugin`,
			figures: [
				{
					what: "sequences that lose, double, overwrite or never settle",
					cases: broken,
				},
				{ what: "the same where writes fail in each command", cases: brokenWrites },
				{ what: "the same through the plugin's host", cases: brokenInPlugin },
				{ what: "the same on the engine", cases: brokenThere },
			],
		};
	},
};
