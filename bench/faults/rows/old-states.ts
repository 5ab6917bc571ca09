import { version } from "../../../package.json";
import { type TestDeployment, testDeployment } from "../../../test/helpers/e2e-deployment";
import { importOldState, keptStates, PASSPHRASE } from "../../../test/helpers/state-fixture";
import { managedResources, type Result } from "../../../tools/stack";
import { atOnce } from "../at-once";
import { all, none, type Row } from "../row";

/** One command on an old state: why it failed, if it did, and what it did that nobody had asked for. */
interface Finding {
	readonly what: string;
	readonly problems: readonly string[];
	readonly touched: readonly string[];
}

/** States that released versions made: whatever they say, the stub in them included, works with every later version. */
export const oldStates: Row = {
	number: 9,
	name: "old-states",
	async run(context) {
		const versions = keptStates();
		const findings: Finding[] = [];
		// Each has a stack and a server of its own; two at a time are what a small machine carries.
		await atOnce(2, versions, async (old) => {
			context.progress(`state of version ${old}`);
			findings.push(...(await tryState(old)));
		});
		const told = (part: "problems" | "touched") =>
			findings.flatMap((finding) => finding[part].map((text) => `${finding.what}: ${text}`));
		const passed = findings.filter(({ problems }) => problems.length === 0);
		return {
			load: `${versions.length} states of released versions`,
			figures: [
				all("refresh, up and destroy pass", passed.length, findings.length, told("problems")),
				none("replaced, written or deleted unasked", told("touched")),
				none("versions without a state", versions.includes(version) ? [] : [version]),
			],
		};
	},
};

/**
 * Twice from the committed state: once refreshed, deployed and destroyed, once destroyed at once. An up may write the
 * present stub over the old one, so only the second shows that the old one still deletes.
 */
async function tryState(old: string): Promise<Finding[]> {
	const test = await testDeployment({ env: { PULUMI_CONFIG_PASSPHRASE: PASSPHRASE } });
	const { stack } = test;
	const unchanged = ["--skip-preview", "--expect-no-changes"];
	try {
		await importOldState(test, old);
		const kept = [
			await observe(test, `${old}: refresh`, () => stack.refresh(unchanged)),
			await observe(test, `${old}: up`, () => stack.up(unchanged)),
			await destroyed(test, `${old}: destroy`),
		];
		await importOldState(test, old);
		return [...kept, await destroyed(test, `${old}: destroy of the state as it was`)];
	} finally {
		await test.dispose();
	}
}

const failureOf = ({ code, stdout, stderr }: Result): string[] =>
	code === 0 ? [] : [`ended with ${code}: ${`${stdout}\n${stderr}`.trim().slice(-1_000)}`];

/** A command that must pass and write nothing. */
async function observe(test: TestDeployment, what: string, run: () => Promise<Result>): Promise<Finding> {
	test.server.requests.clear();
	const problems = failureOf(await run());
	const writes = test.server.requests.entries.filter(({ method }) => method !== "GET");
	return { what, problems, touched: writes.map(({ method, path }) => `${method} ${path}`) };
}

/** Deletes the schedule and clears the settings, as the state asks for, and touches nothing else. */
async function destroyed(test: TestDeployment, what: string): Promise<Finding> {
	const team = test.server.team(test.server.teamName);
	const managed = managedResources(await test.stack.export());
	const before = team.schedules();
	const problems = failureOf(await test.stack.destroy(["--skip-preview"]));
	const left = team.schedules().map(({ id }) => id);
	const gone = before.filter(({ id }) => !left.includes(id)).map(({ id }) => String(id));
	const asked = managed.filter(({ outputs }) => outputs?.scheduleId !== undefined).map(({ id = "" }) => id);
	const cleared = managed.filter(({ outputs }) => outputs?.onDestroy === "reset");
	const kept = team
		.pipelines()
		.filter(({ name }) => cleared.some(({ outputs }) => outputs?.pipelineName === name))
		.filter(({ settings }) => settings.pythonVersion || Object.keys(settings.environment).length > 0);
	return {
		what,
		problems: [
			...problems,
			...asked.filter((id) => !gone.includes(id)).map((id) => `schedule ${id} is still there`),
			...kept.map(({ name }) => `the settings of ${name} were not cleared`),
		],
		touched: gone.filter((id) => !asked.includes(id)).map((id) => `schedule ${id}`),
	};
}
