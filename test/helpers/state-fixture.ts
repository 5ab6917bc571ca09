import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { succeeded } from "../../tools/process/must";
import {
	deploymentSchema,
	managedResources,
	resourceKind,
	resourceName,
} from "../../tools/stack";
import { type Declared, resource, type TestDeployment } from "./e2e-deployment";
import { repository } from "./engine";

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
export const declaredIn = (version: string): Declared[] =>
	readKept(version, "declared.json") as Declared[];

/** Outputs that the service gives, and that are others for each object. */
const IDENTITY = ["scheduleId", "createdAt", "pipelineId", "jobId", "name"];

/**
 * Gives the deployment the state of a released version. What it is about is made on this service, and the state is told
 * under which identity; the service does not show a file again, so that its old id will do.
 */
export async function importOldState(
	test: TestDeployment,
	version: string,
): Promise<void> {
	test.declare(...declaredIn(version));
	await test.up();
	const made = managedResources(test.stack.checkpoint());
	const kept = JSON.stringify(readKept(version, "state.json"));
	const here = kept.replaceAll(
		/"serviceUrl":"[^"]*"/g,
		`"serviceUrl":"${test.server.url}/api"`,
	);
	const state = deploymentSchema.parse(JSON.parse(here));
	for (const resource of managedResources(state)) {
		const found = made.find((one) => resourceName(one) === resourceName(resource));
		if (found === undefined || resourceKind(resource) === "JobFile") continue;
		const identity = Object.entries(found.outputs ?? {}).filter(([key]) =>
			IDENTITY.includes(key),
		);
		Object.assign(resource, {
			id: found.id,
			outputs: { ...resource.outputs, ...Object.fromEntries(identity) },
		});
	}
	const file = join(test.folder, "state.json");
	writeFileSync(file, JSON.stringify(state));
	const { name } = test.stack;
	const args = ["stack", "import", "--file", file, "--stack", name];
	succeeded("pulumi stack import", await test.stack.run(args));
}
