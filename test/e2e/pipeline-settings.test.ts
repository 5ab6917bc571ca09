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
	environment: { MODEL: "clip", API_KEY: { $secret: SECRET } },
	credentialsNames: ["vision-aws"],
	onDestroy: "restore",
	// The seeded pipeline has a number of workers already.
	adopt: true,
};

const settings = (args: object = {}): Declared => ({
	kind: "PipelineSettings",
	name: "images",
	args: { ...BASE, ...args },
});

describe("PipelineSettings, one life on the real engine", () => {
	let test: TestDeployment;
	beforeAll(async () => {
		test = await testDeployment();
	});
	afterAll(() => test?.dispose());

	const live = () => test.client.pipelines.status({ name: "rusty-vise" });
	let original: Awaited<ReturnType<typeof live>>;

	it("takes over as declared, and settles", async () => {
		original = await live();
		test.declare(settings());
		await test.up();
		expect(await live()).toMatchObject({
			python_version: "3.12",
			requirements: "pillow==11.0.0\nnumpy",
			repository: "https://example.com/team/repo.git@main",
			workers: 3,
			priority: 2,
			environment_variables: { MODEL: "clip", API_KEY: SECRET },
		});
		const { outputs } = await test.resource("images");
		expect(outputs).toMatchObject({ uncheckedKeys: ["credentialsNames"], adopted: true });
		await test.expectSettled();
	});

	it("requirements as a text, and another order of the environment, change nothing", async () => {
		test.declare(
			settings({
				requirements: "pillow==11.0.0\n\n numpy\n",
				environment: { API_KEY: { $secret: SECRET }, MODEL: "clip" },
			}),
		);
		await test.expectSettled();
		test.declare(settings());
		await test.up();
	});

	it.each([
		["pythonVersion", { pythonVersion: "3.13" }, { python_version: "3.13" }],
		["requirements", { requirements: "torch" }, { requirements: "torch" }],
		[
			"repository",
			{ repository: "https://example.com/other.git" },
			{ repository: "https://example.com/other.git" },
		],
		["workers", { workers: 7 }, { workers: 7 }],
		["priority", { priority: 0 }, { priority: 0 }],
		["environment", { environment: { MODEL: "vit" } }, { environment_variables: { MODEL: "vit" } }],
		["an empty environment", { environment: {} }, { environment_variables: {} }],
		["everything back", {}, { workers: 3, environment_variables: { MODEL: "clip", API_KEY: SECRET } }],
	])("updates %s in place", async (_field, args, expected) => {
		test.declare(settings(args));
		await test.up();
		expect(await live()).toMatchObject(expected);
	});

	it("sends other credentials once, although the service never shows them", async () => {
		test.server.requests.clear();
		test.declare(settings({ credentialsNames: ["vision-gcp"] }));
		await test.up();
		expect(test.server.requests.count({ endpoint: "updateSettings", status: 200 })).toBe(1);
		expect((await test.resource("images")).outputs).toMatchObject({ credentialsNames: ["vision-gcp"] });
		await test.expectSettled();
		expect(test.server.requests.count({ endpoint: "updateSettings" })).toBe(1);
		test.declare(settings());
		await test.up();
	});

	it("nothing of that has left drift behind", async () => {
		expect(await test.drift()).toBe("");
	});

	it.each([
		["pythonVersion", { python_version: "3.9" }, /pythonVersion *: "3.12" => "3.9"/],
		["requirements", { requirements: "left-pad" }, /requirements/],
		[
			"repository",
			{ repository: "https://example.com/evil.git" },
			/repository *: .* => "https:\/\/example.com\/evil.git"/,
		],
		["workers", { workers: 99 }, /workers *: 3 => 99/],
		["priority", { priority: 5 }, /priority *: 2 => 5/],
		["plain variable", { environment: `MODEL=other\nAPI_KEY=${SECRET}` }, /MODEL *: "clip" => "other"/],
		["secret variable", { environment: `MODEL=clip\nAPI_KEY=${FOREIGN}` }, /API_KEY: \[secret\]/],
		[
			"variable of somebody else's",
			{ environment: `MODEL=clip\nAPI_KEY=${SECRET}\nTHEIRS=${FOREIGN}` },
			/THEIRS *: "\(set outside Pulumi\)"/,
		],
		["removed variable", { environment: `API_KEY=${SECRET}` }, /- MODEL/],
	])("a %s changed outside is named by refresh and repaired by up", async (_field, change, shown) => {
		await test.client.pipelines.settings({ pipeline_name: "rusty-vise", ...change });
		expect(await test.drift()).toMatch(shown);
		if ("environment" in change) {
			// A refresh that writes the drift into the state must not write secrets there in clear.
			expect((await test.stack.refresh(["--skip-preview"])).code).toBe(0);
			expect(JSON.stringify(await test.stack.export())).not.toMatch(/canary/);
			await test.up();
		} else await test.up(["--refresh"]);
		expect(await live()).toMatchObject({
			workers: 3,
			environment_variables: { MODEL: "clip", API_KEY: SECRET },
		});
	});

	it("nothing of that has left drift behind either", async () => {
		expect(await test.drift()).toBe("");
	});

	it("a key that is no longer declared stays as it is and is no longer compared", async () => {
		const { workers: _, ...rest } = BASE;
		test.declare({ kind: "PipelineSettings", name: "images", args: rest });
		await test.up();
		await test.client.pipelines.settings({ pipeline_name: "rusty-vise", workers: 5 });
		expect(await test.drift()).toBe("");
	});

	it("restore puts back what was there, of what is still declared, and leaves the rest", async () => {
		expect((await test.stack.destroy(["--skip-preview"])).code).toBe(0);
		const now = await live();
		expect(now.environment_variables ?? {}).toEqual(original.environment_variables ?? {});
		expect(now.python_version || null).toBe(original.python_version || null);
		expect(now.requirements || null).toBe(original.requirements || null);
		expect(now.workers).toBe(5);
	});

	it("no secret was printed or stored in clear", async () => {
		expect(test.printed()).not.toMatch(/canary/);
	});
});

