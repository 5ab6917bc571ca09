import { writeFileSync } from "node:fs";
import { type Engine, ensureEngine } from "../../tools/engine";
import { type Arguments, commandOf, readArguments, USAGE, UsageError } from "./arguments";
import { Random } from "./random";
import type { Row, RowContext } from "./row";
import { rows } from "./rows";
import { type Outcome, runRow } from "./run-row";
import { countFigures, missed, table } from "./table";

async function main(args: readonly string[]): Promise<number> {
	const chosen = readArguments(args);
	if (chosen === "help") {
		console.log(USAGE);
		return 0;
	}
	const wanted = rowsOf(chosen);
	console.log(`Seed ${chosen.seed}. Repeat this run with: ${commandOf(chosen)}`);
	const started = performance.now();
	const outcomes: Outcome[] = [];
	// One after another: a row that keeps the machine busy would spoil the waits of its neighbour.
	for (const row of wanted) outcomes.push(await runRow(row, contextFor(row, chosen)));
	const seconds = Math.round((performance.now() - started) / 1000);
	report(chosen, outcomes, seconds);
	return countFigures(outcomes).failed > 0 ? 1 : 0;
}

function rowsOf({ rows: numbers }: Arguments): readonly Row[] {
	const unknown = numbers?.filter((number) => !rows.some((row) => row.number === number)) ?? [];
	if (unknown.length > 0) {
		const known = rows.map(({ number, name }) => `${number} ${name}`).join(", ");
		throw new UsageError(`There is no row ${unknown.join(", ")}. The rows are ${known}.`);
	}
	return numbers === undefined ? rows : rows.filter((row) => numbers.includes(row.number));
}

let engine: Promise<Engine> | undefined;

function contextFor(row: Row, { seed, scale }: Arguments): RowContext {
	const started = performance.now();
	return {
		scale,
		random: new Random(`${seed}/${row.name}`),
		engine: () => {
			engine ??= ensureEngine();
			return engine;
		},
		progress(text) {
			const seconds = ((performance.now() - started) / 1000).toFixed(0).padStart(4);
			process.stderr.write(`${seconds} s  ${row.number} ${row.name}: ${text}\n`);
		},
	};
}

function report(chosen: Arguments, outcomes: readonly Outcome[], seconds: number): void {
	const { passed, failed } = countFigures(outcomes);
	console.log(`\n${table(outcomes)}\n`);
	for (const text of missed(outcomes)) console.log(`${text}\n`);
	if (chosen.json !== undefined) {
		const { seed, scale } = chosen;
		const content = { seed, scale, seconds, passed, failed, rows: outcomes };
		writeFileSync(chosen.json, `${JSON.stringify(content, undefined, 2)}\n`);
	}
	console.log(`Seed ${chosen.seed}, ${chosen.scale}, ${seconds} s. Repeat with: ${commandOf(chosen)}`);
	console.log(`${passed} passed, ${failed} failed`);
}

main(process.argv.slice(2)).then(
	// Whatever a failed row left running must not keep the bench from ending.
	(code) => process.exit(code),
	(error: unknown) => {
		console.error(error instanceof UsageError ? `${error.message}\n\n${USAGE}` : error);
		process.exit(error instanceof UsageError ? 2 : 1);
	},
);
