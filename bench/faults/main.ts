import { randomInt } from "node:crypto";
import { writeFileSync } from "node:fs";
import { Command, InvalidArgumentError, Option } from "commander";
import { exitWith } from "../../tools/process/exit-with";
import { Random } from "./random";
import type { Outcome, Row, Scale } from "./row";
import { kill } from "./rows/kill";
import { model } from "./rows/model";
import { options } from "./rows/options";
import { rateLimit } from "./rows/rate-limit";
import { replies } from "./rows/replies";
import { secrets } from "./rows/secrets";
import { runRow } from "./run-row";
import { countFigures, missed, table } from "./table";

/** Every row, in the order of the table. */
const ROWS: readonly Row[] = [replies, model, kill, secrets, options, rateLimit];

interface Arguments {
	readonly seed: string;
	readonly scale: Scale;
	readonly rows?: readonly Row[];
	readonly json?: string;
}

const readArguments = (): Arguments =>
	new Command("npm run faults --")
		.description(
			"Tries to make the provider lose, duplicate or leak something, and prints one table with what it reached.",
		)
		.option(
			"--seed <text>",
			"every random choice comes from it; a new one is drawn and printed where left out",
			seedOf,
			String(randomInt(1, 1_000_000_000)),
		)
		.addOption(
			new Option(
				"--scale <scale>",
				"quick takes about ten minutes; full uses the large counts, and takes hours",
			)
				.choices(["quick", "full"])
				.default("quick"),
		)
		.option("--row, --rows <numbers>", "only these rows, such as 1,2,6", rowsOf)
		.option("--json <file>", "writes the same result as JSON")
		.addHelpText(
			"after",
			"\nExit code: 0 where every figure was reached, 1 where one was missed, 2 for wrong arguments.",
		)
		.showHelpAfterError()
		.exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
		.parse()
		.opts<Arguments>();

function seedOf(text: string): string {
	if (!/^[\w.-]{1,64}$/.test(text)) throw new InvalidArgumentError("Give letters, digits, . _ and -.");
	return text;
}

function rowsOf(text: string): readonly Row[] {
	const wanted = text.split(",").map((part) => part.trim());
	const rows = ROWS.filter(({ number }) => wanted.includes(String(number)));
	const known = ROWS.map(({ number, name }) => `${number} ${name}`).join(", ");
	if (rows.length < wanted.length) throw new InvalidArgumentError(`The rows are ${known}.`);
	return rows;
}

async function main(): Promise<number> {
	const { seed, scale, rows, json } = readArguments();
	const only = rows === undefined ? "" : ` --rows ${rows.map(({ number }) => number).join(",")}`;
	const command = `npm run faults -- --seed ${seed} --scale ${scale}${only}`;
	console.log(`Seed ${seed}. Repeat this run with: ${command}`);
	const run = (row: Row): Promise<Outcome> => {
		const started = performance.now();
		const progress = (text: string) => {
			const seconds = ((performance.now() - started) / 1000).toFixed(0).padStart(4);
			process.stderr.write(`${seconds} s  ${row.number} ${row.name}: ${text}\n`);
		};
		return runRow(row, { scale, random: new Random(`${seed}/${row.name}`), progress });
	};
	const chosen = rows ?? ROWS;
	const outcomes = await Promise.all(chosen.filter(({ onEngine }) => onEngine).map(run));
	// One after another: a row that keeps this process busy would spoil the waits of its neighbour.
	for (const row of chosen.filter(({ onEngine }) => !onEngine)) outcomes.push(await run(row));
	outcomes.sort((one, other) => one.number - other.number);
	const counts = countFigures(outcomes);
	console.log(`\n${table(outcomes)}\n`);
	for (const text of missed(outcomes)) console.log(`${text}\n`);
	const report = { seed, scale, ...counts, rows: outcomes };
	if (json !== undefined) writeFileSync(json, `${JSON.stringify(report, undefined, 2)}\n`);
	console.log(`Repeat with: ${command}\n${counts.passed} passed, ${counts.failed} failed`);
	// Whatever a failed row left running must not keep the bench from ending.
	process.exit(counts.failed > 0 ? 1 : 0);
}

exitWith(main());
