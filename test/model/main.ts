import { randomInt } from "node:crypto";
import { Command, InvalidArgumentError, Option } from "commander";
import { messageOf } from "../../src/text/wording";
import { exitWith } from "../../tools/process/exit-with";
import { DRAWS, type Draws, drawsOf } from "./draws";
import {
	type Outcome,
	playOnEngine,
	playSeries,
	replay,
	type Series,
	smallest,
} from "./sequences";
import type { Host } from "./stack";

interface Arguments {
	readonly sequences: number;
	readonly engine: number;
	readonly seed: string;
	readonly host: Host;
	readonly failing?: boolean;
	readonly smallest?: boolean;
	readonly replay?: readonly [seed: number, path: number];
	readonly draws: Draws;
}

function count(text: string): number {
	if (!/^\d+$/.test(text)) throw new InvalidArgumentError("Give a whole number.");
	return Number(text);
}

function pair(text: string): [number, number] {
	const [seed = "", path = ""] = text.split(",");
	return [count(seed), count(path)];
}

function draws(text: string): Draws {
	try {
		return drawsOf(text);
	} catch (error) {
		throw new InvalidArgumentError(messageOf(error));
	}
}

const readArguments = (): Arguments =>
	new Command("npm run model --")
		.description(
			"Plays random sequences of commands and checks after each that everybody has what is theirs.",
		)
		.option("--sequences <count>", "how many, with the model of the engine", count, 500)
		.option("--engine <count>", "how many more with the real engine", count, 0)
		.option(
			"--seed <text>",
			"every random choice comes from it",
			String,
			String(randomInt(1, 1_000_000_000)),
		)
		.addOption(
			new Option("--host <host>", "who serves")
				.choices(["dynamic", "plugin"])
				.default("dynamic"),
		)
		.option("--failing", "the first writes of each command fail")
		.option(
			"--replay <seed,path>",
			"only this sequence, with everything that happens in it",
			pair,
		)
		.option("--smallest", "look for the smallest example of each sort")
		.option(
			"--draws <list>",
			`weights such as settings=0,exclude=5, of: ${Object.keys(DRAWS).join(", ")}`,
			draws,
			DRAWS,
		)
		.parse()
		.opts<Arguments>();

async function main(): Promise<number> {
	const { sequences, engine, ...given } = readArguments();
	const { replay: one } = given;
	const series: Series = {
		...given,
		sequences,
		progress: (text) => process.stderr.write(`${text}\n`),
	};
	if (one !== undefined) {
		console.log(await replay(series, ...one));
		return 0;
	}
	console.log(`Seed ${given.seed}.`);
	const outcome = await playSeries(series);
	print("sequences", outcome);
	if (given.smallest) {
		for (const one of firstOfEachSort(outcome))
			console.log(`\n${one.sort}\n${await smallest(series, one)}`);
	}
	const there =
		engine > 0 ? await playOnEngine({ ...series, sequences: engine }) : undefined;
	if (there !== undefined) print("sequences on the engine", there);
	return outcome.broken.length + (there?.broken.length ?? 0) > 0 ? 1 : 0;
}

const firstOfEachSort = ({ broken }: Outcome) =>
	broken.filter((one, at) => broken.findIndex(({ sort }) => sort === one.sort) === at);

function print(what: string, { sequences, broken, ups, tolerated }: Outcome): void {
	console.log(`\n${sequences} ${what}, ${broken.length} broken`);
	const sorted = firstOfEachSort({ sequences, broken, ups, tolerated })
		.map((one) => ({
			...one,
			times: broken.filter(({ sort }) => sort === one.sort).length,
		}))
		.sort((a, b) => b.times - a.times);
	for (const { times, sort, seed, path } of sorted)
		console.log(`  ${times} × ${sort} (seed ${seed}, path ${path})`);
	const settled = [...ups]
		.sort(([a], [b]) => a - b)
		.map(([number, times]) => `${number}: ${times}`);
	console.log(
		`  ups until a stack was settled, where nothing failed: ${settled.join(", ") || "none"}`,
	);
	for (const [text, times] of tolerated)
		console.log(`  cannot be prevented, ${times} times: ${text}`);
}

exitWith(main());
