import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Declared, type TestDeployment, testDeployment } from "../../../../test/helpers/e2e-deployment";
import { PASSPHRASE } from "../../../../test/helpers/state-fixture";
import {
	type Deployment,
	deploymentSchema,
	managedResources,
	type Result,
	type StateResource,
} from "../../../../tools/stack";

/** One command on an old state: why it failed, if it did, and what it did that nobody had asked for. */
export interface Finding {
	readonly what: string;
	readonly problem: string | undefined;
	readonly touched: readonly string[];
}

/**
 * Twice from the committed state: once refreshed, deployed and destroyed, once destroyed at once. An up may write the
 * present stub over the old one, so only the second shows that the old one still deletes.
 */
export async function tryFixture(folder: string, version: string): Promise<Finding[]> {
	const state = deploymentSchema.parse(JSON.parse(readFileSync(join(folder, "state.json"), "utf8")));
	const declared = JSON.parse(readFileSync(join(folder, "declared.json"), "utf8")) as Declared[];
	const test = await testDeployment({ env: { PULUMI_CONFIG_PASSPHRASE: PASSPHRASE } });
	const { stack } = test;
	const quietly = (what: string, run: () => Promise<Result>) => observe(test, `${version}: ${what}`, run);
	const destroy = (what: string) => destroyed(test, `${version}: ${what}`);
	try {
		test.declare(...declared);
		await importState(test, await makeRemote(test, state));
		const kept = [
			await quietly("preview of refresh", () => stack.refresh(["--preview-only", "--expect-no-changes"])),
			await quietly("refresh", () => stack.refresh(["--skip-preview", "--expect-no-changes"])),
			await quietly("up", () => stack.up(["--skip-preview", "--expect-no-changes"])),
			await destroy("destroy"),
		];
		await importState(test, await makeRemote(test, state));
		return [...kept, await destroy("destroy of the state as it was")];
	} finally {
		await test.dispose();
	}
}

/** What the state is about: a schedule, under whatever id it gets here, and the settings of a pipeline. */
async function makeRemote(test: TestDeployment, state: Deployment): Promise<Deployment> {
	const copy = structuredClone(state);
	for (const resource of managedResources(copy)) {
		const { outputs = {} } = resource;
		outputs.serviceUrl = `${test.server.url}/api`;
		if (typeof outputs.cronExpression === "string") {
			const { schedule } = await test.client.schedules.create({
				schedule_name: String(outputs.scheduleName),
				pipeline_name: String(outputs.pipelineName),
				cron_expression: outputs.cronExpression,
			});
			// It was made for this run: its id and the moment of its creation are its identity.
			resource.id = String(schedule?.id);
			Object.assign(outputs, { scheduleId: schedule?.id, createdAt: schedule?.created_at });
		}
		if (typeof outputs.pythonVersion === "string")
			await test.client.pipelines.settings({
				pipeline_name: String(outputs.pipelineName),
				python_version: outputs.pythonVersion,
				environment: "API_KEY=not-really-a-secret\nMODEL=clip",
			});
	}
	return copy;
}

async function importState(test: TestDeployment, state: Deployment): Promise<void> {
	const file = join(test.folder, "state.json");
	writeFileSync(file, JSON.stringify(state));
	const { code, stderr } = await test.stack.run([
		"stack",
		"import",
		"--file",
		file,
		"--stack",
		test.stack.name,
	]);
	if (code !== 0) throw new Error(`The state could not be imported: ${stderr}`);
}

/** A command that must pass and write nothing. */
async function observe(test: TestDeployment, what: string, run: () => Promise<Result>): Promise<Finding> {
	test.server.requests.clear();
	const { code, stdout, stderr } = await run();
	const writes = test.server.requests.entries.filter(({ method }) => method !== "GET");
	return {
		what,
		problem: code === 0 ? undefined : `ended with ${code}: ${`${stdout}\n${stderr}`.trim().slice(-1_000)}`,
		touched: writes.map(({ method, path }) => `${method} ${path}`),
	};
}

/** Deletes the schedule and clears the settings, as the state asks for, and touches nothing else. */
async function destroyed(test: TestDeployment, what: string): Promise<Finding> {
	const managed = managedResources(await test.stack.export());
	const before = await test.client.schedules.list();
	const { code, stdout, stderr } = await test.stack.destroy(["--skip-preview"]);
	const after = await test.client.schedules.list();
	const gone = before.filter(({ id }) => !after.some((item) => item.id === id)).map(({ id }) => String(id));
	const asked = managed.filter(({ outputs }) => outputs?.scheduleId !== undefined).map(({ id = "" }) => id);
	const problems = [
		...(code === 0 ? [] : [`ended with ${code}: ${`${stdout}\n${stderr}`.trim().slice(-1_000)}`]),
		...asked.filter((id) => !gone.includes(id)).map((id) => `schedule ${id} is still there`),
		...(await uncleared(test, managed)),
	];
	return {
		what,
		problem: problems.length === 0 ? undefined : problems.join("; "),
		touched: gone.filter((id) => !asked.includes(id)).map((id) => `schedule ${id}`),
	};
}

async function uncleared(test: TestDeployment, managed: readonly StateResource[]): Promise<string[]> {
	const reset = managed.filter(({ outputs }) => outputs?.onDestroy === "reset");
	const pipelines = await Promise.all(
		reset.map(({ outputs }) => test.client.pipelines.status({ name: String(outputs?.pipelineName) })),
	);
	return pipelines
		.filter((one) => one.python_version || Object.keys(one.environment_variables ?? {}).length > 0)
		.map(({ name }) => `the settings of ${name} were not cleared`);
}
