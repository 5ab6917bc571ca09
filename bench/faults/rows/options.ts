import type { Props } from "../../../src/provider/handler";
import { type Declared, type TestDeployment, testDeployment } from "../../../test/helpers/e2e-deployment";
import { managedResources, type Result } from "../../../tools/stack";
import { all, none, type Row } from "../row";

type Stage = "up" | "target" | "refused";
/** A resource by its name in the program and by what it is on the service: a schedule's name, or a pipeline. */
type Resource = readonly [name: string, slot: string, args?: Props, opts?: Props];
/**
 * The program before and after the change. Slots by one letter each: what is there once afterwards, what the change deletes,
 * what a full up after --target does.
 */
type Line = readonly [
	name: string,
	stage: Stage,
	before: readonly Resource[],
	after: readonly Resource[],
	leaves: string,
	deletes?: string,
	later?: string,
];

const moved = { pipelineName: "nightly-images" };
const later = { cronExpression: "0 9 1 * *" };
const protect = { protect: true };
const retain = { retainOnDelete: true };
const ignored = { ignoreChanges: ["pipelineName", "cronExpression"] };
const alias = { aliases: [{ name: "a" }] };

/** As they are made first. */
const [a, b, c]: readonly [Resource, Resource, Resource] = [
	["a", "s"],
	["b", "t"],
	["c", "u"],
];

const SCHEDULES: readonly Line[] = [
	["alias", "up", [a], [["b", "s", later, alias]], "s"],
	["alias, replaced", "up", [a], [["b", "s", moved, alias]], "s", "s"],
	["retained", "up", [["a", "s", {}, retain]], [], "s"],
	["retained, replaced", "up", [["a", "s", {}, retain]], [["a", "t", moved, retain]], "st"],
	["protected, changed", "up", [["a", "s", {}, protect]], [["a", "s", later, protect]], "s"],
	["ignored", "up", [a], [["a", "s", { ...moved, ...later }, ignored]], "s"],
	["target", "target", [a, b, c], [["a", "s", later]], "stu", "", "tu"],
	["target, replaced", "target", [a, b], [["a", "s", moved]], "st", "s", "t"],
	["protected", "refused", [["a", "s", {}, protect]], [], "s"],
	["protected, replaced", "refused", [["a", "s", {}, protect]], [["a", "s", moved, protect]], "s"],
];
const SETTINGS: readonly Line[] = [
	["settings, retained", "up", [["a", "s", {}, retain]], [], "s"],
	["settings, alias", "up", [a], [["b", "s", {}, alias]], "s"],
	["settings, ignored", "up", [a], [["a", "t", {}, ignored]], "s"],
	["settings, target", "target", [a, b], [a], "st", "", "t"],
	["settings, protected", "refused", [["a", "s", {}, protect]], [], "s"],
];

type Scenario = ReturnType<ReturnType<typeof scenarioOf>>;

const scenarioOf =
	(kind: "PipelineSchedule" | "PipelineSettings", adopt: boolean) =>
	([name, stage, before, after, leaves, deletes = "", last = ""]: Line) => {
		const unique = (slot: string) => `${name.replaceAll(/\W+/g, "-")}-${adopt ? "adopted" : "made"}-${slot}`;
		const argsOf = (slot: string): Props =>
			kind === "PipelineSchedule"
				? { scheduleName: unique(slot), pipelineName: "rusty-vise", cronExpression: "0 3 1 * *" }
				: { pipelineName: unique(slot), pythonVersion: "3.12", onDestroy: "reset" };
		const declared = ([resource, slot, args, opts]: Resource): Declared => ({
			kind,
			name: unique(resource),
			args: { adopt, ...argsOf(slot), ...args },
			opts: { ...opts, ...(opts === alias && { aliases: [{ name: unique("a") }] }) },
		});
		const slots = (letters: string) => [...letters].map(unique);
		const names = { leaves: slots(leaves), deletes: slots(deletes), later: slots(last) };
		return { name, stage, before: before.map(declared), after: after.map(declared), ...names, unique };
	};

