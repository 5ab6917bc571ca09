import fc from "fast-check";
import { messageOf } from "../../src/text/wording";
import { DRAWS, type Draws } from "./draws";
import type { Edit } from "./edits";
import { LAG_MILLIS, openEnginePlace } from "./engine-place";
import { openPlace, type Place } from "./place";
import { type Played, play } from "./play";
import { Random } from "./random";
import { type Scenario, scenariosOf, stormy } from "./scenario";
import type { Host } from "./stack";

export interface Series {
	readonly host: Host;
	readonly sequences: number;
	/** The first writes of each command fail. */
	readonly failing?: boolean;
	readonly seed: string;
	readonly draws?: Draws;
	progress?(text: string): void;
}

/** The sequences of one series that broke an invariant, and what the others tell. */
export interface Outcome {
	readonly sequences: number;
	readonly broken: readonly Broken[];
	/** How many stacks settled after how many ups. */
	readonly ups: ReadonlyMap<number, number>;
	/** What cannot be prevented, and how often it was so. */
	readonly tolerated: ReadonlyMap<string, number>;
}

export interface Broken {
	/** Seed and path for fast-check. */
	readonly seed: number;
	readonly path: string;
	/** The invariant, without names and values, by which cases of one sort are counted together. */
	readonly sort: string;
	readonly message: string;
}

/** Of one seed: few, so that a failure is found again quickly. */
const TOGETHER = 50;
/** How many seconds the search for the smallest example of a sort may take. */
const SHRINK_MILLIS = 60_000;

/** Plays random sequences without the engine; all of them, also after some that break an invariant. */
export async function playSeries(series: Series): Promise<Outcome> {
	const {
		host,
		failing = false,
		sequences,
		draws = DRAWS,
		progress = () => {},
	} = series;
	const seeds = new Random(`${series.seed}/${host}/${failing}`);
	const place = await openPlace(host);
	const tally = new Tally();
	const scenarios = scenariosOf(draws).map((scenario) =>
		failing ? stormy(scenario) : scenario,
	);
	try {
		while (tally.sequences < sequences) {
			const seed = seeds.integer(0, 2 ** 31 - 1);
			const numRuns = Math.min(TOGETHER, sequences - tally.sequences);
			for (const [path, scenario] of fc
				.sample(scenarios, { seed, numRuns })
				.entries()) {
				await tally.add(seed, String(path), () => play(place, scenario));
			}
			progress(
				`${tally.sequences} of ${sequences} sequences, ${tally.broken.length} broken`,
			);
		}
	} finally {
		await place.close();
	}
	return tally;
}

/** One sequence again: everything that happened in it, where it breaks an invariant. */
export async function replay(
	{ host, failing, draws = DRAWS }: Series,
	seed: number,
	path: number,
): Promise<string> {
	const place = await openPlace(host);
	const scenarios = scenariosOf(draws).map((scenario) =>
		failing ? stormy(scenario) : scenario,
	);
	try {
		for (const scenario of fc
			.sample(scenarios, { seed, numRuns: path + 1 })
			.slice(path))
			await play(place, scenario);
		return "It breaks nothing.";
	} catch (error) {
		return messageOf(error);
	} finally {
		await place.close();
	}
}

/** The smallest example of a broken sequence that is found in a minute. */
export async function smallest(
	{ host, failing, draws = DRAWS }: Series,
	broken: Broken,
): Promise<string> {
	const place = await openPlace(host);
	const scenarios = scenariosOf(draws).map((scenario) =>
		failing ? stormy(scenario) : scenario,
	);
	const isSame = async (scenario: Scenario) => {
		try {
			await play(place, scenario);
		} catch (error) {
			if (sortOf(messageOf(error)) === broken.sort) throw error;
		}
	};
	const { seed, path } = broken;
	const options = {
		seed,
		path,
		numRuns: TOGETHER,
		interruptAfterTimeLimit: SHRINK_MILLIS,
	};
	try {
		const result = await fc.check(fc.asyncProperty(scenarios, isSame), options);
		return messageOf(result.errorInstance ?? broken.message);
	} finally {
		await place.close();
	}
}

/** Plays sequences on the real engine, every second one with the plugin. */
export async function playOnEngine({
	sequences,
	seed,
	draws = DRAWS,
	progress = () => {},
}: Series): Promise<Outcome> {
	const tally = new Tally();
	const start = new Random(`${seed}/engine`).integer(0, 2 ** 31 - 1);
	const samples = fc
		.sample(scenariosOf(draws), { seed: start, numRuns: sequences })
		.entries();
	const lane = async (): Promise<void> => {
		for (let next = samples.next(); next.done !== true; next = samples.next()) {
			const [index, scenario] = next.value;
			const place: Place = await openEnginePlace(
				index % 2 === 1 ? "plugin" : "dynamic",
			);
			try {
				await tally.add(start, String(index), () => play(place, shortened(scenario)));
			} finally {
				await place.close();
			}
			progress(
				`${tally.sequences} of ${sequences} sequences on the engine, ${tally.broken.length} broken`,
			);
		}
	};
	await Promise.all([lane(), lane()]);
	return tally;
}

class Tally implements Outcome {
	sequences = 0;
	readonly broken: Broken[] = [];
	readonly ups = new Map<number, number>();
	readonly tolerated = new Map<string, number>();

	async add(seed: number, path: string, run: () => Promise<Played>): Promise<void> {
		this.sequences += 1;
		try {
			const { ups, tolerated } = await run();
			for (const each of ups) this.ups.set(each, (this.ups.get(each) ?? 0) + 1);
			for (const each of tolerated)
				this.tolerated.set(each, (this.tolerated.get(each) ?? 0) + 1);
		} catch (error) {
			const message = messageOf(error);
			this.broken.push({ seed, path, message, sort: sortOf(message) });
		}
	}
}

/** The first line without ids, names and values. */
function sortOf(message: string): string {
	const [line = ""] = message
		.replace(/^(Error: )?(AssertionError.*?: )?/, "")
		.split("\n");
	return line
		.replace(/\[[^\]]*\]|"[^"]*"|'[^']*'/g, "…")
		.replace(/[0-9a-f-]{36}/g, "…")
		.replace(/\b[rp]?\d+(\.\d+)*\b/g, "…")
		.slice(0, 160);
}

/** The engine's time is real, so its lags are short, and jobs that never end are soon given up. */
const shortened = (scenario: Scenario): Scenario => ({
	...scenario,
	clockAhead: 0,
	staleMillis: Math.min(scenario.staleMillis, LAG_MILLIS),
	lateMillis: Math.min(scenario.lateMillis, LAG_MILLIS),
	moves: scenario.moves
		.slice(0, 3)
		.map((move) => ({ ...move, edits: move.edits.map(soonGivenUp) })),
});

const soonGivenUp = (edit: Edit): Edit =>
	"content" in edit && edit.content.kind === "Job"
		? { ...edit, content: { ...edit.content, timeout: "20s" } }
		: edit;
