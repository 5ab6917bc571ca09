import type { Props } from "../../../src/provider/model/props";
import { type Declared, testDeployment } from "../../../test/helpers/e2e-deployment";
import type { Row } from "../row";

const schedule = (
	name: string,
	args: Props = {},
	opts: Props = {},
	scheduleName = name,
): Declared => ({
	kind: "PipelineSchedule",
	name,
	args: {
		adopt: true,
		scheduleName,
		pipelineName: "rusty-vise",
		cronExpression: "0 3 1 * *",
		...args,
	},
	opts,
});

const moved = { pipelineName: "nightly-images" };
const later = { cronExpression: "0 9 1 * *" };
const protect = { protect: true };
const retain = { retainOnDelete: true };
const ignored = { ignoreChanges: ["pipelineName", "cronExpression"] };

const PROTECTED = schedule("protected", {}, protect);
const BEFORE = [
	schedule("alias"),
	schedule("retained", {}, retain),
	schedule("retained-moved", {}, retain),
	schedule("ignored"),
];
const AFTER = [
	PROTECTED,
	schedule("alias-2", moved, { aliases: [{ name: "alias" }] }, "alias"),
	schedule("retained-moved", moved, retain, "retained-new"),
	schedule("ignored", { ...moved, ...later }, ignored),
];
const TARGETS = [schedule("target"), schedule("other")];
const TARGETED = [schedule("target", moved)];

/** What a program can say to the engine about replacing and deleting, on the real engine: nothing else is deleted. */
export const options: Row = {
	number: 5,
	name: "options",
	onEngine: true,
	async run({ progress }) {
		const test = await testDeployment({ env: { DATACHAIN_STUDIO_TEAM: "options" } });
		const { server, stack } = test;
		const team = server.addTeam("options", {
			pipelines: ["rusty-vise", "nightly-images"],
		});
		// One is a bystander's; the others are adopted.
		for (const schedule_name of [
			"bystander",
			"alias",
			"retained",
			"protected",
			"other",
		])
			team.createSchedule({
				schedule_name,
				pipeline_name: "rusty-vise",
				cron_expression: "30 1 1 * *",
			});
		const wrong: string[] = [];
		const failed: string[] = [];
		/** Deploys, and compares the service before and after: which ids are gone, and which names are there, once each. */
		const step = async (
			what: string,
			program: readonly Declared[],
			{
				gone = [],
				left,
				flags = [],
			}: { gone?: string[]; left: string[]; flags?: string[] },
			problem?: RegExp,
		) => {
			progress(what);
			test.declare(...program);
			const before = team.schedules();
			const run = what === "destroy" ? stack.destroy : stack.up;
			const { code, stdout } = await run(["--skip-preview", ...flags]);
			const after = team.schedules();
			if (problem ? code === 0 || !problem.test(stdout) : code !== 0)
				failed.push(`${what} ended with ${code}: ${stdout.trim().slice(-1_500)}`);
			const ids = after.map(({ id }) => id);
			const sorted = (names: readonly string[]) => [...names].sort().join();
			const lost = sorted(
				before.filter(({ id }) => !ids.includes(id)).map(({ name }) => name),
			);
			const kept = sorted(after.map(({ name }) => name));
			if (lost !== sorted(gone)) wrong.push(`${what} deleted ${lost}, not ${gone}`);
			if (kept !== sorted(["bystander", ...left]))
				wrong.push(`${what} left ${kept}, not ${left}`);
		};
		try {
			const all = [PROTECTED, ...BEFORE, ...TARGETS];
			const names = all.map(({ name }) => name);
			const refusal = /error:.*protect/s;
			await step("first up", all, { left: names });
			await step(
				"up without what is protected",
				all.slice(1),
				{ left: names },
				refusal,
			);
			const replacing = [schedule("protected", moved, protect), ...all.slice(1)];
			await step(
				"up that replaces what is protected",
				replacing,
				{ left: names },
				refusal,
			);
			const more = [...names, "retained-new"];
			await step("up", [...AFTER, ...TARGETS], { gone: ["alias"], left: more });
			const last = [...AFTER, ...TARGETED];
			await step("up --target", last, {
				gone: ["target"],
				left: more,
				flags: ["--target", "**::target"],
			});
			const left = more.filter((name) => name !== "other");
			await step("full up after --target", last, { gone: ["other"], left });
			await stack.run(["state", "unprotect", "--all", "--yes", "--stack", stack.name]);
			const gone = ["protected", "alias", "ignored", "target"];
			await step("destroy", last, {
				gone,
				left: ["retained", "retained-moved", "retained-new"],
			});
		} finally {
			await test.dispose();
		}
		return {
			load: "7 schedules, some of them adopted, in 7 deployments",
			figures: [
				{ what: "deployments that delete or leave something else", cases: wrong },
				{ what: "commands that did not end as they should", cases: failed },
			],
		};
	},
};
