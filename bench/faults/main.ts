import { randomInt } from "node:crypto";
import { writeFileSync } from "node:fs";
import { Command, InvalidArgumentError, Option } from "commander";
import { type Engine, ensureEngine } from "../../tools/engine";
import { Random } from "./random";
import type { Outcome, Row, Scale } from "./row";
import { drift } from "./rows/drift";
import { hostile } from "./rows/hostile";
import { kill } from "./rows/kill";
import { model } from "./rows/model";
import { options } from "./rows/options";
import { properties } from "./rows/properties";
import { races } from "./rows/races";
import { rateLimit } from "./rows/rate-limit";
import { replies } from "./rows/replies";
import { secrets } from "./rows/secrets";
import { runRow } from "./run-row";
import { countFigures, missed, table } from "./table";

/** Every row, in the order of the table. */
const ROWS: readonly Row[] = [
	replies,
	model,
	kill,
	drift,
	properties,
	secrets,
	races,
	options,
	rateLimit,
	hostile,
];

interface Arguments {
	readonly seed: string;
	readonly scale: Scale;
	readonly rows?: readonly Row[];
	readonly json?: string;
}

function readArguments(): Arguments {
	return new Command("npm run faults --")
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
		.option("--row, --rows <numbers>", "only these rows, such as 1,2,7", rowsOf)
		.option("--json <file>", "writes the same result as JSON")
		.addHelpText(
			"after",
			"\nExit code: 0 where every figure was reached, 1 where one was missed, 2 for wrong arguments.",
		)
		.showHelpAfterError()
		.exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
		.parse()
		.opts<Arguments>();
}

function seedOf(text: string): string {
	if (!/^[\w.-]{1,64}$/.test(text)) throw new InvalidArgumentError("Give letters, digits, . _ and -.");
	return text;
}

function rowsOf(text: string): readonly Row[] {
	const wanted = text.split(",").map((part) => part.trim());
	const unknown = wanted.filter((part) => !ROWS.some(({ number }) => String(number) === part));
	const known = ROWS.map(({ number, name }) => `${number} ${name}`).join(", ");
	if (unknown.length > 0)
		throw new InvalidArgumentError(`There is no row ${unknown.join(", ")}. The rows are ${known}.`);
	return ROWS.filter(({ number }) => wanted.includes(String(number)));
}

let engine: Promise<Engine> | undefined;

async function main(): Promise<number> {
	const { seed, scale, rows, json } = readArguments();
	const only = rows === undefined ? "" : ` --rows ${rows.map(({ number }) => number).join(",")}`;
	const command = `npm run faults -- --seed ${seed} --scale ${scale}${only}`;
	console.log(`Seed ${seed}. Repeat this run with: ${command}`);
	const started = performance.now();
	const secondsSince = (moment: number) => Math.round((performance.now() - moment) / 1000);
	const outcomes: Outcome[] = [];
	// One after another: a row that keeps the machine busy would spoil the waits of its neighbour.
	for (const row of rows ?? ROWS) {
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

main().then(
	// Whatever a failed row left running must not keep the bench from ending.
	(code) => process.exit(code),
	(error: unknown) => {
		console.error(error);
		process.exit(1);
	},
);
