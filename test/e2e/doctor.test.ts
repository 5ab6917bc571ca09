import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { doctorReportSchema } from "../../src/doctor/result";
import { type LocalServer, startServer } from "../../src/server";
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
	let engineEnv: NodeJS.ProcessEnv;
	beforeAll(async () => {
		server = await startServer({ tokens: [READER] });
		empty = tempFolder("doctor-empty-");
		project = temporaryProject("doctor", "");
		engineEnv = (await testEngine()).env({ ...process.env, ...server.environment });
	});
	afterAll(async () => {
		empty?.remove();
		project?.remove();
		await server?.close();
	});

	it("in an empty folder on a bare machine fails, and each failure says what to do", async () => {
		const { code, stdout, stderr } = await runCli({ folder: empty.path, env: bare({}) }, [
			"doctor",
			"--json",
		]);
		const { ok, checks } = doctorReportSchema.parse(JSON.parse(stdout));
		expect([code, ok, stderr]).toEqual([1, false, ""]);
		const failed = checks.filter(({ status }) => status === "fail");
		expect(failed.map(({ name }) => name)).toEqual([
			"pulumi cli",
			"language host",
			"pulumi sdk",
			"package",
			"provider stub",
			"token",
			"team",
		]);
		expect(failed.filter(({ fix }) => !fix)).toEqual([]);
	});

	it("with everything in place is content, in plain text in a pipe", async () => {
		const { code, stdout, stderr } = await runCli({ folder: project.path, env: engineEnv }, ["doctor"]);
		expect([code, stderr], stdout).toEqual([0, ""]);
		expect(stdout).toMatch(/^ok {4}node /);
		// Whether the plugin is on the PATH too depends on who started the tests.
		expect(stdout).toMatch(/^Ready: 1[12] ok, 0 to look at, 0 failed\.$/m);
		expect(stdout).toMatch(/^skip {2}write access .*--probe-write/m);
		expect(server.requests.count({ method: "POST" })).toBe(0);
		expect(stdout).not.toMatch(new RegExp(`\u001b|${server.token}`));
	});

	it("with a token that may only read warns, and shows no token", async () => {
		const env = { ...engineEnv, DATACHAIN_STUDIO_TOKEN: READER.token };
		const { code, stdout } = await runCli({ folder: project.path, env }, ["doctor", "--probe-write"]);
		expect(code).toBe(0);
		expect(stdout).toMatch(/^warn {2}write access .*may not write.*\n +Fix: Use a token with write access/m);
		expect(stdout).not.toContain(CANARY);
	});

	it("with a wrong address fails at the service, soon", async () => {
		const env = { ...engineEnv, DATACHAIN_STUDIO_URL: "http://127.0.0.1:1" };
		const { code, stdout } = await runCli({ folder: project.path, env }, ["doctor"]);
		expect(code).toBe(1);
		expect(stdout).toMatch(/^fail {2}read access /m);
		expect(stdout).toMatch(/^skip {2}write access /m);
	});
});
