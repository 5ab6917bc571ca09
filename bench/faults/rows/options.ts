import { type Declared, type TestDeployment, testDeployment } from "../../../test/helpers/e2e-deployment";
import { managedResources, type Result } from "../../../tools/stack";
import type { Props } from "../process";
import { all, none, type Row } from "../row";

/** One resource of a scenario; the slots are made unique by the scenario's and the variant's name. */
interface Part {
	readonly resource?: string;
	/** Of the schedule's name; settings have one of their own pipelines in its place. */
	readonly slot?: string;
	readonly args?: Props;
	readonly opts?: Props & { readonly aliases?: readonly string[] };
}

/** A change of the program that uses an option of the engine, and what it does to what is there. */
interface Sketch {
	readonly name: string;
	readonly kind?: "PipelineSettings";
	readonly stage: "up" | "target" | "refused";
	readonly before: readonly Part[];
	readonly after: readonly Part[];
	/** Slots whose objects the change deletes; those that are there once afterwards. */
	readonly deletes?: readonly string[];
	readonly leaves: readonly string[];
	/** What the full up after `--target` deletes. */
	readonly later?: readonly string[];
}

const plain: Part = {};
const moved = { pipelineName: "nightly-images" };
const later = { cronExpression: "0 9 1 * *" };
const protect = { protect: true };
const retain = { retainOnDelete: true };
const ignored = { ignoreChanges: ["pipelineName", "cronExpression"] };
const other: Part = { resource: "b", slot: "t" };

const settings = { kind: "PipelineSettings" } as const;
const aliased = { resource: "b", opts: { aliases: ["a"] } };
const third: Part = { resource: "c", slot: "u" };

const sketch = (
	name: string,
	stage: Sketch["stage"],
	[before, after]: readonly [readonly Part[], readonly Part[]],
	leaves: readonly string[],
	more: Partial<Sketch> = {},
): Sketch => ({ name, stage, before, after, leaves, ...more });

const SKETCHES: readonly Sketch[] = [
	sketch("alias", "up", [[plain], [{ ...aliased, args: later }]], ["s"]),
	sketch("alias and replacement", "up", [[plain], [{ ...aliased, args: moved }]], ["s"], { deletes: ["s"] }),
	sketch("retain", "up", [[{ opts: retain }], []], ["s"]),
	sketch(
		"retain, replace",
		"up",
		[[{ opts: retain }], [{ slot: "t", args: moved, opts: retain }]],
		["s", "t"],
	),
	sketch("protect and change", "up", [[{ opts: protect }], [{ args: later, opts: protect }]], ["s"]),
	sketch("ignore", "up", [[plain], [{ args: { ...moved, ...later }, opts: ignored }]], ["s"]),
	sketch(
		"target",
		"target",
		[
			[plain, other, third],
			[{ args: later }, { ...other, args: moved }],
		],
		["s", "t", "u"],
		{
			later: ["t", "u"],
		},
	),
	sketch("target and replacement", "target", [[plain, other], [{ args: moved }]], ["s", "t"], {
		deletes: ["s"],
		later: ["t"],
	}),
	sketch("protect", "refused", [[{ opts: protect }], []], ["s"]),
	sketch("protect, replace", "refused", [[{ opts: protect }], [{ args: moved, opts: protect }]], ["s"]),
	sketch("settings, retain", "up", [[{ opts: retain }], []], ["s"], settings),
	sketch("settings, alias", "up", [[plain], [aliased]], ["s"], settings),
	sketch("settings, ignore", "up", [[plain], [{ slot: "t", opts: ignored }]], ["s"], settings),
	sketch("settings, target", "target", [[plain, other], [plain]], ["s", "t"], { ...settings, later: ["t"] }),
	sketch("settings, protect", "refused", [[{ opts: protect }], []], ["s"], settings),
];

interface Scenario {
	readonly sketch: Sketch;
	unique(slot: string): string;
	declare(parts: readonly Part[]): Declared[];
}

/** Made by the program, or there before it and taken over with `adopt: true`. */
const SCENARIOS: readonly Scenario[] = SKETCHES.flatMap((sketch) =>
	[false, true].map((adopt) => {
		const unique = (slot: string) =>
			`${sketch.name.replaceAll(/\W+/g, "-")}-${adopt ? "adopted" : "made"}-${slot}`;
		const argsOf = (slot: string): Props =>
			sketch.kind === undefined
				? { scheduleName: unique(slot), pipelineName: "rusty-vise", cronExpression: "0 3 1 * *", adopt }
				: { pipelineName: unique(slot), pythonVersion: "3.12", onDestroy: "reset", adopt };
		const declare = (parts: readonly Part[]): Declared[] =>
			parts.map(({ resource = "a", slot = "s", args, opts: { aliases = [], ...opts } = {} }) => ({
				kind: sketch.kind ?? "PipelineSchedule",
				name: unique(resource),
				args: { ...argsOf(slot), ...args },
				opts: { ...opts, aliases: aliases.map((name) => ({ name: unique(name) })) },
			}));
		return { sketch, unique, declare };
	}),
);

/** What a program can say to the engine about replacing and deleting, on the real engine: nothing else is deleted. */
export const options: Row = {
	number: 8,
	name: "options",
	async run({ progress }) {
		const test = await testDeployment({ env: { DATACHAIN_STUDIO_TEAM: "options" } });
		try {
			const run = new Run(test, progress);
			await run.all();
			const { asked, notDone, left, missing } = run;
			return {
				load: `${SCENARIOS.length} scenarios, half of them with adoption, in ${run.steps} deployments`,
				figures: [
					none("deleted unasked", run.unasked),
					all("deleted as asked", asked - notDone.length, asked, notDone),
					all("left in place, once", left - missing.length, left, missing),
					none("commands that did not end as they should", run.failed),
				],
			};
		} finally {
			await test.dispose();
		}
	},
};

