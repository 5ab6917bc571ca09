import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
	afterAll,
	afterEach,
	beforeAll,
	beforeEach,
	describe,
	expect,
	it,
} from "vitest";
import type { DataChainClient } from "../../src/client";
import { secretValue as secret } from "../../src/provider/model/props";
import { type LocalServer, startServer } from "../../src/server";
import { run } from "../../tools/process/run";
import { clientOf } from "../helpers/api-connect";
import {
	listenAsEngine,
	PLUGIN,
	PluginProcess,
	type Values,
} from "../helpers/plugin-process";
import { testFolder } from "../helpers/test-folder";
import { urnOf } from "../model/process";

const PIPELINE = "rusty-vise";

describe("the plugin, spoken to in the engine's words", () => {
	let server: LocalServer;
	let client: DataChainClient;
	let plugin: PluginProcess;
	beforeAll(async () => {
		server = await startServer({ faults: true });
		client = clientOf(server.environment);
	});
	afterAll(async () => {
		await client.close();
		await server.close();
	});
	beforeEach(async () => {
		plugin = await PluginProcess.start(server.environment);
	});
	afterEach(async () => {
		server.faults.clear();
		await plugin.end();
	});

	const schedule = (name: string, more: Values = {}): Values => ({
		scheduleName: name,
		pipelineName: PIPELINE,
		cronExpression: "0 3 * * *",
		...more,
	});
	const made = async (name: string, more: Values = {}) => {
		const { inputs, failures } = await plugin.check(
			"PipelineSchedule",
			name,
			schedule(name, more),
		);
		expect(failures).toEqual([]);
		return { inputs, ...(await plugin.create("PipelineSchedule", name, inputs)) };
	};

	describe("its process", () => {
		it.each([
			[
				"--help",
				/^The Pulumi plugin for DataChain Studio[\s\S]*PULUMI_DEBUG_PROVIDERS=datachain:PORT/,
			],
			["--version", /^\d+\.\d+\.\d+\S*\n$/],
		])("answers %s and ends", async (flag, says) => {
			const { code, stdout } = await run(PLUGIN, [flag], { timeoutMs: 20_000 });
			expect(stdout).toMatch(says);
			expect(code).toBe(0);
		});

		it("lets an engine attach to it that did not start it, and another after that one", async () => {
			await plugin.configure();
			const olds = { name: "f.txt", text: secret("one") };
			for (const name of ["first", "second"]) {
				const engine = await listenAsEngine();
				await plugin.attach(engine.address);
				await plugin.check("JobFile", name, { ...olds, text: secret("two") }, olds);
				await plugin.cancel();
				engine.close();
				expect(engine.heard.map(({ urn }) => urn)).toEqual([
					urnOf("JobFile", name, "dev", "plugin"),
				]);
			}
		});

		it("answers the schema without loading handlers, undici or zod", async () => {
			const folder = testFolder("plugin-loaded-");
			const hook = join(folder, "hook.cjs");
			const loaded = join(folder, "loaded.json");
			writeFileSync(
				hook,
				`process.on("exit", () => require("fs").writeFileSync(${JSON.stringify(loaded)}, JSON.stringify(Object.keys(require.cache))));`,
			);
			const other = await PluginProcess.start(server.environment, `--require ${hook}`);
			const schema = JSON.parse(await other.schema());
			expect(Object.keys(schema.resources)).toContain(
				"datachain:index:PipelineSchedule",
			);
			await other.end();
			const files: string[] = JSON.parse(readFileSync(loaded, "utf8"));
			expect(files.filter((file) => /provider\.js|undici|zod/.test(file))).toEqual([]);
		});

		it("gives up after the program's customTimeouts", async () => {
			await plugin.configure();
			const { inputs } = await plugin.check(
				"PipelineSchedule",
				"late",
				schedule("late"),
			);
			server.faults.add({
				endpoint: "getSchedule",
				kind: "delay",
				ms: 5_000,
				times: 1,
			});
			const creating = plugin.create("PipelineSchedule", "late", inputs, false, 1);
			await expect(creating).rejects.toThrow(
				/Gave up after 1 seconds\. Could not tell whether schedule "late" was created/,
			);
			server.faults.clear();
		});
	});

	describe("its configuration", () => {
		it("refuses settings it does not know by their name, without a property and without a value", async () => {
			const { failures } = await plugin.checkConfig({
				tokn: "canary",
				teamName: "vision",
			});
			expect(failures).toEqual([
				{
					property: "",
					reason: expect.stringMatching(
						/^tokn: .*Did you mean "token"\? .*baseUrl, token, teamName/,
					),
				},
			]);
		});

		it("refuses values it cannot use without printing them", async () => {
			const { failures } = await plugin.checkConfig({
				token: "canary with space",
				maxConcurrentWrites: "0",
			});
			expect(failures).toHaveLength(2);
			expect(JSON.stringify(failures)).not.toContain("canary");
		});

		it("keeps the token as a secret, whatever the program said", async () => {
			const { inputs } = await plugin.checkConfig({ token: "plain" });
			expect(inputs.token).toEqual(secret("plain"));
		});

		it("never asks for a replacement of the provider, and with it of everything", async () => {
			const diff = await plugin.diffConfig(
				{ baseUrl: "https://a.example.com" },
				{ baseUrl: "https://b.example.com" },
			);
			expect(diff).toMatchObject({ replacesList: [], deletebeforereplace: false });
		});

		it("takes the environment before the config of the default provider, and explicit arguments before both", async () => {
			await plugin.configure({ teamName: "elsewhere" }, "default_0_1_0");
			expect(
				(await plugin.check("PipelineSchedule", "n", schedule("n"))).inputs.teamName,
			).toBe("vision");
			await plugin.configure({ teamName: "elsewhere" }, "other");
			await expect(
				plugin.check("PipelineSchedule", "n", schedule("n")),
			).rejects.toThrow(/team "elsewhere"/);
		});

		it("a provider of the program's own has the last word on the log, for resources and for lookups", async () => {
			const folder = testFolder("plugin-log-");
			const [theirs = "", own = ""] = ["theirs.log", "own.log"].map((name) =>
				join(folder, name),
			);
			const logging = await PluginProcess.start({
				...server.environment,
				DATACHAIN_LOG: `debug:${theirs}`,
			});
			await logging.configure({ log: `debug:${own}` }, "own");
			await logging.check("PipelineSchedule", "n", schedule("logged"));
			await logging.invoke("getSchedules");
			await logging.end();
			expect(readdirSync(folder)).toEqual(["own.log"]);
			expect(readFileSync(own, "utf8")).toMatch(/listPipelines [\s\S]*listSchedules /);
		});
	});

	describe("resources", () => {
		beforeEach(() => plugin.configure());

		it("a create of a preview writes nothing, and knows what follows from the inputs", async () => {
			const { inputs } = await plugin.check(
				"PipelineSchedule",
				"preview",
				schedule("preview"),
			);
			server.requests.clear();
			const { id, outs } = await plugin.create(
				"PipelineSchedule",
				"preview",
				inputs,
				true,
			);
			const cronDescription = "every day at 03:00 UTC";
			expect({ id, outs }).toEqual({ id: "", outs: { ...inputs, cronDescription } });
			expect(server.requests.entries).toEqual([]);
		});

		it("a problem names no property, so that the engine prints no value", async () => {
			const { failures } = await plugin.check("PipelineSettings", "s", {
				pipelineName: PIPELINE,
				environment: { "not a name": secret("canary") },
			});
			expect(failures.map(({ property }) => property)).toEqual([""]);
			expect(JSON.stringify(failures)).not.toContain("canary");
		});

		it("marks credentials of storages and URLs as secrets, in inputs and outputs alike", async () => {
			const { inputs } = await plugin.check("PipelineSettings", "s", {
				pipelineName: PIPELINE,
				adopt: true,
				repository: "https://bot:pw@git.example.com/r",
				storage: {
					s3: { key: "k", secret: "s", endpointUrl: "https://minio.example.com" },
				},
			});
			const { outs } = await plugin.create("PipelineSettings", "s", inputs);
			for (const found of [inputs, outs]) {
				expect(found.repository).toEqual(secret("https://bot:pw@git.example.com/r"));
				expect(found.storage).toEqual({
					s3: {
						key: secret("k"),
						secret: secret("s"),
						endpointUrl: "https://minio.example.com",
					},
				});
			}
			// What was there before may hold anybody's credentials, and the state has nothing of it.
			expect(outs).not.toHaveProperty("previous");
		});

		it("an object that was made, but not as declared, keeps its id", async () => {
			const { inputs } = await plugin.check("PipelineSettings", "partly", {
				pipelineName: "quiet-harbor",
				pythonVersion: "3.12",
			});
			server.faults.add({ endpoint: "updateSettings", kind: "status", status: 500 });
			const error = await plugin
				.create("PipelineSettings", "partly", inputs)
				.catch((reason) => reason);
			const detail: Buffer = error.metadata.get("grpc-status-details-bin")[0];
			expect(detail.toString("latin1")).toContain("pulumirpc.ErrorResourceInitFailed");
			expect(detail.toString("latin1")).toContain("vision/quiet-harbor");
		}, 60_000);

		it("a diff names nested keys, and what they do", async () => {
			const environment = { A: "1", "B.C": "2", D: "3" };
			const olds = {
				pipelineName: PIPELINE,
				environment,
				teamName: "vision",
				onDestroy: "keep",
			};
			const changed = {
				pipelineName: "quiet-harbor",
				environment: { A: secret("1"), "B.C": "9", E: "4" },
			};
			const state = { olds, oldInputs: olds };
			expect(
				await plugin.diff("PipelineSettings", "s", "vision/x", state, {
					...olds,
					...changed,
				}),
			).toEqual({
				changes: true,
				replaces: ["pipelineName"],
				detailed: {
					pipelineName: "UPDATE_REPLACE",
					"environment.A": "UPDATE",
					'environment["B.C"]': "UPDATE",
					"environment.D": "DELETE",
					"environment.E": "ADD",
				},
			});
		});

		it("a read keeps an output that only additionalSecretOutputs hides out of the inputs' secrets", async () => {
			const { id, outs, inputs } = await made("hidden");
			const hidden = { ...outs, cronExpression: secret(outs.cronExpression) };
			const found = await plugin.read("PipelineSchedule", "hidden", id, hidden, inputs);
			expect(found.inputs).toMatchObject({ cronExpression: inputs.cronExpression });
			expect(found.outs).toMatchObject({
				cronExpression: secret(outs.cronExpression),
				cronDescription: outs.cronDescription,
			});
		});
	});

	describe("lookups", () => {
		beforeEach(() => plugin.configure());

		it("wait for what the deployment has just made, if the list lags behind", async () => {
			server.faults.add({ kind: "stale-list", ms: 1500 });
			const { id } = await made("shown-late");
			expect(
				await plugin.invoke("getSchedule", { scheduleName: "shown-late" }),
			).toMatchObject({
				id: Number(id),
			});
		});

		it("give an id that may be a number or a text as a text, which is what the schema says", async () => {
			expect((await plugin.invoke("getComputeCluster", { default: true })).id).toEqual(
				expect.any(String),
			);
		});

		it("answer no secret and no value of an environment unless asked, so that a plain call works in every language", async () => {
			await client.pipelines.settings({
				pipeline_name: PIPELINE,
				environment: "TOKEN=canary",
				repository: "https://bot:canary@git.example.com/r",
			});
			for (const [name, args] of [
				["getPipeline", { name: PIPELINE }],
				["getPipelines", {}],
				["getJobs", {}],
			] as const) {
				const found = JSON.stringify(await plugin.invoke(name, args));
				expect(found, name).not.toMatch(
					new RegExp(`canary|${Object.keys(secret(""))[0]}`),
				);
				expect(found, name).toContain("environmentNames");
			}
			const found = await plugin.invoke("getPipeline", { name: PIPELINE });
			expect(found).toMatchObject({
				environmentNames: ["TOKEN"],
				repository: "https://git.example.com/r",
			});
		});

		it("give the values of an environment as a secret where they are asked for", async () => {
			const found = await plugin.invoke("getPipeline", {
				name: PIPELINE,
				withEnvironment: true,
			});
			expect(found.environmentVariables).toEqual(secret({ TOKEN: "canary" }));
		});
	});
});
