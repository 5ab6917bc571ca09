import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { doctorReportSchema } from "../../src/commands/doctor-check";
import { type LocalServer, startServer } from "../../src/server";
import { run } from "../../tools/process/run";
import { type TempFolder, tempFolder } from "../../tools/process/temp-folder";
import { runCli } from "../helpers/drift-cli";
import { temporaryProject, testEngine } from "../helpers/engine";

const CANARY = "canary-77d2";

/** Nothing of this machine's settings, and no programs but those that are added. */
const bare = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({ PATH: "", HOME: "/nonexistent", ...env });

describe("pulumi-datachain doctor", () => {
	let server: LocalServer;
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
		server = await startServer();
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

	// Whoever came by pip or by the plugin alone has no use for npm.
	it.each([
		["an empty folder", undefined, []],
		["a folder of Node.js", "package.json", ["language host", "pulumi sdk", "package", "provider stub"]],
	])("in %s on a bare machine fails, and each failure says what to do", async (_where, file, more) => {
		const folder = tempFolder("doctor-bare-");
		if (file !== undefined) writeFileSync(join(folder.path, file), "{}");
		const place = { folder: folder.path, env: bare({}) };
		const { code, stdout, stderr } = await runCli(place, ["doctor", "--json"]);
		folder.remove();
		const { ok, checks } = doctorReportSchema.parse(JSON.parse(stdout));
		expect([code, ok, stderr]).toEqual([1, false, ""]);
		const failed = checks.filter(({ status }) => status === "fail");
		expect(failed.map(({ name }) => name)).toEqual(["pulumi cli", ...more, "token", "team"]);
		expect(failed.filter(({ fix }) => !fix)).toEqual([]);
		expect(stdout.includes("npm")).toBe(file !== undefined);
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

	it("of a backend that nobody has used so far warns, and leaves it empty", async () => {
		const fresh = join(own.path, "fresh");
		mkdirSync(fresh);
		const { of } = await checksIn({ PULUMI_BACKEND_URL: pathToFileURL(fresh).href });
		expect([of.backend?.status, readdirSync(fresh)]).toEqual(["warn", []]);
	});
});
