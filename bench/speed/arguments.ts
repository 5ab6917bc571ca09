import { Command, InvalidArgumentError } from "commander";
import { type StepName, stepNames, type VariantName, variantNames } from "./model";

export interface BenchOptions {
	readonly n: readonly number[];
	readonly delay: readonly number[];
	readonly reps: number;
	readonly variants: readonly VariantName[];
	readonly steps: readonly StepName[];
	readonly skipCheckpoints: boolean;
	readonly program: "ts" | "js";
	readonly json: string;
	/** Results of earlier runs, to be put into one table instead of a new run. */
	readonly from: readonly string[];
}

export function parseArguments(argv: readonly string[]): BenchOptions {
	const command = new Command("bench")
		.description("measures this provider beside providers that do nothing")
		.option("--n <counts>", "schedules to deploy", whole(1), [100])
		.option("--delay <ms>", "delay of every request at the server", whole(0), [0])
		.option("--reps <count>", "repetitions; the table has their medians", single(whole(1)), 3)
		.option("--variants <names>", `of ${variantNames.join(", ")}`, oneOf(variantNames), [...variantNames])
		.option("--steps <names>", `of ${stepNames.join(", ")}; up always runs`, oneOf(stepNames), stepNames)
		.option("--skip-checkpoints", "with PULUMI_SKIP_CHECKPOINTS=true", false)
		.option("--program <language>", "ts or js", single(oneOf(["ts", "js"] as const)), "ts")
		.option("--json <file>", "where the results go", "bench/speed/results/last.json")
		.option("--from <files>", "shows these results instead of measuring", list, []);
	return command.parse([...argv], { from: "user" }).opts<BenchOptions>();
}

const list = (text: string): string[] =>
	text
		.split(",")
		.map((part) => part.trim())
		.filter((part) => part !== "");

const whole =
	(least: number) =>
	(text: string): number[] => {
		const numbers = list(text).map(Number);
		if (numbers.length > 0 && numbers.every((value) => Number.isInteger(value) && value >= least)) {
			return [...new Set(numbers)];
		}
		throw new InvalidArgumentError(`Whole numbers from ${least}, with commas between them, are needed.`);
	};

const oneOf =
	<Name extends string>(names: readonly Name[]) =>
	(text: string): Name[] => {
		const chosen = list(text);
		const unknown = chosen.find((name) => !names.some((known) => known === name));
		if (unknown === undefined && chosen.length > 0) return names.filter((name) => chosen.includes(name));
		throw new InvalidArgumentError(`"${unknown ?? text}" is none of ${names.join(", ")}.`);
	};

const single =
	<Value>(parse: (text: string) => Value[]) =>
	(text: string): Value => {
		const [value, ...more] = parse(text);
		if (value !== undefined && more.length === 0) return value;
		throw new InvalidArgumentError("One value is needed.");
	};
