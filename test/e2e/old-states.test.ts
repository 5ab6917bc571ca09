import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { managedResources } from "../../tools/stack";
import { type Declared, type TestDeployment, testDeployment } from "../helpers/e2e-deployment";
import { repository } from "../helpers/engine";
import { PASSPHRASE } from "../helpers/state-fixture";

const folder = join(repository, "test", "fixtures", "states");
const versions = readdirSync(folder);

/** The stub in a state is a contract: whatever a released version wrote must work with every later one. */
describe("states that released versions made", () => {
	let test: TestDeployment | undefined;
	afterEach(() => test?.dispose());

	it("are kept for at least this version", () => {
		expect(versions).toContain(JSON.parse(readFileSync(join(repository, "package.json"), "utf8")).version);
	});

	it.each(versions)("version %s: refresh, up and destroy accept it", async (version) => {
		const read = (name: string) => readFileSync(join(folder, version, name), "utf8");
		test = await testDeployment({ env: { PULUMI_CONFIG_PASSPHRASE: PASSPHRASE } });
		const { client, server, stack } = test;
		const made = await client.schedules.create({
			schedule_name: "kept",
			pipeline_name: "rusty-vise",
			cron_expression: "0 3 * * *",
		});
		await client.pipelines.settings({
			pipeline_name: "rusty-vise",
			python_version: "3.12",
			environment: "API_KEY=not-really-a-secret\nMODEL=clip",
		});
		const state = JSON.parse(read("state.json"));
		for (const { id, outputs } of managedResources(state)) {
			if (outputs === undefined) continue;
			outputs.serviceUrl = `${server.url}/api`;
			// The schedule was created anew for this test; its identity is the id and this moment.
			if (id === String(made.schedule?.id) && "scheduleId" in outputs)
				outputs.createdAt = made.schedule?.created_at;
		}
		const file = join(test.folder, "state.json");
		writeFileSync(file, JSON.stringify(state));
		expect((await stack.run(["stack", "import", "--file", file, "--stack", stack.name])).code).toBe(0);
		test.declare(...(JSON.parse(read("declared.json")) as Declared[]));
		expect(await test.drift()).toBe("");
		await test.expectSettled();
		expect((await stack.destroy(["--skip-preview"])).code).toBe(0);
		expect((await client.schedules.list()).map((item) => item.schedule_name)).not.toContain("kept");
		expect((await client.pipelines.status({ name: "rusty-vise" })).environment_variables).toEqual({});
	});
});
