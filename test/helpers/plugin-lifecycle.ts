import { afterAll, beforeAll, expect, it } from "vitest";
import { createClient, resolveConnection } from "../../src/api";
import { startServer } from "../../src/server";
import { createStack } from "../../tools/stack";
import type { Declared, TestDeployment } from "./e2e-deployment";
import { testEngine } from "./engine";
import { exportPlace } from "./export-project";
import {
	exampleProject,
	importSchedule,
	type PluginLanguage,
	pathOf,
	pluginDeployment,
	writes,
} from "./plugin-languages";

const CANARY = "canary-never-in-clear";
const PIPELINE = "rusty-vise";

const schedule = (name: string, args: object = {}): Declared => ({
	kind: "PipelineSchedule",
	name,
	args: { pipelineName: PIPELINE, cronExpression: "0 3 * * *", ...args },
});

const script: Declared = { kind: "JobFile", name: "script", args: { text: "print(1)", name: "prepare.py" } };

const settings = (environment: object, args: object = {}): Declared => ({
	kind: "PipelineSettings",
	name: "images",
	args: {
		pipelineName: PIPELINE,
		pythonVersion: "3.12",
		requirements: ["pillow==11.0.0"],
		repository: `https://bot:${CANARY}-url@git.example.com/team/repo`,
		environment,
		storage: {
			s3: { endpointUrl: "https://minio.example.com", key: `${CANARY}-key`, secret: `${CANARY}-s3` },
		},
		...args,
	},
	from: { files: ["script.id"] },
});

const secret = (value: string) => ({ $secret: `${CANARY}-${value}` });

/** The example of the language, which is the quickstart. */
function describeExample(language: PluginLanguage): void {
	it("the example deploys, settles and goes away", async () => {
		const server = await startServer();
		const project = exampleProject(language);
		const stack = await createStack({
			projectDir: project.path,
			engine: await testEngine(),
			env: { ...server.environment, PATH: await pathOf(language) },
		});
		try {
			const up = await stack.up(["--skip-preview"]);
			expect(up.code, up.stdout + up.stderr).toBe(0);
			expect(await stack.outputs()).toMatchObject({ nightlyMeans: "every day at 03:00 UTC" });
			const again = await stack.up(["--skip-preview", "--refresh", "--expect-no-changes"]);
			expect(again.code, again.stdout + again.stderr).toBe(0);
			expect((await stack.destroy(["--skip-preview"])).code).toBe(0);
		} finally {
			stack.dispose();
			project.remove();
			await server.close();
		}
	});
}

/** Values that a language may take for something else than the text they are. */
const ODD_VALUES = {
	JSON_OBJECT: '{"a": [1, 2]}',
	NUMBER: "5",
	REFERENCE: `\${x} and $\${y}`,
	QUOTES: `it's "so" \\ and </script>`,
	LETTERS: "naïve 東京 🚀",
};

function describeExport(language: PluginLanguage): void {
	it("an exported team adopts what is there, and changes nothing, whatever its values hold", async () => {
		const server = await startServer();
		const client = createClient(resolveConnection({ env: server.environment }));
		const place = await exportPlace(server, { PATH: await pathOf(language) });
		try {
			for (const name of ["exported", ODD_VALUES.REFERENCE]) await client.schedules.create(byHand(name));
			const environment = Object.entries(ODD_VALUES).map(([name, value]) => `${name}=${value}`);
			await client.pipelines.settings({ pipeline_name: PIPELINE, environment: environment.join("\n") });
			const exported = await place.export("--language", language, "--write-config", "--stack", "dev");
			expect(exported.code, exported.stderr).toBe(0);
			expect(JSON.stringify(place.files())).not.toContain("naïve");
			place.install();
			server.requests.clear();
			await place.pulumi("up", "--yes", "--skip-preview");
			expect((await place.pulumi("preview", "--expect-no-changes")).code).toBe(0);
			expect(writes(server)).toBe(0);
		} finally {
			place.remove();
			await client.close();
			await server.close();
		}
	});
}

