import { spawnSync } from "node:child_process";
import { constants } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { Props } from "../../../src/provider/model/props";
import { messageOf } from "../../../src/text/wording";
import {
	type TestDeployment,
	testDeployment,
} from "../../../test/helpers/e2e-deployment";
import { asEntry } from "../../../test/model/engine-place";
import type { Random } from "../../../test/model/random";
import { ScheduleBook } from "../../../test/model/schedule-book";
import { SettingsBook } from "../../../test/model/settings-book";
import type { Entry, Program, Resource } from "../../../test/model/stack";
import { descendants, killTree, signalQuietly } from "../../../tools/process/kill-tree";
import { managedResources } from "../../../tools/stack";
import { atOnce, type Row } from "../row";

const KINDS = [
	{
		name: "CLI",
		victims: ["cli", "cli", "tree"],
		skipCheckpoints: false,
		quick: 2,
		full: 50,
	},
	{
		name: "provider",
		victims: ["provider"],
		skipCheckpoints: false,
		quick: 1,
		full: 50,
	},
	{
		name: "CLI, checkpoints skipped",
		victims: ["cli", "tree"],
		skipCheckpoints: true,
		quick: 1,
		full: 20,
	},
] as const;
type Kind = (typeof KINDS)[number];

/** Two stacks with a server each: one alone leaves a core idle. */
const LANES = 2;
const SCHEDULES = { quick: 12, full: 50 };
/** How often one kill may come too late before it counts as failed. */
const ATTEMPTS = 4;

/** SIGKILL in the middle of a deployment, and the documented way back. */
export const kill: Row = {
	number: 3,
	name: "kill",
	onEngine: true,
	async run({ scale, random, progress }) {
		const orders = KINDS.flatMap((kind) => Array<Kind>(kind[scale]).fill(kind));
		const problems = new Map<Kind, string[]>(KINDS.map((kind) => [kind, []]));
		await atOnce(LANES, Array(LANES).keys(), async (number) => {
			const test = await testDeployment();
			const lane = new Lane(
				test,
				new Generations(SCHEDULES[scale]),
				random.fork(`lane ${number}`),
			);
			try {
				for (const [at, kind] of orders.entries()) {
					if (at % LANES !== number) continue;
					problems.get(kind)?.push(...(await lane.kill(kind)));
					progress(`kill ${at + 1} of ${orders.length}`);
				}
			} finally {
				await test.dispose();
			}
		});
		return {
			load: `${orders.length} kills at random moments of up over ${SCHEDULES[scale]} schedules`,
			figures: [...problems].map(([kind, cases]) => ({
				what: `${kind.name}, ${kind[scale]} kills: not recovered, lost or doubled`,
				cases,
			})),
		};
	},
};

/** One stack: each kill strikes the step from one program to the next, and what it left is mended before the next. */
class Lane {
	private readonly state: { name: string; entries: Entry[] } = {
		name: "dev",
		entries: [],
	};
	private readonly schedules: ScheduleBook;
	private readonly settings: SettingsBook;
	private program: Program = [];
	private kills = 0;

	constructor(
		private readonly test: TestDeployment,
		private readonly generations: Generations,
		private readonly random: Random,
	) {
		const team = test.server.team(test.server.teamName);
		this.schedules = new ScheduleBook(team, [this.state]);
		this.settings = new SettingsBook(team, [this.state]);
		for (const schedule_name of ["killed", "killed-by-hand"])
			team.createSchedule({
				schedule_name,
				pipeline_name: "rusty-vise",
				cron_expression: "0 5 1 * *",
			});
		for (const schedule of team.schedules()) this.schedules.note(schedule);
	}

