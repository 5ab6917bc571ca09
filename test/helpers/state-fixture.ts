import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isKind, isTypeOf, type Kind } from "../../src/schemas/kinds";
import { deploymentSchema, managedResources } from "../../tools/stack";
import { type Declared, resource, type TestDeployment } from "./e2e-deployment";
import { repository } from "./engine";

type Props = Readonly<Record<string, unknown>>;

interface MadeAgain extends Props {
	readonly id?: string;
}

/** States kept under test/fixtures/states are encrypted with this; there is nothing secret in them. */
export const PASSPHRASE = "state-fixture";

/** Resources of each kind, with secrets, as a released version would have deployed them. */
export const DECLARED: readonly Declared[] = [
	resource("JobFile", "script", { text: "print('kept')\n", name: "kept.py" }),
	resource("PipelineSettings", "images", {
		pipelineName: "rusty-vise",
		pythonVersion: "3.12",
		environment: { MODEL: "clip", API_KEY: { $secret: "not-really-a-secret" } },
		onDestroy: "reset",
		files: [{ $from: "script.id" }],
	}),
	resource("PipelineSchedule", "nightly", {
		scheduleName: "kept",
		pipelineName: "rusty-vise",
		cronExpression: "0 3 * * *",
	}),
	resource("PipelineSchedule", "local", {
		scheduleName: "kept-local",
		pipelineName: "rusty-vise",
		cronExpression: "0 3 * * 1",
		timeZone: "Asia/Tokyo",
	}),
	resource("Pipeline", "catalog", { datasets: ["dev.images.clean"] }),
	resource("Job", "smoke", {
		query: "print(1)",
		environment: { API_KEY: { $secret: "not-really-a-secret" } },
	}),
];

const FOLDER = join(repository, "test", "fixtures", "states");

/** Versions whose states are kept. */
export const keptStates = (): string[] => readdirSync(FOLDER);

const readKept = (version: string, name: string): unknown =>
	JSON.parse(readFileSync(join(FOLDER, version, name), "utf8"));

/** What the program declared that made the state. */
export const declaredIn = (version: string): Declared[] => readKept(version, "declared.json") as Declared[];

/**
 * Gives the deployment the state of a released version, with everything it is about made on the service. What has its
 * identity from the service gets another one here, and the state is told.
 */
export async function importOldState(test: TestDeployment, version: string): Promise<void> {
	test.declare(...declaredIn(version));
	const state = deploymentSchema.parse(readKept(version, "state.json"));
	for (const resource of managedResources(state)) {
		const kind = Object.keys(madeAgain)
			.filter(isKind)
			.find((name) => isTypeOf(name, resource.type));
		const outputs = { ...resource.outputs, serviceUrl: `${test.server.url}/api` };
		const { id, ...made } = (kind && (await madeAgain[kind](test, outputs))) ?? {};
		Object.assign(resource, { outputs: { ...outputs, ...made }, ...(id && { id }) });
	}
	const file = join(test.folder, "state.json");
	writeFileSync(file, JSON.stringify(state));
	const { name } = test.stack;
	const { code, stderr } = await test.stack.run(["stack", "import", "--file", file, "--stack", name]);
	if (code !== 0) throw new Error(`The state could not be imported: ${stderr}`);
}

/** Makes on the service what the state has, and says under which id and with which outputs it is known there. */
const madeAgain: Record<Kind, (test: TestDeployment, outputs: Props) => Promise<MadeAgain>> = {
	JobFile: async () => ({}),
	async PipelineSettings({ client }, { pipelineName, pythonVersion }) {
		await client.pipelines.settings({
			pipeline_name: String(pipelineName),
			python_version: String(pythonVersion),
			environment: "API_KEY=not-really-a-secret\nMODEL=clip",
		});
		return {};
	},
	async PipelineSchedule({ client }, { pipelineName, scheduleName, utcCron, cronExpression }) {
		const { schedule } = await client.schedules.create({
			schedule_name: String(scheduleName),
			pipeline_name: String(pipelineName),
			cron_expression: String(utcCron ?? cronExpression),
		});
		return { id: String(schedule?.id), scheduleId: schedule?.id, createdAt: schedule?.created_at };
	},
	async Pipeline({ client }, { datasets }) {
		const { pipeline } = await client.pipelines.trigger({ datasets: datasets as string[] });
		const id = String(pipeline?.pipeline_id);
		await client.pipelines.pause({ name: String(pipeline?.name) });
		return { id, pipelineId: id, name: pipeline?.name };
	},
	async Job({ client }, { query, name }) {
		const { id } = await client.jobs.create({
			query: String(query),
			query_type: "PYTHON",
			query_name: String(name),
		});
		return { id, jobId: id };
	},
};
