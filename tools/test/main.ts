import { columns } from "../../src/text/renderings";
import { exitWith } from "../process/exit-with";
import { addUp, type Counts, verdict } from "./count";
import { NEED_ENGINE, nightly, type Step, steps } from "./steps";

/**
 * `npm test` runs everything; `npm test -- unit lint` only these. `npm run test:nightly` does the same with the longer
 * list. Nothing stops at the first failure.
 */
async function main(args: readonly string[]): Promise<number> {
	const stages = args.includes("--nightly") ? nightly : steps;
	const wanted = args.filter((name) => name !== "--nightly");
	const checks = stages
		.flat()
		.filter(({ prepares }) => prepares === undefined)
		.map(({ name }) => name);
	const unknown = wanted.filter((name) => !checks.includes(name));
	if (unknown.length > 0) {
		console.error(
			`There is no suite "${unknown.join('", "')}". Choose from: ${checks.join(", ")}.`,
		);
		return 2;
	}
	const chosen = wanted.length > 0 ? wanted : checks;
	const outcomes: Outcome[] = [];
	for (const stage of stages) {
		const needed = stage.filter((step) => isNeeded(step, chosen));
		const noEngine = outcomes.some(
			({ name, counts }) => name === "engine" && counts.failed > 0,
		);
		const running = needed.map((step) => perform(step, noEngine, needed.length > 1));
		outcomes.push(...(await Promise.all(running)));
	}
	const total = addUp(outcomes.map(({ counts }) => counts));
	const told = outcomes.flatMap(
		({ name, counts: { failures = [], secondTries = [] } }) => [
			...secondTries.map((text) => `⟳ passed at the second try: ${name} ${text}\n`),
			...failures.map((text) => `✗ ${name} ${text}\n`),
		],
	);
	console.log(`\n${told.join("\n")}\n${table(outcomes)}\n${verdict(total)}`);
	return total.failed > 0 ? 1 : 0;
}

function isNeeded(step: Step, chosen: readonly string[]): boolean {
	return (
		chosen.includes(step.name) ||
		(step.prepares ?? []).some((name) => chosen.includes(name))
	);
}

/** Beside others a step shows its output in one piece, when it is done. */
async function perform(
	step: Step,
	noEngine: boolean,
	sideBySide: boolean,
): Promise<Outcome> {
	if (noEngine && NEED_ENGINE.includes(step.name)) {
		return {
			name: step.name,
			counts: { passed: 0, failed: 1, skipped: 0 },
			seconds: 0,
			note: "no engine",
		};
	}
	const title = `\n── ${step.name} ${"─".repeat(Math.max(0, 60 - step.name.length))}`;
	let output = "";
	const collect = (chunk: string) => {
		output += chunk;
	};
	if (!sideBySide) console.log(title);
	const started = Date.now();
	const counts = await step
		.run(sideBySide ? collect : undefined)
		.catch((error: unknown) => {
			console.error(error);
			return { passed: 0, failed: 1, skipped: 0 };
		});
	if (sideBySide) console.log(`${title}\n${output.trimEnd()}`);
	return { name: step.name, counts, seconds: (Date.now() - started) / 1000 };
}

interface Outcome {
	readonly name: string;
	readonly counts: Counts;
	readonly seconds: number;
	/** Why it did not run. */
	readonly note?: string;
}

/** A table with a line for each step. */
function table(outcomes: readonly Outcome[]): string {
	const rows = outcomes.map(({ name, counts, seconds, note }) => [
		name,
		counts.passed,
		counts.failed,
		counts.skipped,
		`${seconds.toFixed(1)} s`,
		note,
	]);
	return columns([["", "passed", "failed", "skipped", "time", ""], ...rows]);
}

exitWith(main(process.argv.slice(2)));
