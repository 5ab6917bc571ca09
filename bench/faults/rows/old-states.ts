import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Declared, type TestDeployment, testDeployment } from "../../../test/helpers/e2e-deployment";
import { PASSPHRASE } from "../../../test/helpers/state-fixture";
import { repository } from "../../../tools/repository";
import { type Deployment, deploymentSchema, managedResources, type Result } from "../../../tools/stack";
import { atOnce } from "../at-once";
import { all, none, type Row } from "../row";

const FOLDER = join(repository, "test", "fixtures", "states");

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
		const versions = readdirSync(FOLDER);
		const findings: Finding[] = [];
		// Each has a stack and a server of its own; two at a time are what a small machine carries.
		await atOnce(2, versions, async (version) => {
			context.progress(`state of version ${version}`);
			findings.push(...(await tryState(version)));
		});
		const told = (part: "problems" | "touched") =>
			findings.flatMap((finding) => finding[part].map((text) => `${finding.what}: ${text}`));
		const passed = findings.filter(({ problems }) => problems.length === 0);
		const { version } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8"));
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
async function tryState(version: string): Promise<Finding[]> {
	const read = (name: string): unknown => JSON.parse(readFileSync(join(FOLDER, version, name), "utf8"));
	const state = deploymentSchema.parse(read("state.json"));
	const test = await testDeployment({ env: { PULUMI_CONFIG_PASSPHRASE: PASSPHRASE } });
	const { stack } = test;
	const unchanged = ["--skip-preview", "--expect-no-changes"];
	try {
		test.declare(...(read("declared.json") as Declared[]));
		await importState(test, state);
		const kept = [
			await observe(test, `${version}: refresh`, () => stack.refresh(unchanged)),
			await observe(test, `${version}: up`, () => stack.up(unchanged)),
			await destroyed(test, `${version}: destroy`),
		];
		await importState(test, state);
		return [...kept, await destroyed(test, `${version}: destroy of the state as it was`)];
	} finally {
		await test.dispose();
	}
}

/** Makes what the state is about, a schedule under whatever id it gets here and a pipeline's settings, and imports it. */
async function importState(test: TestDeployment, state: Deployment): Promise<void> {
	const copy = structuredClone(state);
	for (const resource of managedResources(copy)) {
		const { outputs = {} } = resource;
		const pipeline_name = String(outputs.pipelineName);
		outputs.serviceUrl = `${test.server.url}/api`;
		if (typeof outputs.cronExpression === "string") {
			const times = { schedule_name: String(outputs.scheduleName), cron_expression: outputs.cronExpression };
			const { schedule } = await test.client.schedules.create({ ...times, pipeline_name });
			// It was made for this run: its id and the moment of its creation are its identity.
			resource.id = String(schedule?.id);
			Object.assign(outputs, { scheduleId: schedule?.id, createdAt: schedule?.created_at });
		}
		if (typeof outputs.pythonVersion === "string") {
			const set = {
				python_version: outputs.pythonVersion,
				environment: "API_KEY=not-really-a-secret\nMODEL=clip",
			};
			await test.client.pipelines.settings({ pipeline_name, ...set });
		}
	}
	const file = join(test.folder, "state.json");
	writeFileSync(file, JSON.stringify(copy));
	const { name } = test.stack;
	const { code, stderr } = await test.stack.run(["stack", "import", "--file", file, "--stack", name]);
	if (code !== 0) throw new Error(`The state could not be imported: ${stderr}`);
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
