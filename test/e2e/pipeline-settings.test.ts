import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Declared, type TestDeployment, testDeployment } from "../helpers/e2e-deployment";

const SECRET = "canary-settings-secret-4711";
const FOREIGN = "canary-foreign-secret-0815";

const BASE = {
	pipelineName: "rusty-vise",
	pythonVersion: "3.12",
	requirements: ["pillow==11.0.0", "numpy"],
	repository: "https://example.com/team/repo.git@main",
	workers: 3,
	priority: 2,
	environment: { MODEL: "clip", MODE: "fast", API_KEY: { $secret: SECRET } },
	credentialsNames: ["vision-aws"],
	onDestroy: "restore",
	// The seeded pipeline has a number of workers already.
	adopt: true,
};

const settings = (args: object = {}, opts: object = {}): Declared => ({
	kind: "PipelineSettings",
	name: "images",
	args: { ...BASE, ...args },
	opts: { ...opts },
});

describe("PipelineSettings, one life on the real engine", () => {
	let test: TestDeployment;
	beforeAll(async () => {
		test = await testDeployment();
	});
	afterAll(() => test?.dispose());

	const live = () => test.client.pipelines.status({ name: "rusty-vise" });
	const theyWrite = (change: object) =>
		test.client.pipelines.settings({ pipeline_name: "rusty-vise", ...change });
	const declared = {
		python_version: "3.12",
		requirements: "pillow==11.0.0\nnumpy",
		repository: "https://example.com/team/repo.git@main",
		workers: 3,
		priority: 2,
		environment_variables: { MODEL: "clip", MODE: "fast", API_KEY: SECRET },
	};
	let original: Awaited<ReturnType<typeof live>>;

	it("takes over as declared after a preview that lists every key it will write, and settles", async () => {
		original = await live();
		test.declare(settings());
		const written = /will write .*/.exec(await test.preview())?.[0];
		const keys = ["pythonVersion", "requirements", "repository", "workers", "priority"];
		for (const key of [...keys, "environment (API_KEY, MODE, MODEL)", "credentialsNames"])
			expect(written).toContain(key);
		await test.up();
		expect(await live()).toMatchObject(declared);
		const { outputs } = await test.resource("images");
		expect(outputs).toMatchObject({ uncheckedKeys: ["credentialsNames"], adopted: true });
		await test.expectSettled();
	});

	it("updates every key in place, and sends what the service never shows once", async () => {
		test.declare(
			settings({
				pythonVersion: "3.13",
				requirements: "torch",
				repository: "https://example.com/other.git",
				workers: 7,
				priority: 0,
				environment: {},
				credentialsNames: ["vision-gcp"],
			}),
		);
		test.server.requests.clear();
		await test.up();
		expect(await live()).toMatchObject({
			python_version: "3.13",
			requirements: "torch",
			repository: "https://example.com/other.git",
			workers: 7,
			priority: 0,
			environment_variables: {},
		});
		await test.expectSettled();
		expect(test.server.requests.count({ endpoint: "updateSettings" })).toBe(1);
		test.declare(settings());
		await test.up();
		expect(await live()).toMatchObject(declared);
	});

	it("names a change of a secret in the preview, where the engine shows no line for it", async () => {
		test.declare(
			settings({ environment: { ...BASE.environment, API_KEY: { $secret: `${SECRET}-changed` } } }),
		);
		expect(await test.preview()).toMatch(/"images": the secret value of environment\.API_KEY changes\./);
	});

	it("what is changed outside is named by refresh, key by key and no secret, and repaired by up", async () => {
		test.declare(settings());
		await theyWrite({
			python_version: "3.9",
			requirements: "left-pad",
			repository: "https://example.com/evil.git",
			workers: 99,
			priority: 5,
			environment: `MODEL=other\nAPI_KEY=${FOREIGN}\nTHEIRS=${FOREIGN}`,
		});
		const drift = await test.drift();
		for (const shown of [
			/pythonVersion *: "3.12" => "3.9"/,
			/requirements/,
			/repository *: .* => "https:\/\/example.com\/evil.git"/,
			/workers *: 3 => 99/,
			/priority *: 2 => 5/,
			/MODEL *: "clip" => "other"/,
			/- MODE/,
			/API_KEY: \[secret\]/,
			/THEIRS *: "\(set outside Pulumi\)"/,
		])
			expect(drift).toMatch(shown);
		// A refresh that writes the drift into the state must not write secrets there in clear.
		expect((await test.stack.refresh(["--skip-preview"])).code).toBe(0);
		expect(JSON.stringify(test.stack.checkpoint())).not.toMatch(/canary/);
		await test.up();
		expect(await live()).toMatchObject(declared);
		expect(await test.drift()).toBe("");
	});

	it("restore puts back what was there, of what is still declared, also after --replace", async () => {
		const { workers: _, ...rest } = BASE;
		test.declare({ kind: "PipelineSettings", name: "images", args: rest });
		await test.up();
		await theyWrite({ workers: 5 });
		await test.up(["--replace", "**::images"]);
		expect(await live()).toMatchObject({ ...declared, workers: 5 });
		expect((await test.stack.destroy(["--skip-preview"])).code).toBe(0);
		const now = await live();
		expect(now.environment_variables ?? {}).toEqual(original.environment_variables ?? {});
		expect(now.python_version || null).toBe(original.python_version || null);
		expect(now.requirements || null).toBe(original.requirements || null);
		expect(now.repository || null).toBe(original.repository || null);
		expect(now.workers).toBe(5);
	});

	it("no secret was printed or stored in plain text", () => {
		expect(test.printed()).not.toMatch(/canary/);
	});
});

describe("PipelineSettings that others have made", () => {
	let test: TestDeployment;
	beforeAll(async () => {
		test = await testDeployment();
	});
	afterAll(() => test?.dispose());

	const declared = (args: object, opts: object = {}): Declared => ({
		kind: "PipelineSettings",
		name: "images",
		args: { pipelineName: "rusty-vise", repository: "https://example.com/a.git", ...args },
		opts: { ...opts },
	});
	it("with a colleague's password in a URL are never written with ignoreChanges", async () => {
		test.declare(declared({}));
		await test.up();
		const theirs = `https://someone:${FOREIGN}@example.com/theirs.git`;
		await test.client.pipelines.settings({ pipeline_name: "rusty-vise", repository: theirs });
		expect((await test.stack.refresh(["--skip-preview"])).code).toBe(0);
		test.declare(declared({ pythonVersion: "3.13" }, { ignoreChanges: ["repository"] }));
		await test.up();
		expect(await test.client.pipelines.status({ name: "rusty-vise" })).toMatchObject({
			repository: theirs,
			python_version: "3.13",
		});
		expect(JSON.stringify(test.stack.checkpoint())).not.toContain(FOREIGN);
		expect(test.printed()).not.toContain(FOREIGN);
		await test.expectSettled();
	});
});