describe("PipelineSettings that others have made", () => {
	let test: TestDeployment;
	beforeAll(async () => {
		test = await testDeployment();
	});
	afterAll(() => test?.dispose());

	const declared = (args: object): Declared => ({
		kind: "PipelineSettings",
		name: "images",
		args: { pipelineName: "nightly-images", ...args },
	});
	const live = () => test.client.pipelines.status({ name: "nightly-images" });

	it("are refused at preview without adopt, naming the keys but no values of the environment", async () => {
		const before = await live();
		test.declare(declared({ pythonVersion: "3.13", environment: { LOG_LEVEL: "debug-canary" } }));
		const result = await test.stack.preview();
		expect(result.code).not.toBe(0);
		expect(result.stdout).toMatch(/pythonVersion \("3.12" there, "3.13" here\); environment \(LOG_LEVEL\)/);
		expect(result.stdout).toMatch(/adopt: true/);
		expect(result.stdout).not.toMatch(/debug-canary/);
		expect(await live()).toEqual(before);
	});

	it("are taken without adopt where they already are as declared", async () => {
		test.declare(declared({ pythonVersion: "3.12", environment: { LOG_LEVEL: "info" } }));
		await test.up();
		expect(test.server.requests.count({ endpoint: "updateSettings" })).toBe(0);
		await test.expectSettled();
	});

	it("a key declared later needs adopt as well", async () => {
		test.declare(declared({ pythonVersion: "3.12", environment: { LOG_LEVEL: "info" }, workers: 6 }));
		const refused = await test.stack.preview();
		expect(refused.stdout).toMatch(/workers \(2 there, 6 here\)/);
		test.declare(
			declared({ pythonVersion: "3.12", environment: { LOG_LEVEL: "info" }, workers: 6, adopt: true }),
		);
		await test.up();
		expect(await live()).toMatchObject({ workers: 6, python_version: "3.12" });
	});

	it("keep is the default: destroy changes nothing on the service", async () => {
		const before = await live();
		expect((await test.stack.destroy(["--skip-preview"])).code).toBe(0);
		expect(await live()).toEqual(before);
	});

	it("reset clears the declared keys and no others", async () => {
		test.declare(declared({ pythonVersion: "3.12", onDestroy: "reset" }));
		await test.up();
		expect((await test.stack.destroy(["--skip-preview"])).code).toBe(0);
		const now = await live();
		expect(now.python_version || null).toBeNull();
		expect(now).toMatchObject({ workers: 6, environment_variables: { LOG_LEVEL: "info" } });
	});

	it("another pipeline replaces: the old one gets its settings back, the new one is taken over", async () => {
		const before = await live();
		test.declare(declared({ repository: "https://example.com/a.git", onDestroy: "restore" }));
		await test.up();
		test.declare(
			declared({ pipelineName: "rusty-vise", repository: "https://example.com/a.git", onDestroy: "restore" }),
		);
		await test.up();
		expect((await live()).repository || null).toBe(before.repository || null);
		expect(await test.client.pipelines.status({ name: "rusty-vise" })).toMatchObject({
			repository: "https://example.com/a.git",
		});
		expect((await test.resource("images")).id).toBe("vision/rusty-vise");
		await test.expectSettled();
	});

	it("a pipeline that does not exist is refused at preview", async () => {
		test.declare(declared({ pipelineName: "nowhere", workers: 1 }));
		const result = await test.stack.preview();
		expect(result.code).not.toBe(0);
		expect(result.stdout).toMatch(/no pipeline "nowhere" in team "vision"/);
	});
});
