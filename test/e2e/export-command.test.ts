import {
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type LocalServer, startServer } from "../../src/server";
import { run } from "../../tools/process/run";
import { tempFolder } from "../../tools/process/temp-folder";
import { stackEnvironment } from "../../tools/stack/environment";
import { runCli } from "../helpers/cli";
import { startCli } from "../helpers/cli-process";
import { testEngine } from "../helpers/engine";
import { apiOf, eventually } from "../helpers/server-harness";

describe("pulumi-datachain export", () => {
	let server: LocalServer;
	let folder: string;
	beforeAll(async () => {
		server = await startServer({ faults: true });
		for (let i = 0; i < 30; i++) {
			const pipeline_name = i % 2 === 0 ? "rusty-vise" : "nightly-images";
			const schedule_name = `report ${i}`;
			server
				.team("vision")
				.createSchedule({ schedule_name, pipeline_name, cron_expression: "@daily" });
		}
	});
	beforeEach(() => {
		server.faults.clear();
		server.requests.clear();
		folder = tempFolder("export-command-").path;
	});
	afterAll(() => server?.close());

	const cli = (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
		runCli({ folder, env: { ...process.env, ...server.environment, ...env } }, [
			"export",
			...args,
		]);
	const file = (...path: string[]) => readFileSync(join(folder, ...path), "utf8");
	const project = (name: string) =>
		readdirSync(join(folder, name))
			.sort()
			.map((each) => [each, file(name, each)]);

	it("writes the same bytes for the same team, with reads only, a few at a time", async () => {
		const first = await cli([]);
		expect(first.code, first.stderr).toBe(0);
		expect(server.requests.count({ endpoint: "listSchedules" })).toBe(1);
		expect(server.requests.count({ endpoint: "getSchedule" })).toBe(31);
		expect(server.requests.count({ endpoint: "listPipelines" })).toBe(1);
		expect(server.requests.count()).toBe(33);
		expect(server.requests.maxInFlight).toBeLessThanOrEqual(32);
		expect((await cli(["--out", "again/and/again"])).code).toBe(0);
		expect(project("again/and/again")).toEqual(project("datachain-team"));
		expect(first.stdout).toBe("");
		expect(first.stderr).toContain(
			"\n  pulumi config set --secret nightly-images.LOG_LEVEL\n",
		);
	});

	it("refuses a folder that is not empty, before it asks the service; --force replaces its own files only", async () => {
		mkdirSync(join(folder, "team"));
		writeFileSync(join(folder, "team", "Pulumi.dev.yaml"), "config: {}\n");
		writeFileSync(join(folder, "team", "schedules.ts"), "old");
		const refused = await cli(["--out", "team"]);
		expect(refused.code).toBe(1);
		expect(refused.stderr).toMatch(
			/^error: The folder "team" is not empty\. .*--force/,
		);
		expect(server.requests.count()).toBe(0);
		expect(file("team", "schedules.ts")).toBe("old");
		expect((await cli(["--out", "team", "--force"])).code).toBe(0);
		expect(file("team", "schedules.ts")).toContain("new datachain.PipelineSchedule(");
		expect(file("team", "Pulumi.dev.yaml")).toBe("config: {}\n");
		expect(
			project("team").filter(([name]) => /^\.(?!gitignore)/.test(name ?? "")),
		).toEqual([]);
	});

	it("exports what the filters match, and only asks for that", async () => {
		// What is deleted while it reads is left out.
		server.faults.add({
			kind: "status",
			status: 404,
			endpoint: "getSchedule",
			times: 1,
			message: "gone",
		});
		expect((await cli(["--filter", "report ?", "--filter", "report 2*"])).code).toBe(0);
		expect(
			file("datachain-team", "schedules.ts").match(/scheduleName: /g),
		).toHaveLength(19);
		expect(server.requests.count({ endpoint: "getSchedule" })).toBe(20);
	});

	it.each<[string, string[], NodeJS.ProcessEnv, RegExp]>([
		[
			"a filter that matches nothing",
			["--filter", "none-*"],
			{},
			/No schedule .* matches "none-\*"/,
		],
		[
			"no connection",
			[],
			{ DATACHAIN_STUDIO_TOKEN: "" },
			/datachain auth login.*DATACHAIN_STUDIO_TOKEN/,
		],
		["--write-config without a stack", ["--write-config"], {}, /Add --stack NAME/],
		["a file in the way", ["--out", "file/team"], {}, /file\/team/],
		["a service that fails half-way", [], {}, /403/],
	])(
		"says what is wrong in a sentence and writes nothing: %s",
		async (what, args, env, message) => {
			if (args.includes("file/team")) writeFileSync(join(folder, "file"), "");
			if (what.endsWith("half-way"))
				server.faults.add({
					kind: "status",
					status: 403,
					endpoint: "getSchedule",
					skip: 5,
				});
			const result = await cli(args, env);
			expect(result.code).toBe(1);
			expect(result.stderr).toMatch(/^error: [A-Z-]/);
			expect(result.stderr).toMatch(message);
			expect(readdirSync(folder).filter((name) => name !== "file")).toEqual([]);
		},
	);

	it("ends on Ctrl-C at once, and writes nothing", async () => {
		server.faults.add({ kind: "delay", ms: 20_000, endpoint: "getSchedule" });
		const running = startCli(["export"], server.environment, folder);
		await eventually(() => {
			// A request of the command before may still arrive; what follows this one's own list is its own.
			const asked = server.requests.entries.map(({ endpoint }) => endpoint);
			const listed = asked.indexOf("listSchedules");
			return (listed >= 0 && asked.includes("getSchedule", listed)) || undefined;
		}, 30_000);
		const stopped = Date.now();
		running.interrupt();
		const { code, stderr } = await running.finished;
		expect(Date.now() - stopped).toBeLessThan(5_000);
		expect([code, stderr]).toEqual([
			1,
			"error: The export was stopped. Nothing was written.\n",
		]);
		expect(readdirSync(folder)).toEqual([]);
	});

	it("stores many secrets with few calls of the CLI, none in an argument, and says how far it is", async () => {
		const engine = await testEngine();
		const own = tempFolder("export-config-").path;
		const { env } = stackEnvironment(own, engine, server.environment);
		const environment = Array.from(
			{ length: 90 },
			(_, at) => `TOKEN_${at}=canary-${at}`,
		).join("\n");
		await apiOf(server).post("/pipeline/settings", {
			pipeline_name: "rusty-vise",
			environment,
		});
		// Notes each call and whether the project declares values, and passes it on to the real CLI.
		const [bin, calls] = [join(own, "bin"), join(own, "calls")];
		mkdirSync(bin);
		const declares =
			"$(grep -c '^config:' Pulumi.yaml) $(grep -c '^resources:' Pulumi.yaml)";
		const shim = `#!/bin/sh\necho "$@" "${declares}" >> '${calls}'\nexec '${engine.command}' "$@"\n`;
		writeFileSync(join(bin, "pulumi"), shim, { mode: 0o755 });
		const result = await cli(
			["--language", "yaml", "--write-config", "--stack", "dev"],
			{
				...env,
				PATH: `${bin}:${env.PATH}`,
			},
		);
		expect(result.code, result.stderr).toBe(0);
		expect(result.stderr).toMatch(/^Storing 91 secrets in stack "dev"\.$/m);
		const called = readFileSync(calls, "utf8");
		expect(called.trim().split("\n").length).toBeLessThanOrEqual(6);
		expect(called).not.toContain("canary");
		// With the declarations, each value costs the CLI a check of all. Without the resources, a kill would be followed by their deletion.
		expect(called.match(/config set-all .*/g)).toSatisfy((lines: string[]) =>
			lines.every((line) => line.endsWith(" 0 1")),
		);
		const project = readFileSync(join(folder, "datachain-team", "Pulumi.yaml"), "utf8");
		expect(project).toMatch(/^config:\n[\s\S]*^resources:\n/m);
		const options = { cwd: join(folder, "datachain-team"), env, timeoutMs: 60_000 };
		const show = ["config", "--json", "--show-secrets", "--stack", "dev"];
		const config = JSON.parse((await run(engine.command, show, options)).stdout);
		for (const at of [0, 45, 89])
			expect(config[`datachain-vision:rusty-vise--TOKEN_${at}`]).toEqual({
				value: `canary-${at}`,
				secret: true,
			});
	});

	it("with --write-config and no Pulumi CLI still writes the project, and says how to go on", async () => {
		const result = await cli(["--write-config", "--stack", "dev"], { PATH: folder });
		expect(result.code).toBe(1);
		expect(result.stderr).toMatch(
			/error: The project is written to .* the Pulumi CLI is not on PATH.*README\.md/,
		);
		expect(existsSync(join(folder, "datachain-team", "index.ts"))).toBe(true);
	});
});
