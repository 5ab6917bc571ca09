import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { doctorReportSchema } from "../../src/commands/doctor-check";
import { type LocalServer, startServer } from "../../src/server";
import { run } from "../../tools/process/run";
import { type TempFolder, tempFolder } from "../../tools/process/temp-folder";
import { runCli } from "../helpers/drift-cli";
import { temporaryProject, testEngine } from "../helpers/engine";

const CANARY = "canary-77d2";
const READER = { token: `${CANARY}-reader`, user: "reader", teams: ["vision"], read: true, write: false };

/** Nothing of this machine's settings, and no programs but those that are added. */
const bare = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({ PATH: "", HOME: "/nonexistent", ...env });

describe("pulumi-datachain doctor", () => {
	let server: LocalServer;
	let empty: TempFolder;
	let project: TempFolder;
	/** Home and backend of the user. */
	let own: TempFolder;
	let engineEnv: NodeJS.ProcessEnv;
	const backend = () => join(own.path, "backend");
	const pulumi = async (...args: string[]) => {
		const { command } = await testEngine();
		const options = { cwd: project.path, env: engineEnv, timeoutMs: 120_000 };
		const result = await run(command, [...args, "--non-interactive"], options);
		if (result.code !== 0) throw new Error(`pulumi ${args.join(" ")}: ${result.stderr}`);
		return result.stdout;
	};
	beforeAll(async () => {
		server = await startServer({ tokens: [READER] });
		empty = tempFolder("doctor-empty-");
		project = temporaryProject("doctor", "");
		own = tempFolder("doctor-own-");
		mkdirSync(backend());
		engineEnv = (await testEngine()).env({
			...process.env,
			...server.environment,
			PULUMI_HOME: join(own.path, "home"),
			PULUMI_BACKEND_URL: pathToFileURL(backend()).href,
			PULUMI_CONFIG_PASSPHRASE: CANARY,
			PULUMI_SKIP_UPDATE_CHECK: "true",
		});
		await pulumi("stack", "init", "dev");
	});
	afterAll(async () => {
		empty?.remove();
		project?.remove();
		own?.remove();
		await server?.close();
	});
	/** Each check by its name. */
	const checksIn = async (env: NodeJS.ProcessEnv, ...args: string[]) => {
		const { code, stdout } = await runCli({ folder: project.path, env: { ...engineEnv, ...env } }, [
			"doctor",
			"--json",
			...args,
		]);
		const { checks } = doctorReportSchema.parse(JSON.parse(stdout));
		return { code, of: Object.fromEntries(checks.map((check) => [check.name, check])) };
	};

	it("in an empty folder on a bare machine fails, and each failure says what to do", async () => {
		const { code, stdout, stderr } = await runCli({ folder: empty.path, env: bare({}) }, [
			"doctor",
			"--json",
		]);
		const { ok, checks } = doctorReportSchema.parse(JSON.parse(stdout));
		expect([code, ok, stderr]).toEqual([1, false, ""]);
		const failed = checks.filter(({ status }) => status === "fail");
		// Whoever came by pip or by the plugin alone has no use for npm.
		expect(failed.map(({ name }) => name)).toEqual(["pulumi cli", "token", "team"]);
		expect(failed.filter(({ fix }) => !fix)).toEqual([]);
		expect(stdout).not.toContain("npm");
	});

	it("in a folder of Node.js without a project checks what a program there needs", async () => {
		const folder = tempFolder("doctor-node-");
		writeFileSync(join(folder.path, "package.json"), "{}");
		const { stdout } = await runCli({ folder: folder.path, env: bare({}) }, ["doctor", "--json"]);
		const failed = doctorReportSchema
			.parse(JSON.parse(stdout))
			.checks.filter(({ status }) => status === "fail");
		const all = ["pulumi cli", "language host", "pulumi sdk", "package", "provider stub", "token", "team"];
		expect(failed.map(({ name }) => name)).toEqual(all);
		folder.remove();
	});

	it("with everything in place is content, in plain text in a pipe, and changes nothing of the user's", async () => {
		const all = () =>
			[project.path, backend()].flatMap((folder) =>
				readdirSync(folder, { recursive: true, withFileTypes: true })
					.filter((entry) => entry.isFile() && !entry.parentPath.includes("node_modules"))
					.map(({ parentPath, name }) => [parentPath, name, readFileSync(join(parentPath, name), "utf8")]),
			);
		const before = all();
		const { code, stdout, stderr } = await runCli({ folder: project.path, env: engineEnv }, [
			"doctor",
			"--stack",
			"dev",
		]);
		expect([code, stderr], stdout).toEqual([0, ""]);
		expect(all()).toEqual(before);
		expect(stdout).toMatch(/^ok {4}node /);
		// Whether the plugin is on the PATH too depends on who started the tests.
		expect(stdout).toMatch(/^Ready: 1[45] ok, 0 to look at, 0 failed\.$/m);
		expect(stdout).toMatch(/^skip {2}write access .*--probe-write/m);
		expect(server.requests.count({ method: "POST" })).toBe(0);
		expect(stdout).not.toMatch(new RegExp(`\u001b|${server.token}`));
	});

	// A machine without Pulumi is asked about the service all the same, and sooner.
	const onBareMachine = async (env: NodeJS.ProcessEnv, ...args: string[]) => {
		const place = { folder: empty.path, env: bare({ ...server.environment, ...env }) };
		return (await runCli(place, ["doctor", ...args])).stdout;
	};

	it("with a token that may only read warns, and shows no token", async () => {
		const stdout = await onBareMachine({ DATACHAIN_STUDIO_TOKEN: READER.token }, "--probe-write");
		expect(stdout).toMatch(/^warn {2}write access .*may not write.*\n +Fix: Use a token with write access/m);
		expect(stdout).not.toContain(CANARY);
	});

	it("with a wrong address fails at the service, soon", async () => {
		const stdout = await onBareMachine({ DATACHAIN_STUDIO_URL: "http://127.0.0.1:1" });
		expect(stdout).toMatch(/^fail {2}read access /m);
		expect(stdout).toMatch(/^skip {2}write access /m);
	});

	it("with a wrong passphrase, or none, fails although the state has no secrets", async () => {
		for (const passphrase of ["wrong", undefined]) {
			const { code, of } = await checksIn({ PULUMI_CONFIG_PASSPHRASE: passphrase }, "--stack", "dev");
			const failed = Object.values(of).filter(({ status }) => status === "fail");
			expect([code, failed.length]).toEqual([1, 1]);
			expect(failed[0]).toMatchObject({
				name: passphrase === undefined ? "stack" : "secrets",
				message: expect.stringMatching(/passphrase/),
				fix: expect.stringContaining("PULUMI_CONFIG_PASSPHRASE"),
			});
		}
	});

	it("with a config that cannot be read sends the token nowhere, and does not say that a setting is missing", async () => {
		const unread = { DATACHAIN_STUDIO_URL: undefined, DATACHAIN_STUDIO_TEAM: undefined };
		// The CLI decrypts the config only if there is something to decrypt.
		await pulumi("config", "set", "--secret", "datachain:teamName", "vision", "--stack", "dev");
		const { of } = await checksIn({ ...unread, PULUMI_CONFIG_PASSPHRASE: "wrong" }, "--stack", "dev");
		await pulumi("config", "rm", "datachain:teamName", "--stack", "dev");
		const statuses = ["config", "url", "token", "team", "read access"].map((name) => of[name]?.status);
		expect(statuses).toEqual(["skip", "skip", "ok", "skip", "skip"]);
	});

	it("with a backend that is not there, or cannot be written, or a state that cannot be read, fails", async () => {
		const nowhere = { PULUMI_BACKEND_URL: pathToFileURL(join(own.path, "nowhere")).href };
		expect((await checksIn(nowhere)).of.backend).toMatchObject({
			status: "fail",
			message: expect.stringMatching(/nowhere.*no such file/),
			fix: expect.stringContaining("pulumi login"),
		});
		const locks = join(backend(), ".pulumi", "locks");
		rmSync(locks, { recursive: true, force: true });
		writeFileSync(locks, "");
		const unwritable = await checksIn({});
		rmSync(locks);
		expect([unwritable.code, unwritable.of.backend?.status]).toEqual([1, "fail"]);
		expect(unwritable.of.backend?.message).toContain(locks);
		const state = join(backend(), ".pulumi", "stacks", "doctor", "dev.json");
		const whole = readFileSync(state);
		writeFileSync(state, "{");
		const spoilt = await checksIn({});
		writeFileSync(state, whole);
		expect([spoilt.code, spoilt.of.stack?.status]).toEqual([1, "fail"]);
	});

	it("without a stack says that none was read, and with one that does not exist fails", async () => {
		const fresh = { PULUMI_HOME: join(own.path, "another-home") };
		const { code, of } = await checksIn(fresh);
		expect([code, of.stack?.status]).toEqual([0, "warn"]);
		expect((await checksIn({}, "--stack", "prod")).of.stack).toMatchObject({
			status: "fail",
			message: expect.stringContaining("no stack named 'prod'"),
		});
	});

	it("fails if the state needs the plugin and there is none", async () => {
		const before = await pulumi("stack", "export", "--stack", "dev");
		const state = JSON.parse(before);
		const urn = (type: string, name: string) => `urn:pulumi:dev::doctor::${type}::${name}`;
		const [provider, schedule] = ["pulumi:providers:datachain", "datachain:index:PipelineSchedule"];
		state.deployment.resources = [
			{ urn: urn(provider, "p"), type: provider, custom: true, id: "1" },
			{
				urn: urn(schedule, "s"),
				type: schedule,
				custom: true,
				id: "7",
				provider: `${urn(provider, "p")}::1`,
			},
		];
		const file = join(own.path, "state.json");
		const load = async (text: string) => {
			writeFileSync(file, text);
			await pulumi("stack", "import", "--stack", "dev", "--file", file);
		};
		await load(JSON.stringify(state));
		// Only the engine's own programs: the plugin of this checkout may be on the PATH of whoever runs the tests.
		const { command } = await testEngine();
		const { code, of } = await checksIn({ PATH: `${dirname(command)}:/usr/bin:/bin` });
		await load(before);
		expect([code, of.plugin?.status, of.stack?.status]).toEqual([1, "fail", "ok"]);
		expect(of.plugin?.message).toContain("The stack's state has resources of the plugin");
	});

	it("of a backend that nobody has used so far warns, and leaves it empty", async () => {
		const fresh = join(own.path, "fresh");
		mkdirSync(fresh);
		const { of } = await checksIn({ PULUMI_BACKEND_URL: pathToFileURL(fresh).href });
		expect([of.backend?.status, readdirSync(fresh)]).toEqual(["warn", []]);
	});
});
