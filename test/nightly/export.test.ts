import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { createClient, type DataChainClient, resolveConnection } from "../../src/api";
import { type LocalServer, startServer } from "../../src/server";
import { run } from "../../tools/process/run";
import { deploymentSchema, managedResources } from "../../tools/stack";
import { repository } from "../helpers/engine";
import { type ExportPlace, exportPlace } from "../helpers/export-project";
import { addHostileTeam, CANARY } from "../helpers/export-teams";

/** What the service has: everything the program declares, and everything it does not. */
async function snapshot(client: DataChainClient) {
	const items = await client.schedules.list();
	const schedules = await Promise.all(items.map(({ id }) => client.schedules.get({ schedule_id: id })));
	const names = [...new Set(schedules.flatMap(({ pipeline }) => pipeline?.name ?? []))].sort();
	const pipelines = await Promise.all(names.map((name) => client.pipelines.status({ name })));
	return {
		schedules: schedules.map(({ id, schedule_name, cron_expression, start_after, pipeline }) => {
			const paused = pipeline?.status === "PAUSED";
			return { id, schedule_name, cron_expression, start_after, pipeline: pipeline?.name, paused };
		}),
		settings: pipelines.map(settingsOf),
	};
}

function settingsOf(pipeline: Awaited<ReturnType<DataChainClient["pipelines"]["status"]>>) {
	const { name, python_version, requirements, repository, workers, priority, environment_variables } =
		pipeline;
	return { name, python_version, requirements, repository, workers, priority, environment_variables };
}

/** The promise: what is exported can be deployed at once, and the service does not notice. */
describe("an exported team on the real engine", () => {
	let server: LocalServer;
	let client: DataChainClient;
	let place: ExportPlace;
	afterEach(async () => {
		place?.remove();
		await client?.close();
		await server?.close();
	});

	const begin = async () => {
		server = await startServer();
		client = createClient(resolveConnection({ env: server.environment }));
		place = await exportPlace(server);
	};
	const posts = () => server.requests.entries.filter(({ method }) => method !== "GET");
	const state = async () =>
		managedResources(deploymentSchema.parse(JSON.parse((await place.pulumi("stack", "export")).stdout)));

	it("is adopted without a single write, settles, and keeps its settings when destroyed", async () => {
		await begin();
		const { scheduleCount } = await addHostileTeam(client);
		const twins = { schedule_name: "twin", pipeline_name: "rusty-vise", cron_expression: "@daily" };
		for (let i = 0; i < 2; i++) await client.schedules.create(twins);
		const before = await snapshot(client);
		server.requests.clear();

		const exported = await place.export("--write-config", "--stack", "dev");
		expect(exported.code, exported.stderr).toBe(0);
		expect(exported.stderr).toMatch(/left out: \{ "schedule": "twin", "id": \d+/);
		place.install();
		const types = await run(
			process.execPath,
			[join(repository, "node_modules/typescript/bin/tsc"), "-p", place.project],
			{
				timeoutMs: 120_000,
			},
		);
		expect(types.stdout).toBe("");

		const up = await place.pulumi("up", "--yes", "--diff", "--suppress-progress");
		const resources = await state();
		const declared = resources.filter(({ type }) => type.endsWith(":PipelineSchedule"));
		// The seeded team has one schedule of its own.
		expect(declared).toHaveLength(scheduleCount + 1);
		expect(resources.length).toBeGreaterThan(declared.length);
		for (const { outputs } of resources) expect(outputs?.adopted).toBe(true);
		const drift = await place.command("drift", "--stack", "dev");
		expect(drift.code, drift.stdout + drift.stderr).toBe(0);
		await place.pulumi("up", "--yes", "--skip-preview", "--refresh", "--expect-no-changes");
		expect(posts()).toEqual([]);
		expect(await snapshot(client)).toEqual(before);

		const everything = [
			JSON.stringify(place.files()),
			JSON.stringify(resources),
			up.stdout,
			up.stderr,
			exported.stderr,
		];
		expect(everything.join("\n")).not.toContain(CANARY);

		await place.pulumi("destroy", "--yes", "--skip-preview");
		const twinsOnly = before.schedules.filter((one) => one.schedule_name === "twin");
		expect((await snapshot(client)).schedules).toEqual(twinsOnly);
		for (const settings of before.settings)
			expect(settingsOf(await client.pipelines.status({ name: settings.name ?? "" }))).toEqual(settings);
	});
});
