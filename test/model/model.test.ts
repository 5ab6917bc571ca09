import { expect, it } from "vitest";
import { playSeries, type Series } from "./sequences";

/** A mutation run repeats everything for every mutant, so that it draws less. */
const few = process.env.MODEL_SEQUENCES;

// Always the same ones: a gate must answer alike. `npm run model` draws new ones, as does row 2 of the fault bench.
it.each<[string, Omit<Series, "seed">]>([
	[
		"leave the service as declared, and what is not ours as it was",
		{ host: "dynamic", sequences: 40 },
	],
	[
		"also where the first writes of each command fail",
		{ host: "dynamic", sequences: 30, failing: true },
	],
	["also through the plugin's host", { host: "plugin", sequences: 30 }],
])(
	"random programs of two stacks and a colleague, orders, lags and failures %s",
	async (_, series) => {
		const sequences =
			few === undefined ? series.sequences : Math.min(Number(few), series.sequences);
		const { broken } = await playSeries({ ...series, sequences, seed: "1" });
		expect(broken.map(({ message }) => message)).toEqual([]);
	},
);
