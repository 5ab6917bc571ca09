import { randomInt } from "node:crypto";
import { writeFileSync } from "node:fs";
import { Command, InvalidArgumentError, Option } from "commander";
import { columns } from "../../src/report/renderings";
import { exitWith } from "../../tools/process/exit-with";
import { messageOf } from "./process";
import { Random } from "./random";
import { none, type Outcome, type Row, type RowContext, type RowResult, type Scale } from "./row";
import { kill } from "./rows/kill";
import { model } from "./rows/model";
import { options } from "./rows/options";
import { rateLimit } from "./rows/rate-limit";
import { replies } from "./rows/replies";
import { secrets } from "./rows/secrets";

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

/** A row that never ends must not keep the others from being reported. */
const LONGEST_MINUTES = { quick: 15, full: 120 };
const UNSEEN = ["unhandledRejection", "uncaughtException"];

/** Runs one row. Whatever it throws, and whatever fails unseen meanwhile, is a failed figure of it. */
async function runRow(row: Row, context: RowContext): Promise<Outcome> {
	const stray: string[] = [];
	const note = (error: unknown) => void stray.push(textOf(error));
	for (const event of UNSEEN) process.on(event, note);
	const started = performance.now();
	const minutes = LONGEST_MINUTES[context.scale];
	let timer: NodeJS.Timeout | undefined;
	const late = new Promise<never>((_, reject) => {
		const end = () => reject(new Error(`It did not end within ${minutes} minutes.`));
		timer = setTimeout(end, minutes * 60_000);
	});
	const broken = (error: unknown): RowResult => ({
		load: "did not finish",
		figures: [{ what: "ran", reached: "failed", wanted: "no error", ok: false, detail: textOf(error) }],
	});
	const result = await Promise.race([row.run(context), late]).catch(broken);
	clearTimeout(timer);
	for (const event of UNSEEN) process.off(event, note);
	// A row without a figure could never fail.
	const { figures } = result.figures.length > 0 ? result : broken("the row reported no figure");
	const unseen = stray.length === 0 ? [] : [none("errors nobody caught", stray)];
	const seconds = (performance.now() - started) / 1000;
	return { ...result, figures: [...figures, ...unseen], number: row.number, name: row.name, seconds };
}

const textOf = (error: unknown): string => (error instanceof Error && error.stack) || messageOf(error);

/** What each row did, and its figures below. */
const table = (outcomes: readonly Outcome[]): string =>
	outcomes
		.map(({ number, name, load, figures, seconds }) => {
			const cells = figures.map(({ what, reached, wanted, ok }) => [
				"",
				what,
				reached,
				wanted,
				ok ? "yes" : "NO",
			]);
			const rows = columns([["", "figure", "reached", "wanted", "ok"], ...cells]);
			return `${number} ${name}, ${seconds.toFixed(1)} s: ${load}\n${rows}`;
		})
		.join("\n");

/** What to look at where a figure was missed. */
function missed(outcomes: readonly Outcome[]): string[] {
	return outcomes.flatMap(({ number, name, figures }) =>
		figures
			.filter(({ ok }) => !ok)
			.map(({ what, reached, wanted, detail = "no detail was given" }) => {
				const title = `Row ${number} (${name}), ${what}: reached ${reached}, wanted ${wanted}`;
				return `${title}\n${detail.replace(/^/gm, "  ")}`;
			}),
	);
}

function countFigures(outcomes: readonly Outcome[]): { passed: number; failed: number } {
	const figures = outcomes.flatMap((outcome) => outcome.figures);
	const passed = figures.filter(({ ok }) => ok).length;
	return { passed, failed: figures.length - passed };
}

exitWith(main());