	/** What is wrong after it. A kill that came too late proves nothing, unless something is wrong all the same. */
	async kill(kind: Kind): Promise<string[]> {
		for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
			const { hit, problems } = await this.killOnce(
				kind,
				this.random.fork(`kill ${this.kills++}`),
			);
			if (hit || problems.length > 0) return problems;
		}
		return ["every attempt came too late"];
	}

	private async killOnce(
		kind: Kind,
		random: Random,
	): Promise<{ hit: boolean; problems: string[] }> {
		const { test } = this;
		const before = this.program;
		const { program, writes } = this.generations.next(before, random);
		this.program = program;
		const victim = random.pick(kind.victims);
		const moment = drawMoment(random, writes);
		// The variable counts for the deployment and for its recovery, as in a shell that exports it.
		test.stack.env.PULUMI_SKIP_CHECKPOINTS = String(kind.skipCheckpoints);
		test.declare(...program);
		this.schedules.look();
		this.settings.look();
		const { hit, hung, endLeftovers } = await strike(test, victim, moment);
		try {
			const failure = hung
				? "the killed deployment did not end"
				: ((await recover(test, victim, random.chance(0.2))) ??
					(await this.leftToDo()));
			const state = await test.stack.export();
			this.state.entries = managedResources(state).map(asEntry);
			const pending = (state.deployment.pending_operations ?? []).map(
				(one) => `pending: ${JSON.stringify(one)}`,
			);
			const problems = [failure, ...pending, this.violation(before)].filter(
				(one) => one !== undefined,
			);
			return {
				hit,
				problems: problems.map(
					(one) => `${victim} killed at ${JSON.stringify(moment)}: ${one}`,
				),
			};
		} finally {
			endLeftovers();
		}
	}

	private async leftToDo(): Promise<string | undefined> {
		const { code, stdout } = await this.test.stack.preview(["--expect-no-changes"]);
		return code === 0
			? undefined
			: `the preview shows changes: ${stdout.trim().slice(-600)}`;
	}

	private violation(before: Program): string | undefined {
		const change = {
			stack: this.state,
			before,
			after: this.program,
			replaced: [],
			notices: [],
		};
		try {
			for (const book of [this.schedules, this.settings]) {
				book.checkSafety({ ...change, adoptEqual: true });
				book.checkSuccess({ ...change, adoptEqual: true });
			}
			return undefined;
		} catch (error) {
			return messageOf(error);
		}
	}
}

/** The commands of docs/recovery.md and nothing else; the answer says which of them failed, if one did. */
async function recover(
	{ stack, withEnv }: TestDeployment,
	victim: Victim,
	preview: boolean,
): Promise<string | undefined> {
	const up = () =>
		withEnv({ DATACHAIN_ADOPT_EQUAL: "true" }, () =>
			stack.up(preview ? [] : ["--skip-preview"]),
		);
	const cancel = () => stack.run(["cancel", "--yes", "--stack", stack.name]);
	const refresh = () => stack.refresh(["--skip-preview", "--clear-pending-creates"]);
	// Where only the provider died, the CLI has saved the state and let go of the stack by itself.
	for (const run of victim === "provider" ? [up] : [cancel, up, refresh]) {
		const { code, stdout, stderr } = await run();
		if (code !== 0)
			return `${run.name} failed (${code}): ${`${stdout}\n${stderr}`.trim().slice(-1_500)}`;
	}
	return undefined;
}

/** Which part of the schedules each step removes (and makes anew), replaces, and so on; the rest stays. */
const PARTS = { removed: 0.24, replaced: 0.2, rescheduled: 0.2, renamed: 0.08 };

/** Pausing acts on a pipeline, so all schedules of one share it; nobody but the program uses this one. */
const PAUSABLE = "quiet-harbor";
const PIPELINES = ["nightly-images", "rusty-vise", PAUSABLE];

/** Programs that follow each other: each step creates, updates, replaces, renames and deletes at once. */
class Generations {
	private made = 0;

	constructor(private readonly size: number) {}

	/** The program after the previous one, and how many writes the step takes; the first comes after an empty one. */
	next(previous: Program, random: Random): { program: Program; writes: number } {
		const count = (part: keyof typeof PARTS) =>
			previous.length > 0 ? Math.ceil(PARTS[part] * this.size) : 0;
		const kept = random.shuffled(previous).slice(count("removed"));
		const changed = (
			part: keyof typeof PARTS,
			change: (args: Props) => Props,
		): Resource[] =>
			kept
				.splice(0, count(part))
				.map((one) => ({ ...one, args: { ...one.args, ...change(one.args) } }));
		const others = (name: unknown) => PIPELINES.filter((pipeline) => pipeline !== name);
		const all: Resource[] = [
			...changed("replaced", ({ pipelineName }) => ({
				pipelineName: random.pick(others(pipelineName)),
			})),
			...changed("rescheduled", () => ({ cronExpression: cron(random) })),
			...changed("renamed", () => ({ scheduleName: `killed-${this.made++}` })),
			...kept,
		];
		const writes = this.size - all.length + count("removed") + 2 * count("replaced");
		while (all.length < this.size) {
			const scheduleName = `killed-${this.made++}`;
			const args = {
				scheduleName,
				pipelineName: random.pick(PIPELINES),
				cronExpression: cron(random),
			};
			all.push({ kind: "PipelineSchedule", name: `r-${scheduleName}`, args });
		}
		const paused = random.chance(0.5);
		return {
			program: all.map((one) => {
				const { pipelineName } = one.args;
				return {
					...one,
					args: { ...one.args, paused: paused && pipelineName === PAUSABLE },
				};
			}),
			writes: writes + count("rescheduled") + count("renamed"),
		};
	}
}

