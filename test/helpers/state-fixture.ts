import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deploymentSchema, managedResources, type StateResource } from "../../tools/stack";
import type { Declared, TestDeployment } from "./e2e-deployment";
import { repository } from "./engine";

type Props = Readonly<Record<string, unknown>>;

/** States kept under test/fixtures/states are encrypted with this; there is nothing secret in them. */
export const PASSPHRASE = "state-fixture";

/** One resource of each kind, with a secret, as a released version would have deployed them. */
export const DECLARED: readonly Declared[] = [
	{ kind: "JobFile", name: "script", args: { text: "print('kept')\n", name: "kept.py" } },
	{
		kind: "PipelineSettings",
		name: "images",
		args: {
			pipelineName: "rusty-vise",
			pythonVersion: "3.12",
			environment: { MODEL: "clip", API_KEY: { $secret: "not-really-a-secret" } },
			onDestroy: "reset",
		},
		from: { files: ["script.id"] },
	},
	{
		kind: "PipelineSchedule",
		name: "nightly",
		args: { scheduleName: "kept", pipelineName: "rusty-vise", cronExpression: "0 3 * * *" },
	},
];

const FOLDER = join(repository, "test", "fixtures", "states");

/** Versions whose states are kept. */
export const keptStates = (): string[] => readdirSync(FOLDER);

/**
 * Gives the deployment the state of a released version, with everything it is about made on the service. The schedule
 * gets its id and its moment of creation here, and they are its identity, so the state is told both.
 */
export async function importOldState(test: TestDeployment, version: string): Promise<void> {
	const read = (name: string): unknown => JSON.parse(readFileSync(join(FOLDER, version, name), "utf8"));
	test.declare(...(read("declared.json") as Declared[]));
	const state = deploymentSchema.parse(read("state.json"));
	for (const resource of managedResources(state)) {
		const outputs = { ...resource.outputs, serviceUrl: `${test.server.url}/api` };
		resource.outputs = { ...outputs, ...(await madeAgain(test, resource, outputs)) };
	}
	const file = join(test.folder, "state.json");
	writeFileSync(file, JSON.stringify(state));
	const { name } = test.stack;
	const { code, stderr } = await test.stack.run(["stack", "import", "--file", file, "--stack", name]);
	if (code !== 0) throw new Error(`The state could not be imported: ${stderr}`);
}

async function madeAgain(test: TestDeployment, resource: StateResource, outputs: Props): Promise<Props> {
	const pipeline_name = String(outputs.pipelineName);
	if (typeof outputs.pythonVersion === "string") {
		await test.client.pipelines.settings({
			pipeline_name,
			python_version: outputs.pythonVersion,
			environment: "API_KEY=not-really-a-secret\nMODEL=clip",
		});
	}
	if (typeof outputs.cronExpression !== "string") return {};
	const { schedule } = await test.client.schedules.create({
		schedule_name: String(outputs.scheduleName),
		pipeline_name,
		cron_expression: outputs.cronExpression,
	});
	resource.id = String(schedule?.id);
	return { scheduleId: schedule?.id, createdAt: schedule?.created_at };
}
