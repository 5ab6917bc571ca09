import type { TestDeployment } from "../../../../test/helpers/e2e-deployment";
import { managedResources, type Result } from "../../../../tools/stack";
import { type Asked, type Ledger, scheduleNamed, settingsOf } from "./ledger";
import { BYSTANDER } from "./prepare";
import { NOTHING, type Scenario, type Stage, together } from "./scenario";

type Deploy = (
	test: TestDeployment,
	scenarios: readonly Scenario[],
	ledger: Ledger,
	progress: (text: string) => void,
) => Promise<void>;

const up = (test: TestDeployment, args: readonly string[] = []) => test.stack.up(["--skip-preview", ...args]);

interface Step {
	readonly name: string;
	/** The stages whose change the program has by then. */
	readonly changed: readonly Stage[];
	run(test: TestDeployment, scenarios: readonly Scenario[]): Promise<Result>;
	asked(scenario: Scenario): Asked;
}

const STEPS: readonly Step[] = [
	{ name: "first up", changed: [], run: (test) => up(test), asked: () => NOTHING },
	{
		name: "up",
		changed: ["together"],
		run: (test) => up(test),
		asked: ({ stage, asked }) => (stage === "together" ? asked : NOTHING),
	},
	{
		name: "up --target",
		changed: ["together", "target"],
		run: (test, scenarios) => {
			const names = scenarios.flatMap(({ targets }) => targets ?? []);
			return up(
				test,
				names.flatMap((name) => ["--target", `**::${name}`]),
			);
		},
		asked: ({ stage, asked }) => (stage === "target" ? asked : NOTHING),
	},
	{
		name: "full up after --target",
		changed: ["together", "target"],
		run: (test) => up(test),
		asked: ({ later }) => later ?? NOTHING,
	},
];

/** All changes that go through, side by side in one program. */
export const deployAccepted: Deploy = async (test, scenarios, ledger, progress) => {
	for (const { name, changed, run, asked } of STEPS) {
		progress(name);
		test.declare(
			...scenarios.flatMap(({ stage, before, after }) => (changed.includes(stage) ? after : before)),
		);
		await ledger.step(test, name, together(scenarios.map(asked)), () => run(test, scenarios));
	}
	await destroyAll(test, ledger);
};

/** One refused change, or one group of them, at a time; at the end the program is put back, or does what the refusal says. */
export const deployRefused: Deploy = async (test, scenarios, ledger, progress) => {
	test.declare(...scenarios.flatMap(({ before }) => before));
	await ledger.step(test, "first up", NOTHING, () => up(test));
	for (const group of groupsOf(scenarios)) {
		progress(`refused: ${group}`);
		const tried = scenarios.filter((scenario) => scenario.group === group);
		test.declare(...scenarios.flatMap((one) => (tried.includes(one) ? one.after : one.before)));
		await ledger.step(test, `${group}`, together(tried.map(({ asked }) => asked)), async () => {
			const result = await up(test, ["--continue-on-error"]);
			const passed = tried.filter((one) => !isRefused(one, result));
			if (passed.length === 0) return { ...result, code: 0 };
			return {
				...result,
				code: 1,
				stdout: `not refused: ${passed.map(({ name }) => name)}: ${result.stdout}`,
			};
		});
	}
	test.declare(...scenarios.flatMap(({ before, settled }) => settled ?? before));
	const kept = together(scenarios.map(({ asked }) => asked));
	await ledger.step(test, "up after the refusals", kept, () => up(test));
	await destroyAll(test, ledger);
};

/** Retained ones come last: the engine tries them again with every deployment until they have another name. */
function groupsOf(scenarios: readonly Scenario[]): (string | undefined)[] {
	const groups = [...new Set(scenarios.map(({ group }) => group))];
	return [...groups.filter((group) => group !== "retained"), "retained"];
}

/** The deployment failed, and an error is shown for one of the scenario's resources. */
function isRefused({ before, after }: Scenario, { code, stdout }: Result): boolean {
	return code !== 0 && [...before, ...after].some(({ name }) => stdout.includes(`(${name}):\n    error:`));
}

/** Destroy asks for what the state has, and for nothing else: what was retained, and the bystander, stay. */
async function destroyAll(test: TestDeployment, ledger: Ledger): Promise<void> {
	const retained = (resource: object): boolean =>
		"retainOnDelete" in resource && resource.retainOnDelete === true;
	const deletes = managedResources(await test.stack.export())
		.filter((resource) => !retained(resource))
		.flatMap(({ inputs }) => {
			if (typeof inputs?.scheduleName === "string") return [scheduleNamed(inputs.scheduleName)];
			return typeof inputs?.pythonVersion === "string" ? [settingsOf(String(inputs.pipelineName))] : [];
		});
	await test.stack.run(["state", "unprotect", "--all", "--yes", "--stack", test.stack.name]);
	await ledger.step(test, "destroy", { deletes, leaves: [scheduleNamed(BYSTANDER)] }, () =>
		test.stack.destroy(["--skip-preview"]),
	);
}
