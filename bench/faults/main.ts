import { randomInt } from "node:crypto";
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { type Engine, ensureEngine } from "../../tools/engine";
import { Random } from "./random";
import type { Outcome, Row, Scale } from "./row";
import { rows } from "./rows";
import { runRow } from "./run-row";
import { countFigures, missed, table } from "./table";

const USAGE = `Usage: npm run faults -- [options]

Tries to make the provider lose, duplicate or leak something, and prints one table with what it reached.

  --seed N            every random choice comes from it; a new one is drawn and printed where left out
  --scale quick|full  quick (default) takes about ten minutes; full uses the large counts, and takes hours
  --rows 1,2,7        only these rows (--row 7 is the same)
  --json FILE         writes the same result as JSON
  --help              prints this

Exit code: 0 where every figure was reached, 1 where one was missed, 2 for wrong arguments.`;

interface Arguments {
	readonly seed: string;
	readonly scale: Scale;
	readonly rows: readonly Row[];
	readonly json: string | undefined;
}

/** Says what is wrong with the command line, and nothing else. */
class UsageError extends Error {}

function readArguments(args: readonly string[]): Arguments | "help" {
	const text = { type: "string" as const };
	const options = {
		seed: text,
		scale: text,
		row: text,
		rows: text,
		json: text,
		help: { type: "boolean" as const },
	};
	let values: ReturnType<typeof parseArgs<{ options: typeof options }>>["values"];
	try {
		values = parseArgs({ args: [...args], options }).values;
	} catch (error) {
		throw new UsageError(error instanceof Error ? error.message : String(error));
	}
	if (values.help === true) return "help";
	const { seed = String(randomInt(1, 1_000_000_000)), scale = "quick", json } = values;
	if (!/^[\w.-]{1,64}$/.test(seed))
		throw new UsageError(`--seed "${seed}": give letters, digits, . _ and -.`);
	if (scale !== "quick" && scale !== "full") throw new UsageError(`--scale "${scale}": give quick or full.`);
	return { seed, scale, rows: rowsOf(values.rows ?? values.row), json };
}

function rowsOf(text: string | undefined): readonly Row[] {
	const wanted = text?.split(",").map((part) => part.trim());
	const unknown = wanted?.filter((part) => !rows.some(({ number }) => String(number) === part)) ?? [];
	const known = rows.map(({ number, name }) => `${number} ${name}`).join(", ");
	if (unknown.length > 0)
		throw new UsageError(`There is no row ${unknown.join(", ")}. The rows are ${known}.`);
	return wanted === undefined ? rows : rows.filter(({ number }) => wanted.includes(String(number)));
}

let engine: Promise<Engine> | undefined;

async function main(args: readonly string[]): Promise<number> {
	const chosen = readArguments(args);
	if (chosen === "help") {
		console.log(USAGE);
		return 0;
	}
	const { seed, scale, json } = chosen;
	const only = chosen.rows === rows ? "" : ` --rows ${chosen.rows.map(({ number }) => number).join(",")}`;
	const command = `npm run faults -- --seed ${seed} --scale ${scale}${only}`;
	console.log(`Seed ${seed}. Repeat this run with: ${command}`);
	const started = performance.now();
	const secondsSince = (moment: number) => Math.round((performance.now() - moment) / 1000);
	const outcomes: Outcome[] = [];
	// One after another: a row that keeps the machine busy would spoil the waits of its neighbour.
	for (const row of chosen.rows) {
		const rowStarted = performance.now();
		const outcome = await runRow(row, {
			scale,
			random: new Random(`${seed}/${row.name}`),
			engine: () => (engine ??= ensureEngine()),
			progress: (text) =>
				process.stderr.write(
					`${String(secondsSince(rowStarted)).padStart(4)} s  ${row.number} ${row.name}: ${text}\n`,
				),
		});
		outcomes.push(outcome);
	}
	const seconds = secondsSince(started);
	const counts = countFigures(outcomes);
	console.log(`\n${table(outcomes)}\n`);
	for (const text of missed(outcomes)) console.log(`${text}\n`);
	if (json !== undefined) {
		const content = { seed, scale, seconds, ...counts, rows: outcomes };
		writeFileSync(json, `${JSON.stringify(content, undefined, 2)}\n`);
	}
	console.log(`Seed ${seed}, ${scale}, ${seconds} s. Repeat with: ${command}`);
	console.log(`${counts.passed} passed, ${counts.failed} failed`);
	return counts.failed > 0 ? 1 : 0;
}

main(process.argv.slice(2)).then(
	// Whatever a failed row left running must not keep the bench from ending.
	(code) => process.exit(code),
	(error: unknown) => {
		console.error(error instanceof UsageError ? `${error.message}\n\n${USAGE}` : error);
		process.exit(error instanceof UsageError ? 2 : 1);
	},
);
