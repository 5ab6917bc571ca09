import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import type { Scale } from "./row";

export interface Arguments {
	readonly seed: string;
	readonly scale: Scale;
	/** Numbers of the rows to run; all where left out. */
	readonly rows: readonly number[] | undefined;
	/** Where to write the result as JSON as well. */
	readonly json: string | undefined;
}

export const USAGE = `Usage: npm run faults -- [options]

Tries to make the provider lose, duplicate or leak something, and prints one table with what it reached.

  --seed N            every random choice comes from it; a new one is drawn and printed where left out
  --scale quick|full  quick (default) takes under 4 minutes; full uses the counts the README promises
  --rows 1,2,7        only these rows
  --json FILE         writes the same result as JSON
  --help              prints this

Exit code: 0 where every figure was reached, 1 where one was missed, 2 for wrong arguments.`;

/** Says what is wrong with the command line, and nothing else. */
export class UsageError extends Error {
	override readonly name = "UsageError";
}

export function readArguments(args: readonly string[]): Arguments | "help" {
	const values = parse(args);
	if (values.help === true) return "help";
	const { seed = String(randomInt(1, 1_000_000_000)), scale = "quick", rows, json } = values;
	if (!/^[\w.-]{1,64}$/.test(seed)) {
		throw new UsageError(`--seed "${seed}" cannot be used: give a number, or letters, digits, . _ and -.`);
	}
	if (scale !== "quick" && scale !== "full") {
		throw new UsageError(`--scale "${scale}" is not known: give quick or full.`);
	}
	return { seed, scale, rows: rows === undefined ? undefined : readRows(rows), json };
}

function parse(args: readonly string[]) {
	const text = { type: "string" as const };
	try {
		return parseArgs({
			args: [...args],
			options: { seed: text, scale: text, rows: text, json: text, help: { type: "boolean", short: "h" } },
		}).values;
	} catch (error) {
		throw new UsageError(error instanceof Error ? error.message : String(error));
	}
}

function readRows(text: string): number[] {
	const numbers = text.split(",").map((part) => Number(part.trim()));
	if (numbers.every((number) => Number.isInteger(number) && number > 0)) return numbers;
	throw new UsageError(`--rows "${text}" cannot be used: give row numbers with commas, as in 1,2,7.`);
}

/** The command that repeats this run. */
export function commandOf({ seed, scale, rows }: Arguments): string {
	const only = rows === undefined ? "" : ` --rows ${rows.join(",")}`;
	return `npm run faults -- --seed ${seed} --scale ${scale}${only}`;
}