/** The life of a stack, as every language must have it, on the real engine. */
export function describeLifecycle(language: PluginLanguage): void {
	let test: TestDeployment;
	beforeAll(async () => {
		test = await pluginDeployment(language);
	});
	afterAll(() => test?.dispose());

	describeExample(language);
	describeExport(language);

	// The plugin's own: it does the same whatever the language, so that one of them is enough.
	const inYaml: (name: string, body: () => Promise<void>) => void = language === "yaml" ? it : () => {};
	const named = async (name: string) =>
		(await test.client.schedules.list()).filter((item) => item.schedule_name === name);

	it("a preview sends no write, and says what it will do", async () => {
		test.declare(script, settings({ MODEL: "clip", API_KEY: secret("env") }), schedule("nightly"));
		const said = await test.preview(["--diff"]);
		expect(said).toMatch(/\+ datachain:index:PipelineSchedule: \(create\)/);
		expect(said).toMatch(/scheduleName\s*: "lifecycle-dev-nightly"/);
		expect(writes(test.server)).toBe(0);
	});

	it("a first up makes everything, and a second one and a refresh change nothing", async () => {
		await test.up();
		expect(await named("lifecycle-dev-nightly")).toHaveLength(1);
		const live = await test.client.pipelines.status({ name: PIPELINE });
		expect(live.environment_variables).toMatchObject({ MODEL: "clip", API_KEY: `${CANARY}-env` });
		expect(JSON.parse(live.environment_variables?.FSSPEC_S3 ?? "")).toMatchObject({ key: `${CANARY}-key` });
		await test.expectSettled();
	});

	inYaml("what exists is refused without consent, adopted with it, and imported under its id", async () => {
		for (const name of ["by-hand", "to-import"]) await test.client.schedules.create(byHand(name));
		const [[adopted], [imported]] = [await named("by-hand"), await named("to-import")];
		const rest = [script, settings({ MODEL: "clip", API_KEY: secret("env") }), schedule("nightly")];
		const taken = schedule("taken", { scheduleName: "by-hand", cronExpression: "5 5 * * *" });
		test.declare(...rest, taken);
		expect(await test.preview()).toMatch(/"by-hand".*adopt/s);
		expect(await test.refused()).toMatch(/already exists|is taken|exists/);
		test.declare(...rest, { ...taken, args: { ...taken.args, adopt: true } });
		await test.up();
		expect((await test.resource("taken")).id).toBe(String(adopted?.id));
		const result = await importSchedule(test, "held", String(imported?.id));
		expect(result.stderr + result.stdout).toMatch(/1 imported/);
		expect(result.stdout).toMatch(/held:\s+type: datachain:PipelineSchedule/);
		test.declare(
			...rest,
			{ ...taken, args: { ...taken.args, adopt: true } },
			schedule("held", { scheduleName: "to-import", cronExpression: "5 5 * * *", teamName: "vision" }),
		);
		expect((await test.resource("held")).id).toBe(String(imported?.id));
		await test.expectSettled();
	});

	inYaml("a killed up is carried on by the commands of the README, without a second schedule", async () => {
		const rest = [script, settings({ MODEL: "clip", API_KEY: secret("env") }), schedule("nightly")];
		test.declare(...rest, schedule("killed", { scheduleName: "killed" }));
		test.server.faults.add({ endpoint: "getSchedule", kind: "delay", ms: 120_000 });
		const running = test.stack.start("up", ["--skip-preview"]);
		await expect.poll(async () => (await named("killed")).length, { timeout: 120_000 }).toBe(1);
		running.kill();
		await running.finished;
		test.server.faults.clear();
		await test.stack.run(["cancel", "--yes", "--stack", test.stack.name]);
		await test.withEnv({ DATACHAIN_ADOPT_EQUAL: "true" }, () => test.up());
		await test.stack.refresh(["--skip-preview", "--clear-pending-creates"]);
		expect(await named("killed")).toHaveLength(1);
		await test.expectSettled();
	});

	it("destroy leaves nothing of ours, and no secret was in the state or in anything printed", async () => {
		const state = JSON.stringify(test.stack.checkpoint());
		expect(state).not.toContain(CANARY);
		expect((await test.stack.destroy(["--skip-preview"])).code).toBe(0);
		for (const name of ["lifecycle-dev-nightly", "killed"]) expect(await named(name)).toEqual([]);
		expect(test.printed()).not.toContain(CANARY);
	});
}

const byHand = (name: string) => ({
	schedule_name: name,
	pipeline_name: PIPELINE,
	cron_expression: "5 5 * * *",
});
