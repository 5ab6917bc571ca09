import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { doctorReportSchema } from "../../src/commands/doctor-check";
import { type LocalServer, startServer } from "../../src/server";
import { succeeded } from "../../tools/process/must";
import { run } from "../../tools/process/run";
import { tempFolder } from "../../tools/process/temp-folder";
import { backendOf, stackEnvironment } from "../../tools/stack/environment";
import { runCli } from "../helpers/cli";
import { temporaryProject, testEngine } from "../helpers/engine";

const CANARY = "canary-77d2";

/** Nothing of this machine's settings, and no programs but those that are added. */
const bare = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({ PATH: "", HOME: "/nonexistent", ...env });

describe("pulumi-datachain doctor", () => {
	let server: LocalServer;
	const project = temporaryProject("doctor", "");
	/** Home and backend of the user. */
	const own = tempFolder("doctor-own-");
	let engineEnv: NodeJS.ProcessEnv;
	const backend = backendOf(own.path);
	const fresh = join(own.path, "fresh");
	const pulumi = async (...args: string[]) => {
		const { command } = await testEngine();
		const options = { cwd: project.path, env: engineEnv, timeoutMs: 120_000 };
		succeeded("pulumi", await run(command, [...args, "--non-interactive"], options));
	};
	beforeAll(async () => {
		server = await startServer();
		mkdirSync(fresh);
		const extra = { ...server.environment, PULUMI_CONFIG_PASSPHRASE: CANARY };
		({ env: engineEnv } = stackEnvironment(own.path, await testEngine(), extra));
		await pulumi("stack", "init", "dev");
	});
	afterAll(() => server?.close());
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
		const { path: folder } = tempFolder("doctor-bare-");
		if (file !== undefined) writeFileSync(join(folder, file), "{}");
		const place = { folder, env: bare({}) };
		const { code, stdout, stderr } = await runCli(place, ["doctor", "--json"]);
		const { ok, checks } = doctorReportSchema.parse(JSON.parse(stdout));
		expect([code, ok, stderr]).toEqual([1, false, ""]);
		const failed = checks.filter(({ status }) => status === "fail");
		expect(failed.map(({ name }) => name)).toEqual(["pulumi cli", ...more, "token", "team"]);
		expect(failed.filter(({ fix }) => !fix)).toEqual([]);
		expect(stdout.includes("npm")).toBe(file !== undefined);
	});

	it("with everything in place is content, in plain text in a pipe, and changes nothing of the user's", async () => {
		const all = () =>
			[project.path, backend].flatMap((folder) =>
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

	const at = (folder: string) => ({ PULUMI_BACKEND_URL: pathToFileURL(join(own.path, folder)).href });
	const PHRASE = "PULUMI_CONFIG_PASSPHRASE";
	it.each<[string, NodeJS.ProcessEnv, string, RegExp]>([
		["a wrong passphrase", { [PHRASE]: "wrong" }, "dev", /^fail secrets: .*passphrase/],
		["no passphrase", { [PHRASE]: undefined }, "dev", /^fail stack: .*passphrase/],
		["no stack selected", { PULUMI_HOME: join(own.path, "another") }, "", /^warn stack: .*none was read/],
		["a stack that does not exist", {}, "prod", /^fail stack: .*no stack named 'prod'/],
		["a backend that is not there", at("nowhere"), "", /^fail backend: .*nowhere.*no such file/],
		["a backend that nobody has used", at("fresh"), "", /^warn backend: .*no stacks yet/],
	])("with %s says so and what to do", async (_what, env, stack, said) => {
		const { code, of } = await checksIn(env, ...(stack ? ["--stack", stack] : []));
		const [found, ...others] = Object.values(of).filter(({ status }) => /fail|warn/.test(status));
		expect(others).toEqual([]);
		expect(`${found?.status} ${found?.name}: ${found?.message}`).toMatch(said);
		expect(found?.fix).toMatch(/pulumi |PULUMI_CONFIG_PASSPHRASE/);
		expect([code, readdirSync(fresh)]).toEqual([found?.status === "fail" ? 1 : 0, []]);
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

	it("with a backend that cannot be written, or a state that cannot be read, fails", async () => {
		const locks = join(backend, ".pulumi", "locks");
		rmSync(locks, { recursive: true, force: true });
		writeFileSync(locks, "");
		const unwritable = await checksIn({});
		rmSync(locks);
		expect([unwritable.code, unwritable.of.backend?.status]).toEqual([1, "fail"]);
		expect(unwritable.of.backend?.message).toContain(locks);
		const state = join(backend, ".pulumi", "stacks", "doctor", "dev.json");
		const whole = readFileSync(state);
		writeFileSync(state, "{");
		const spoilt = await checksIn({});
		writeFileSync(state, whole);
		expect([spoilt.code, spoilt.of.stack?.status]).toEqual([1, "fail"]);
	});
});
