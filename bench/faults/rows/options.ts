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
	number: 5,
	name: "options",
	onEngine: true,
	async run({ progress }) {
		const test = await testDeployment({ env: { DATACHAIN_STUDIO_TEAM: "options" } });
		try {
			const { steps, unasked, asked, left, failed } = await deployments(test, progress);
			return {
				load: `${SCENARIOS.length} scenarios, half of them with adoption, in ${steps} deployments`,
				figures: [
					none("deleted unasked", unasked),
					all("deleted as asked", asked.count - asked.missing.length, asked.count, asked.missing),
					all("left in place, once", left.count - left.missing.length, left.count, left.missing),
					none("commands that did not end as they should", failed),
				],
			};
		} finally {
			await test.dispose();
		}
	},
};

async function deployments({ server, stack, declare }: TestDeployment, progress: (text: string) => void) {
	const tally = () => ({ count: 0, missing: [] as string[] });
	const found = { steps: 0, unasked: [] as string[], asked: tally(), left: tally(), failed: [] as string[] };
	const pipelines = SCENARIOS.flatMap(({ unique }) => [unique("s"), unique("t")]);
	const team = server.addTeam("options", { pipelines: ["rusty-vise", "nightly-images", ...pipelines] });
	const make = (schedule_name: string) =>
		team.createSchedule({ schedule_name, pipeline_name: "rusty-vise", cron_expression: "30 1 1 * *" });
	/** What a deployment could delete, by ids that are never used twice. Settings are there while they have a value. */
	const present = (): Map<string, string> => {
		const set = team.pipelines().filter(({ settings }) => Boolean(settings.pythonVersion));
		return new Map([
			...team.schedules().map(({ id, name }): [string, string] => [`schedule ${id}`, name]),
			...set.map(({ name }): [string, string] => [`settings of ${name}`, name]),
		]);
	};
	/** Runs one deployment of a program in which these scenarios are changed, and compares the service before and after. */
	const step = async (
		name: string,
		changed: readonly Scenario[],
		asked: readonly string[],
		leaves: readonly string[],
		run: () => Promise<Result>,
	): Promise<void> => {
		progress(name);
		declare(
			...SCENARIOS.flatMap((scenario) => (changed.includes(scenario) ? scenario.after : scenario.before)),
		);
		const before = present();
		const { code, stdout } = await run();
		const after = present();
		found.steps++;
		if (code !== 0) found.failed.push(`${name} ended with ${code}: ${stdout.trim().slice(-1_500)}`);
		const gone = [...before].filter(([id]) => !after.has(id)).map(([, object]) => object);
		const told = (objects: readonly string[]) => objects.map((object) => `${name}: ${object}`);
		found.unasked.push(...told(gone.filter((object) => !asked.includes(object))));
		found.asked.count += asked.length;
		found.asked.missing.push(...told(asked.filter((object) => !gone.includes(object))));
		const kept = ["bystander", ...leaves];
		const times = (object: string) => [...after.values()].filter((one) => one === object).length;
		found.left.count += kept.length;
		found.left.missing.push(...told(kept.filter((object) => times(object) !== 1)));
	};
	const up = (args: readonly string[] = []) => stack.up(["--skip-preview", ...args]);
	const of = (stage: Stage) => SCENARIOS.filter((scenario) => scenario.stage === stage);
	const slotsOf = (scenarios: readonly Scenario[], part: "leaves" | "deletes" | "later") =>
		scenarios.flatMap((scenario) => scenario[part]);

	make("bystander");
	for (const { kind, args } of SCENARIOS.flatMap(({ before }) => before)) {
		if (args.adopt !== true) continue;
		if (kind === "PipelineSchedule") make(String(args.scheduleName));
		else team.setSettings({ pipeline_name: String(args.pipelineName), python_version: "3.10" });
	}
	await step("first up", [], [], [], up);
	// Refused at the first of them, so the removals come together, and the replacements.
	for (const name of ["protected", "protected, replaced"]) {
		const refused = of("refused").filter((scenario) => scenario.name.endsWith(name));
		await step(name, refused, [], slotsOf(refused, "leaves"), async () => {
			const result = await up();
			return { ...result, code: result.code !== 0 && /error:.*protect/s.test(result.stdout) ? 0 : 1 };
		});
	}
	const [changed, targeted] = [of("up"), of("target")];
	const both = [...changed, ...targeted];
	const targets = targeted.flatMap(({ unique }) => ["--target", `**::${unique("a")}`]);
	await step("up", changed, slotsOf(changed, "deletes"), slotsOf(changed, "leaves"), up);
	await step("up --target", both, slotsOf(targeted, "deletes"), slotsOf(both, "leaves"), () => up(targets));
	await step("full up after --target", both, slotsOf(targeted, "later"), slotsOf(changed, "leaves"), up);
	// Destroy asks for what the state has, and for nothing else: what was retained, and the bystander, stay.
	const last = managedResources(await stack.export())
		.filter(({ retainOnDelete }) => retainOnDelete !== true)
		.map(({ inputs = {} }) => String(inputs.scheduleName ?? inputs.pipelineName));
	await stack.run(["state", "unprotect", "--all", "--yes", "--stack", stack.name]);
	await step("destroy", both, last, [], () => stack.destroy(["--skip-preview"]));
	return found;
}
