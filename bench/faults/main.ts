import { randomInt } from "node:crypto";
import { Command, InvalidArgumentError, Option } from "commander";
import { columns } from "../../src/text/renderings";
import { messageOf } from "../../src/text/wording";
import { Random } from "../../test/model/random";
import { exitWith } from "../../tools/process/exit-with";
import type { Row, RowResult, Scale } from "./row";
import { kill } from "./rows/kill";
import { model } from "./rows/model";
import { options } from "./rows/options";
import { replies } from "./rows/replies";
import { secrets } from "./rows/secrets";

/** Every row, in the order of the table. */
const ROWS: readonly Row[] = [replies, model, kill, secrets, options];

interface Arguments {
	readonly seed: string;
	readonly scale: Scale;
	readonly rows: readonly Row[];
}

const readArguments = (): Arguments =>
	new Command("npm run faults --")
		.description(
			"Tries to make the provider lose, duplicate or leak something, and prints one table with what it reached.",
		)
		.option(
			"--seed <text>",
			"every random choice comes from it; if you omit it, a new one is drawn and printed",
			String,
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
		.addOption(
			new Option("--row, --rows <numbers>", "only these rows, such as 1,2,5")
				.argParser(rowsOf)
				.default(ROWS, "all"),
		)
		.parse()
		.opts<Arguments>();

function rowsOf(text: string): readonly Row[] {
	const wanted = text.split(",").map((part) => part.trim());
	const rows = ROWS.filter(({ number }) => wanted.includes(String(number)));
	const known = ROWS.map(({ number, name }) => `${number} ${name}`).join(", ");
	if (rows.length < wanted.length)
		throw new InvalidArgumentError(`The rows are ${known}.`);
	return rows;
}

async function main(): Promise<void> {
	const { seed, scale, rows } = readArguments();
	const numbers = rows.map(({ number }) => number);
	const command = `npm run faults -- --seed ${seed} --scale ${scale} --rows ${numbers.join(",")}`;
	console.log(`Seed ${seed}. Repeat this run with: ${command}`);
	const results = new Map<Row, RowResult>();
	const run = async (row: Row) => void results.set(row, await runRow(row, seed, scale));
	await Promise.all(rows.filter(({ onEngine }) => onEngine).map(run));
	// One after another: a row that keeps this process busy would spoil the waits of its neighbour.
	for (const row of rows.filter(({ onEngine }) => !onEngine)) await run(row);
	const ordered = rows.flatMap((row) => {
		const result = results.get(row);
		return result === undefined
			? []
			: [{ title: `${row.number} ${row.name}`, ...result }];
	});
	for (const { title, load, figures } of ordered) {
		const cells = figures.map(({ what, cases }) => [
			"",
			what,
			cases.length,
			cases.length === 0 ? "yes" : "NO",
		]);
		console.log(
			`\n${title}: ${load}\n${columns([["", "must be none", "are", "ok"], ...cells])}`,
		);
	}
	const all = ordered.flatMap(({ title, figures }) =>
		figures.map((figure) => ({ title, ...figure })),
	);
	const failed = all.filter(({ cases }) => cases.length > 0);
	for (const { title, what, cases } of failed)
		console.log(
			`\n${title}, ${what}:\n${cases.slice(0, 5).join("\n").replace(/^/gm, "  ")}`,
		);
	console.log(
		`\nRepeat with: ${command}\n${all.length - failed.length} passed, ${failed.length} failed`,
	);
	// Whatever a failed row left running must not keep the bench from ending.
	process.exit(failed.length > 0 ? 1 : 0);
}

const UNSEEN = ["unhandledRejection", "uncaughtException"];

/** Runs one row. Whatever it throws, and whatever fails unseen meanwhile, is a failed figure of it. */
async function runRow(row: Row, seed: string, scale: Scale): Promise<RowResult> {
	const stray: string[] = [];
	const note = (error: unknown) => void stray.push(textOf(error));
	const started = performance.now();
	const progress = (text: string) => {
		const seconds = ((performance.now() - started) / 1000).toFixed(0).padStart(4);
		process.stderr.write(`${seconds} s  ${row.number} ${row.name}: ${text}\n`);
	};
	for (const event of UNSEEN) process.on(event, note);
	const { load, figures } = await row
		.run({ scale, random: new Random(`${seed}/${row.name}`), progress })
		.catch((error: unknown) => ({
			load: "did not finish",
			figures: [{ what: "errors", cases: [textOf(error)] }],
		}));
	for (const event of UNSEEN) process.off(event, note);
	return {
		load,
		figures: [...figures, { what: "errors nobody caught", cases: stray }],
	};
}

const textOf = (error: unknown): string =>
	(error instanceof Error && error.stack) || messageOf(error);

exitWith(main());