class Run {
	readonly unasked: string[] = [];
	readonly notDone: string[] = [];
	readonly missing: string[] = [];
	readonly failed: string[] = [];
	steps = 0;
	asked = 0;
	left = 0;
	private readonly team;

	constructor(
		private readonly test: TestDeployment,
		private readonly progress: (text: string) => void,
	) {
		const slots = SCENARIOS.filter(({ sketch }) => sketch.kind !== undefined);
		const pipelines = slots.flatMap(({ unique }) => [unique("s"), unique("t")]);
		this.team = test.server.addTeam("options", { pipelines: ["rusty-vise", "nightly-images", ...pipelines] });
	}

	async all(): Promise<void> {
		const nothing = () => [];
		const up = (args: readonly string[] = []) => this.test.stack.up(["--skip-preview", ...args]);
		const make = (schedule_name: string) =>
			this.team.createSchedule({ schedule_name, pipeline_name: "rusty-vise", cron_expression: "30 1 1 * *" });
		make("bystander");
		for (const { kind, args } of SCENARIOS.flatMap(({ sketch, declare }) => declare(sketch.before))) {
			if (args.adopt !== true) continue;
			if (kind === "PipelineSchedule") make(String(args.scheduleName));
			else this.team.setSettings({ pipeline_name: String(args.pipelineName), python_version: "3.10" });
		}
		await this.step("first up", [], nothing, () => up());
		const names = (stage: string) => SKETCHES.filter((each) => each.stage === stage).map(({ name }) => name);
		for (const refused of names("refused")) {
			await this.step(refused, [refused], nothing, async () => {
				const result = await up();
				return { ...result, code: /error:.*protect/s.test(result.stdout) && result.code !== 0 ? 0 : 1 };
			});
		}
		const both = [...names("up"), ...names("target")];
		const deletes = (stage: string) => (sketch: Sketch) =>
			sketch.stage === stage ? sketch.deletes : undefined;
		await this.step("up", names("up"), deletes("up"), () => up());
		const targets = SCENARIOS.filter(({ sketch }) => sketch.stage === "target").map(({ unique }) =>
			unique("a"),
		);
		const flags = targets.flatMap((name) => ["--target", `**::${name}`]);
		await this.step("up --target", both, deletes("target"), () => up(flags));
		await this.step(
			"full up after --target",
			both,
			({ later: slots }) => slots,
			() => up(),
		);
		await this.destroy();
	}

	/** Runs one deployment of a program in which the named sketches are changed, and compares before and after. */
	private async step(
		name: string,
		changed: readonly string[],
		deletes: (sketch: Sketch) => readonly string[] | undefined,
		run: () => Promise<Result>,
	): Promise<void> {
		this.progress(name);
		this.test.declare(
			...SCENARIOS.flatMap(({ sketch, declare }) =>
				declare(changed.includes(sketch.name) ? sketch.after : sketch.before),
			),
		);
		const asked = SCENARIOS.flatMap(({ sketch, unique }) => (deletes(sketch) ?? []).map(unique));
		const isOver = ({ name: sketch, later: slots }: Sketch) =>
			changed.includes(sketch) && (slots === undefined || name.startsWith("up"));
		const leaves = SCENARIOS.filter(({ sketch }) => isOver(sketch)).flatMap(({ sketch, unique }) =>
			sketch.leaves.map(unique),
		);
		await this.compare(name, asked, [...leaves, "bystander"], run);
	}

	private async compare(
		name: string,
		asked: readonly string[],
		leaves: readonly string[],
		run: () => Promise<Result>,
	): Promise<void> {
		const before = this.present();
		const { code, stdout } = await run();
		const after = this.present();
		this.steps++;
		if (code !== 0) this.failed.push(`${name} ended with ${code}: ${stdout.trim().slice(-1_500)}`);
		const gone = [...before].filter(([id]) => !after.has(id)).map(([, object]) => object);
		this.unasked.push(
			...gone.filter((object) => !asked.includes(object)).map((object) => `${name}: ${object}`),
		);
		this.asked += asked.length;
		this.notDone.push(
			...asked.filter((object) => !gone.includes(object)).map((object) => `${name}: ${object}`),
		);
		this.left += leaves.length;
		for (const object of leaves) {
			const count = [...after.values()].filter((found) => found === object).length;
			if (count !== 1) this.missing.push(`${name}: ${object} is there ${count} times`);
		}
	}

	/** What a deployment could delete, by ids that are never used twice. Settings are there while they have a value. */
	private present(): Map<string, string> {
		const set = this.team.pipelines().filter(({ settings }) => Boolean(settings.pythonVersion));
		return new Map([
			...this.team.schedules().map(({ id, name }): [string, string] => [`schedule ${id}`, name]),
			...set.map(({ name }): [string, string] => [`settings of ${name}`, name]),
		]);
	}

	/** Destroy asks for what the state has, and for nothing else: what was retained, and the bystander, stay. */
	private async destroy(): Promise<void> {
		const { stack } = this.test;
		const managed = managedResources(await stack.export()).filter(
			(resource) => resource.retainOnDelete !== true,
		);
		const asked = managed.map(({ inputs = {} }) => String(inputs.scheduleName ?? inputs.pipelineName));
		await stack.run(["state", "unprotect", "--all", "--yes", "--stack", stack.name]);
		await this.compare("destroy", asked, ["bystander"], () => stack.destroy(["--skip-preview"]));
	}
}
