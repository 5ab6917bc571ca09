import type { Props } from "../../../src/provider/handler";
import { type Declared, testDeployment } from "../../../test/helpers/e2e-deployment";
import { managedResources } from "../../../tools/stack";
import { none, type Row } from "../row";

const schedule = (name: string, args: Props = {}, opts: Props = {}, slot = name): Declared => ({
	kind: "PipelineSchedule",
	name,
	args: { adopt: true, scheduleName: slot, pipelineName: "rusty-vise", cronExpression: "0 3 1 * *", ...args },
	opts,
});
const settings = (name: string, opts: Props = {}, slot = name): Declared => ({
	kind: "PipelineSettings",
	name,
	args: { adopt: true, pipelineName: slot, pythonVersion: "3.12", onDestroy: "reset" },
	opts,
});

const moved = { pipelineName: "nightly-images" };
const later = { cronExpression: "0 9 1 * *" };
const protect = { protect: true };
const retain = { retainOnDelete: true };
const ignored = { ignoreChanges: ["pipelineName", "cronExpression"] };
const aliasOf = (name: string) => ({ aliases: [{ name }] });

const UNTOUCHED = [
	schedule("protected", {}, protect),
	schedule("protected-2", {}, protect),
	settings("protected-settings", protect),
];
const BEFORE = [
	...UNTOUCHED,
	schedule("alias"),
	schedule("alias-moved"),
	schedule("retained", {}, retain),
	schedule("retained-moved", {}, retain),
	schedule("protected-changed", {}, protect),
	schedule("ignored"),
	settings("settings-retained", retain),
	settings("settings-alias"),
	settings("settings-ignored"),
];
const TARGETS = [schedule("target"), schedule("target-moved"), schedule("other"), settings("settings-other")];
const AFTER = [
	...UNTOUCHED,
	schedule("alias-2", later, aliasOf("alias"), "alias"),
	schedule("alias-moved-2", moved, aliasOf("alias-moved"), "alias-moved"),
	schedule("retained-moved", moved, retain, "retained-new"),
	schedule("protected-changed", later, protect),
	schedule("ignored", { ...moved, ...later }, ignored),
	settings("settings-alias-2", aliasOf("settings-alias"), "settings-alias"),
	settings("settings-ignored", ignored, "nowhere"),
];
const TARGETED = [schedule("target", later), schedule("target-moved", moved)];

const nameOf = ({ args }: Pick<Declared, "args">): string => String(args.scheduleName ?? args.pipelineName);

/** What a program can say to the engine about replacing and deleting, on the real engine: nothing else is deleted. */
export const options: Row = {
	number: 5,
	name: "options",
	onEngine: true,
	async run({ progress }) {
		const test = await testDeployment({ env: { DATACHAIN_STUDIO_TEAM: "options" } });
		const { server, stack } = test;
		const all = [...BEFORE, ...TARGETS];
		const pipelines = all.flatMap((one) => (one.kind === "PipelineSettings" ? [nameOf(one)] : []));
		const team = server.addTeam("options", { pipelines: ["rusty-vise", "nightly-images", ...pipelines] });
		const make = (schedule_name: string) =>
			team.createSchedule({ schedule_name, pipeline_name: "rusty-vise", cron_expression: "30 1 1 * *" });
		make("bystander");
		// Every second one is there before, and is adopted.
		for (const one of all.filter((_, index) => index % 2 === 0)) {
			if (one.kind === "PipelineSchedule") make(nameOf(one));
			else team.setSettings({ pipeline_name: nameOf(one), python_version: "3.10" });
		}
		/** By ids that are never used twice. Settings are there while they have a value. */
		const present = (): Map<string, string> =>
			new Map([
				...team.schedules().map(({ id, name }): [string, string] => [`schedule ${id}`, name]),
				...team
					.pipelines()
					.flatMap(({ name, settings: { pythonVersion } }): [string, string][] =>
						pythonVersion ? [[`settings of ${name}`, name]] : [],
					),
			]);
		const wrong: string[] = [];
		const failed: string[] = [];
		/** Deploys, and compares the service before and after: which objects are gone, and which names are there, once each. */
		const step = async (
			what: string,
			program: readonly Declared[],
			{ gone = [], left = [], flags = [] }: Readonly<Record<string, readonly string[]>>,
			problem?: RegExp,
		) => {
			progress(what);
			test.declare(...program);
			const before = present();
			const run = what === "destroy" ? stack.destroy : stack.up;
			const { code, stdout } = await run(["--skip-preview", ...flags]);
			const after = present();
			if (problem ? code === 0 || !problem.test(stdout) : code !== 0)
				failed.push(`${what} ended with ${code}: ${stdout.trim().slice(-1_500)}`);
			const lost = [...before].filter(([id]) => !after.has(id)).map(([, name]) => name);
			const differ = (reached: Iterable<string>, wanted: readonly string[]) =>
				[...reached].sort().join() !== [...wanted].sort().join();
			if (differ(lost, gone)) wrong.push(`${what} deleted ${lost}, not ${gone}`);
			const kept = ["bystander", ...left];
			if (differ(after.values(), kept)) wrong.push(`${what} left ${[...after.values()]}, not ${kept}`);
		};
		try {
			const names = all.map(nameOf);
			await step("first up", all, { left: names });
			const refusals = {
				"up without what is protected": all.filter(({ name }) => !/^protected(-settings)?$/.test(name)),
				"up that replaces what is protected": all.map((one) =>
					one.name === "protected-2" ? schedule("protected-2", moved, protect) : one,
				),
			};
			for (const [what, program] of Object.entries(refusals))
				await step(what, program, { left: names }, /error:.*protect/s);
			const later = [...names, "retained-new"];
			await step("up", [...AFTER, ...TARGETS], { gone: ["alias-moved"], left: later });
			const flags = TARGETED.flatMap(({ name }) => ["--target", `**::${name}`]);
			const both = [...AFTER, ...TARGETED];
			await step("up --target", both, { gone: ["target-moved"], left: later, flags });
			const gone = ["other", "settings-other"];
			const last = later.filter((name) => !gone.includes(name));
			await step("full up after --target", both, { gone, left: last });
			// Destroy asks for what the state has, and for nothing else: what was retained, and the bystander, stay.
			const ended = managedResources(await stack.export())
				.filter(({ retainOnDelete }) => retainOnDelete !== true)
				.map(({ inputs = {} }) => nameOf({ args: inputs }));
			await stack.run(["state", "unprotect", "--all", "--yes", "--stack", stack.name]);
			await step("destroy", both, { gone: ended, left: last.filter((name) => !ended.includes(name)) });
		} finally {
			await test.dispose();
		}
		return {
			load: `${all.length} resources, half of them adopted, in 7 deployments`,
			figures: [
				none("deployments that delete or leave something else", wrong),
				none("commands that did not end as they should", failed),
			],
		};
	},
};