/** Made by the program, or there before it and taken over with `adopt: true`. */
const SCENARIOS = [false, true].flatMap((adopt) => [
	...SCHEDULES.map(scenarioOf("PipelineSchedule", adopt)),
	...SETTINGS.map(scenarioOf("PipelineSettings", adopt)),
]);

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
		const pipelines = SCENARIOS.flatMap(({ unique }) => [unique("s"), unique("t")]);
		this.team = test.server.addTeam("options", { pipelines: ["rusty-vise", "nightly-images", ...pipelines] });
	}

	async all(): Promise<void> {
		const { stack } = this.test;
		const up = (args: readonly string[] = []) => stack.up(["--skip-preview", ...args]);
		const make = (schedule_name: string) =>
			this.team.createSchedule({ schedule_name, pipeline_name: "rusty-vise", cron_expression: "30 1 1 * *" });
		make("bystander");
		for (const { kind, args } of SCENARIOS.flatMap(({ before }) => before)) {
			if (args.adopt !== true) continue;
			if (kind === "PipelineSchedule") make(String(args.scheduleName));
			else this.team.setSettings({ pipeline_name: String(args.pipelineName), python_version: "3.10" });
		}
		const of = (stage: Stage) => SCENARIOS.filter((scenario) => scenario.stage === stage);
		const [changed, targeted] = [of("up"), of("target")];
		const slotsOf = (scenarios: readonly Scenario[], part: "leaves" | "deletes" | "later") =>
			scenarios.flatMap((scenario) => scenario[part]);
		await this.step("first up", [], [], [], () => up());
		// Refused at the first of them, so the removals come together, and the replacements.
		for (const name of ["protected", "protected, replaced"]) {
			const refused = of("refused").filter((scenario) => scenario.name.endsWith(name));
			await this.step(name, refused, [], slotsOf(refused, "leaves"), async () => {
				const result = await up();
				return { ...result, code: result.code !== 0 && /error:.*protect/s.test(result.stdout) ? 0 : 1 };
			});
		}
		await this.step("up", changed, slotsOf(changed, "deletes"), slotsOf(changed, "leaves"), () => up());
		const flags = targeted.flatMap(({ unique }) => ["--target", `**::${unique("a")}`]);
		const both = [...changed, ...targeted];
		const [first, then] = [slotsOf(targeted, "deletes"), slotsOf(targeted, "later")];
		await this.step("up --target", both, first, slotsOf(both, "leaves"), () => up(flags));
		await this.step("full up after --target", both, then, slotsOf(changed, "leaves"), () => up());
		// Destroy asks for what the state has, and for nothing else: what was retained, and the bystander, stay.
		const asked = managedResources(await stack.export())
			.filter(({ retainOnDelete }) => retainOnDelete !== true)
			.map(({ inputs = {} }) => String(inputs.scheduleName ?? inputs.pipelineName));
		await stack.run(["state", "unprotect", "--all", "--yes", "--stack", stack.name]);
		await this.step("destroy", both, asked, [], () => stack.destroy(["--skip-preview"]));
	}

	/** Runs one deployment of a program in which these scenarios are changed, and compares the service before and after. */
	private async step(
		name: string,
		changed: readonly Scenario[],
		asked: readonly string[],
		leaves: readonly string[],
		run: () => Promise<Result>,
	): Promise<void> {
		this.progress(name);
		this.test.declare(
			...SCENARIOS.flatMap((scenario) => (changed.includes(scenario) ? scenario.after : scenario.before)),
		);
		const before = this.present();
		const { code, stdout } = await run();
		const after = this.present();
		this.steps++;
		if (code !== 0) this.failed.push(`${name} ended with ${code}: ${stdout.trim().slice(-1_500)}`);
		const gone = [...before].filter(([id]) => !after.has(id)).map(([, object]) => object);
		const told = (objects: readonly string[]) => objects.map((object) => `${name}: ${object}`);
		this.unasked.push(...told(gone.filter((object) => !asked.includes(object))));
		this.asked += asked.length;
		this.notDone.push(...told(asked.filter((object) => !gone.includes(object))));
		const found = [...after.values()];
		const kept = ["bystander", ...leaves];
		this.left += kept.length;
		this.missing.push(...told(kept.filter((object) => found.filter((one) => one === object).length !== 1)));
	}

	/** What a deployment could delete, by ids that are never used twice. Settings are there while they have a value. */
	private present(): Map<string, string> {
		const set = this.team.pipelines().filter(({ settings }) => Boolean(settings.pythonVersion));
		return new Map([
			...this.team.schedules().map(({ id, name }): [string, string] => [`schedule ${id}`, name]),
			...set.map(({ name }): [string, string] => [`settings of ${name}`, name]),
		]);
	}
}