/** A day of the month, so that hardly any fires while the bench runs. */
const cron = (random: Random): string =>
	`${random.integer(0, 59)} ${random.integer(0, 23)} ${random.integer(1, 28)} * *`;

/** The CLI alone (an operator, the kernel short of memory), all of it (a container's end), or our provider. */
type Victim = "cli" | "tree" | "provider";

interface Moment {
	/** The write with which it happens; 0 is before the first. */
	readonly write: number;
	/** Keeps that write open, before its work or after it, so that the kill falls between the two. */
	readonly slow:
		| { readonly kind: "delay" | "slow-body"; readonly ms: number }
		| undefined;
	readonly pauseMs: number;
}

const LIMIT_MS = 90_000;
const KILLED = 128 + constants.signals.SIGKILL;

function drawMoment(random: Random, writes: number): Moment {
	const write = random.integer(0, writes);
	if (write === 0) return { write, slow: undefined, pauseMs: random.integer(0, 1500) };
	// The last write would often be answered, and the deployment over, before the signal arrives.
	const open = write === writes || random.chance(0.6);
	if (!open) return { write, slow: undefined, pauseMs: random.integer(0, 30) };
	// A slow body comes in twenty pieces; either way the write stays open for 120 ms or more.
	const slow = random.chance(0.5)
		? { kind: "delay" as const, ms: random.integer(120, 250) }
		: { kind: "slow-body" as const, ms: random.integer(6, 12) };
	return { write, slow, pauseMs: random.integer(0, 100) };
}

/** Runs `pulumi up` and kills the victim at the moment. */
async function strike(test: TestDeployment, victim: Victim, moment: Moment) {
	test.server.requests.clear();
	const running = test.stack.start("up", ["--skip-preview"]);
	const { pid } = running;
	if (pid === undefined) throw new Error("The Pulumi CLI could not be started.");
	const state = { over: false, hung: false };
	const finished = running.finished.then((result) => {
		state.over = true;
		return result;
	});
	const timer = setTimeout(() => {
		state.hung = true;
		running.kill();
	}, LIMIT_MS);
	const until = async (holds: () => boolean, everyMs = 1): Promise<void> => {
		while (!state.over && !holds()) await sleep(everyMs);
	};
	const reached = (writes: number) =>
		until(() => test.server.requests.count({ method: "POST" }) >= writes);
	await reached(moment.write - 1);
	// Found before the moment comes, because looking takes longer than a request.
	let provider: number[] = [];
	const isFound = () => {
		provider = descendants(pid).filter(isProvider);
		return provider.length > 0;
	};
	if (victim === "provider") await until(isFound, 50);
	const clear =
		moment.slow && test.server.faults.add({ endpoint: "*", ...moment.slow });
	await reached(moment.write);
	await sleep(moment.pauseMs);
	const { over } = state;
	const left = !over && victim === "cli" ? killAlone(pid) : new Map<number, string>();
	if (!over && victim === "tree") running.kill();
	for (const one of over ? [] : provider) signalQuietly(one, "SIGKILL");
	const result = await finished;
	clearTimeout(timer);
	clear?.();
	// A CLI that had finished all the same in that instant was not killed.
	const hit =
		!over && (victim === "provider" ? provider.length > 0 : result.code === KILLED);
	return {
		/** False where the deployment was over before its moment came. */
		hit,
		/** True where the deployment had to be ended, because its killed provider did not end it. */
		hung: state.hung || result.timedOut,
		endLeftovers: () => end(left),
	};
}

const commandOf = (pid: number): string =>
	spawnSync("ps", ["-p", String(pid), "-o", "args="], {
		encoding: "utf8",
	}).stdout.trim();

/** The node process that runs our provider; the shell script around it is the engine's. */
const isProvider = (pid: number): boolean =>
	/^\S*node\S* \S*dynamic-provider\b/.test(commandOf(pid));

/** Stopped first, so that it starts nothing more while we look at what it will leave behind, and by which command. */
function killAlone(pid: number): Map<number, string> {
	signalQuietly(pid, "SIGSTOP");
	try {
		return new Map(descendants(pid).map((below) => [below, commandOf(below)]));
	} finally {
		signalQuietly(pid, "SIGKILL");
	}
}

/** A killed CLI leaves its children behind, and nobody else ends them; a number may be another process's by now. */
function end(left: ReadonlyMap<number, string>): void {
	for (const [pid, command] of left) if (commandOf(pid) === command) killTree(pid);
}
