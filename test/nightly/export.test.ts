import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import {
	createClient,
	type DataChainClient,
	resolveConnection,
} from "../../src/client";
import { type LocalServer, startServer } from "../../src/server";
import { must, succeeded } from "../../tools/process/must";
import { run } from "../../tools/process/run";
import { tempFolder } from "../../tools/process/temp-folder";
import { linkPackages, repository } from "../../tools/repository";
import { deploymentSchema, managedResources } from "../../tools/stack";
import { stackEnvironment } from "../../tools/stack/environment";
import { runCli } from "../helpers/cli";
import { testEngine } from "../helpers/engine";
import { addHostileTeam, CANARY } from "../helpers/export-teams";
import { pathOf } from "../helpers/plugin-languages";

/** What the service has: everything the program declares, and everything it does not. */
function snapshot({ team, teamName }: LocalServer) {
	const settings = team(teamName)
		.pipelines()
		.map(({ name, paused, settings }) => ({ name, paused, settings }));
	return { schedules: team(teamName).schedules(), settings };
}

/** What the project asks for beside the two packages. */
const DEVELOPMENT = ["@types/node", "typescript", "ts-node"];

/** Where a user would stand: a folder, a connection in the environment, the Pulumi CLI on PATH. */
async function exportPlace(server: LocalServer, extra: NodeJS.ProcessEnv) {
	const place = tempFolder("export-");
	const engine = await testEngine();
	// Whoever cares for the project's types checks them once, and not with every command.
	const settings = {
		...server.environment,
		PULUMI_NODEJS_TRANSPILE_ONLY: "true",
		...extra,
	};
	const { env } = stackEnvironment(join(place.path, "pulumi"), engine, settings);
	const project = join(place.path, "team");
	return {
		project,
		export: (...args: string[]) =>
			runCli({ folder: place.path, env }, ["export", "--out", project, ...args]),
		/** Another command of ours, in the project's folder. */
		command: (...args: string[]) => runCli({ folder: project, env }, args),
		/** Pulumi in the project's folder; must succeed. */
		async pulumi(...args: string[]) {
			const result = await run(
				engine.command,
				[...args, "--stack", "dev", "--non-interactive"],
				{
					cwd: project,
					env,
					timeoutMs: 5 * 60_000,
				},
			);
			succeeded(`pulumi ${args[0]}`, result);
			return result;
		},
		install: () =>
			linkPackages(project, "pulumi-datachain", "@pulumi/pulumi", ...DEVELOPMENT),
		/** The text of all that was written. */
		files: () =>
			readdirSync(project, { withFileTypes: true })
				.filter((entry) => entry.isFile())
				.map(({ name }) => readFileSync(join(project, name), "utf8"))
				.join("\n"),
		remove: () => place.remove(),
	};
}

/** The promise: what is exported can be deployed at once, and the service does not notice. */
describe("an exported team on the real engine", () => {
	let server: LocalServer;
	let client: DataChainClient;
	let place: Awaited<ReturnType<typeof exportPlace>>;
	afterEach(async () => {
		place?.remove();
		await client?.close();
		await server?.close();
	});

	const begin = async (extra: NodeJS.ProcessEnv = {}) => {
		server = await startServer();
		client = createClient(resolveConnection({ env: server.environment }));
		place = await exportPlace(server, extra);
	};
	const posts = () => server.requests.entries.filter(({ method }) => method !== "GET");
	const state = async () =>
		managedResources(
			deploymentSchema.parse(
				JSON.parse((await place.pulumi("stack", "export")).stdout),
			),
		);

	/** Values that a language may take for something else than the text they are. */
	const ODD_VALUES = {
		JSON_OBJECT: '{"a": [1, 2]}',
		NUMBER: "5",
		REFERENCE: `\${x} and $\${y}`,
		QUOTES: `it's "so" \\ and </script>`,
		LETTERS: "naïve 東京 🚀",
	};

	it.each(["yaml", "python"] as const)(
		"changes nothing in %s, whatever its values hold",
		async (language) => {
			await begin({ PATH: await pathOf(language) });
			const pipeline_name = "rusty-vise";
			for (const schedule_name of ["exported", ODD_VALUES.REFERENCE])
				await client.schedules.create({
					schedule_name,
					pipeline_name,
					cron_expression: "5 5 * * *",
				});
			const environment = Object.entries(ODD_VALUES).map(
				([name, value]) => `${name}=${value}`,
			);
			await client.pipelines.settings({
				pipeline_name,
				environment: environment.join("\n"),
			});
			const exported = await place.export(
				"--language",
				language,
				"--write-config",
				"--stack",
				"dev",
			);
			expect(exported.code, exported.stderr).toBe(0);
			expect(place.files()).not.toContain("naïve");
			place.install();
			server.requests.clear();
			await place.pulumi("up", "--yes", "--skip-preview");
			await place.pulumi("preview", "--expect-no-changes");
			expect(posts()).toEqual([]);
		},
	);

	it("is adopted without a single write, settles, and keeps its settings when destroyed", async () => {
		await begin();
		const { scheduleCount } = await addHostileTeam(client);
		const twins = {
			schedule_name: "twin",
			pipeline_name: "rusty-vise",
			cron_expression: "@daily",
		};
		for (let i = 0; i < 2; i++) await client.schedules.create(twins);
		const before = snapshot(server);
		server.requests.clear();

		const exported = await place.export("--write-config", "--stack", "dev");
		expect(exported.code, exported.stderr).toBe(0);
		expect(exported.stderr).toMatch(/left out: \{ "schedule": "twin", "id": \d+/);
		place.install();
		await must(process.execPath, [
			join(repository, "node_modules/typescript/bin/tsc"),
			"-p",
			place.project,
		]);

		const up = await place.pulumi("up", "--yes", "--diff", "--suppress-progress");
		const resources = await state();
		const declared = resources.filter(({ type }) => type.endsWith(":PipelineSchedule"));
		// The seeded team has one schedule of its own.
		expect(declared).toHaveLength(scheduleCount + 1);
		expect(resources.length).toBeGreaterThan(declared.length);
		for (const { outputs } of resources) expect(outputs?.adopted).toBe(true);
		const drift = await place.command("drift", "--stack", "dev");
		expect(drift.code, drift.stdout + drift.stderr).toBe(0);
		await place.pulumi(
			"up",
			"--yes",
			"--skip-preview",
			"--refresh",
			"--expect-no-changes",
		);
		expect(posts()).toEqual([]);
		expect(snapshot(server)).toEqual(before);

		const everything = [
			place.files(),
			JSON.stringify(resources),
			up.stdout,
			up.stderr,
			exported.stderr,
		];
		expect(everything.join("\n")).not.toContain(CANARY);

		await place.pulumi("destroy", "--yes", "--skip-preview");
		const { schedules, settings } = snapshot(server);
		expect(schedules).toEqual(before.schedules.filter(({ name }) => name === "twin"));
		expect(settings).toEqual(before.settings);
	});
});
