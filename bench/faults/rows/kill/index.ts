import { type TestDeployment, testDeployment } from "../../../../test/helpers/e2e-deployment";
import { atOnce } from "../../at-once";
import type { Random } from "../../random";
import { all, none, type Row } from "../../row";
import { declaredOf, type Generation, Generations, writesBetween } from "./generations";
import { damageOf, type Findings, foreignSchedules, inspect } from "./inspect";
import { drawMoment, strike, type Victim } from "./strike";

const KINDS = [
	{ name: "CLI", victims: ["cli", "cli", "tree"], skipCheckpoints: false, quick: 2, full: 50 },
	{ name: "provider", victims: ["provider"], skipCheckpoints: false, quick: 1, full: 50 },
	{ name: "CLI, checkpoints skipped", victims: ["cli", "tree"], skipCheckpoints: true, quick: 1, full: 20 },
] as const;
type Kind = (typeof KINDS)[number];

/** Two stacks with a server each: one alone leaves a core idle. */
const LANES = 2;
const SCHEDULES = { quick: 12, full: 50 };
/** How often one kill may come too late before it counts as failed. */
const ATTEMPTS = 4;

interface Outcome {
	readonly kind: Kind;
	/** Which kill it was, to find it again. */
	readonly label: string;
	/** Why the way back failed; undefined where every command of it passed. */
	readonly failure: string | undefined;
	readonly damage: Awaited<ReturnType<typeof damageOf>>;
	readonly findings: Findings;
}

const isWell = ({ failure, findings }: Outcome): boolean =>
	failure === undefined && Object.values(findings).every((list: readonly string[]) => list.length === 0);

/** SIGKILL in the middle of a deployment, and the documented way back. */
export const kill: Row = {
	number: 3,
	name: "kill",
	async run({ scale, random, progress }) {
		const outcomes: Outcome[] = [];
		const orders = KINDS.flatMap((kind) => Array<Kind>(kind[scale]).fill(kind));
		const told = (outcome: Outcome) => {
			outcomes.push(outcome);
			const recovered = outcomes.filter(isWell).length;
			progress(`${outcomes.length} of ${orders.length} kills, ${recovered} recovered; ${outcome.label}`);
		};
		await atOnce(LANES, Array(LANES).keys(), (lane) => {
			const kinds = orders.filter((_, at) => at % LANES === lane);
			return runLane(kinds, random.fork(`lane ${lane}`), SCHEDULES[scale], told);
		});
		const sum = (part: keyof Outcome["damage"]) =>
			outcomes.reduce((total, { damage }) => total + damage[part], 0);
		const hurt = outcomes.filter(({ damage }) => Object.values(damage).some((count) => count > 0)).length;
		const figures = KINDS.flatMap((kind) => {
			const own = outcomes.filter((outcome) => outcome.kind === kind);
			const found = (part: keyof Findings): string[] =>
				own.flatMap(({ label, findings }) => findings[part].map((text) => `${label}: ${text}`));
			const failed = own.flatMap(({ label, failure = "" }) => (failure ? [`${label}: ${failure}`] : []));
			const why = [...failed, ...found("preview")];
			return [
				all(`${kind.name}: recovered`, own.filter(isWell).length, kind[scale], why),
				none(`${kind.name}: duplicated or left over`, found("duplicated")),
				none(`${kind.name}: lost or other than declared`, found("lost")),
				none(`${kind.name}: pending operations`, found("pending")),
			];
		});
		const note =
			`before the recovery: ${hurt} of ${outcomes.length} kills left damage: ${sum("pending")} pending operations, ${sum("unknown")} ` +
			`schedules unknown to the state, ${sum("missing")} in it that were gone`;
		return {
			load: `${orders.length} kills at random moments of up over ${SCHEDULES[scale]} schedules`,
			figures,
			note,
		};
	},
};

/**
 * Works through its kills on one stack: each strikes the step from one program to the next, and what it left is
 * brought in order before the next. The first step starts from nothing.
 */
async function runLane(
	kinds: readonly Kind[],
	random: Random,
	schedules: number,
	told: (outcome: Outcome) => void,
): Promise<void> {
	const test = await testDeployment();
	const generations = new Generations(schedules);
	let current: Generation = [];
	try {
		const foreign = foreignSchedules(test);
		for (const [index, kind] of kinds.entries()) {
			for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
				const draws = random.fork(`kill ${index}, attempt ${attempt}`);
				const next = generations.next(current, draws);
				const { hit, outcome } = await killOnce(test, kind, draws, { current, next, foreign });
				current = next;
				// A kill that came too late proves nothing, unless something is wrong all the same.
				if (!hit && attempt < ATTEMPTS && isWell(outcome)) continue;
				told(outcome);
				break;
			}
		}
	} finally {
		await test.dispose();
	}
}

async function killOnce(
	test: TestDeployment,
	kind: Kind,
	random: Random,
	{ current, next, foreign }: { current: Generation; next: Generation; foreign: ReadonlyMap<string, string> },
): Promise<{ hit: boolean; outcome: Outcome }> {
	const victim = random.pick(kind.victims);
	const moment = drawMoment(random, writesBetween(current, next));
	// The variable counts for the deployment and for its recovery, as in a shell that exports it.
	test.stack.env.PULUMI_SKIP_CHECKPOINTS = String(kind.skipCheckpoints);
	test.declare(...declaredOf(next));
	const { hit, hung, endLeftovers } = await strike(test, victim, moment);
	try {
		const damage = await damageOf(test, foreign);
		const recovery = await recover(test, victim, random.chance(0.2));
		const failure = hung ? "the killed deployment did not end" : recovery;
		const label = `${victim} killed at ${JSON.stringify(moment)}${hit ? "" : " (too late)"}`;
		return { hit, outcome: { kind, label, failure, damage, findings: await inspect(test, next, foreign) } };
	} finally {
		endLeftovers();
	}
}

/** The commands of docs/recovery.md and nothing else; the answer says which of them failed, if one did. */
async function recover(
	{ stack, withEnv }: TestDeployment,
	victim: Victim,
	preview: boolean,
): Promise<string | undefined> {
	const up = () =>
		withEnv({ DATACHAIN_ADOPT_EQUAL: "true" }, () => stack.up(preview ? [] : ["--skip-preview"]));
	const cancel = () => stack.run(["cancel", "--yes", "--stack", stack.name]);
	const refresh = () => stack.refresh(["--skip-preview", "--clear-pending-creates"]);
	// Where only the provider died, the CLI has saved the state and let go of the stack by itself.
	for (const run of victim === "provider" ? [up] : [cancel, up, refresh]) {
		const { code, stdout, stderr } = await run();
		if (code !== 0) return `${run.name} failed (${code}): ${`${stdout}\n${stderr}`.trim().slice(-1_500)}`;
	}
	return undefined;
}
