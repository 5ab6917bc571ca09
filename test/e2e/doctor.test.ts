import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { doctorReportSchema } from "../../src/commands/doctor/check";
import { type LocalServer, startServer } from "../../src/server";
import { succeeded } from "../../tools/process/must";
import { run } from "../../tools/process/run";
import { tempFolder } from "../../tools/process/temp-folder";
import { backendOf, stackEnvironment } from "../../tools/stack/environment";
import { command, runCli } from "../helpers/cli";
import { temporaryProject, testEngine } from "../helpers/engine";

const CANARY = "canary-77d2";

const canMount = spawnSync("unshare", ["-rm", "true"]).status === 0;

/** Nothing of this machine's settings, and no programs but those that are added. */
const bare = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
	PATH: "",
	HOME: "/nonexistent",
	...env,
});

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
		writeFileSync(join(own.path, "home-file"), "");
		const extra = { ...server.environment, PULUMI_CONFIG_PASSPHRASE: CANARY };
		({ env: engineEnv } = stackEnvironment(own.path, await testEngine(), extra));
		await pulumi("stack", "init", "dev");
	});
	afterAll(() => server?.close());
	/** Each check by its name. */
	const checksIn = async (env: NodeJS.ProcessEnv, ...args: string[]) => {
		const { code, stdout } = await runCli(
			{ folder: project.path, env: { ...engineEnv, ...env } },
			["doctor", "--json", ...args],
		);
		const { checks } = doctorReportSchema.parse(JSON.parse(stdout));
		return { code, of: Object.fromEntries(checks.map((check) => [check.name, check])) };
	};

	// Whoever came by pip or by the plugin alone has no use for npm.
	it.each([
		["an empty folder", undefined, []],
		[
			"a folder of Node.js",
			"package.json",
			["language host", "pulumi sdk", "package", "provider stub"],
		],
	])(
		"in %s on a bare machine fails, and each failure says what to do",
		async (_where, file, more) => {
			const { path: folder } = tempFolder("doctor-bare-");
			if (file !== undefined) writeFileSync(join(folder, file), "{}");
			const place = { folder, env: bare({}) };
			const { code, stdout, stderr } = await runCli(place, ["doctor", "--json"]);
			const { ok, checks } = doctorReportSchema.parse(JSON.parse(stdout));
			expect([code, ok, stderr]).toEqual([1, false, ""]);
			const failed = checks.filter(({ status }) => status === "fail");
			expect(failed.map(({ name }) => name)).toEqual([
				"pulumi cli",
				...more,
				"token",
				"team",
			]);
			expect(failed.filter(({ fix }) => !fix)).toEqual([]);
			expect(stdout.includes("npm")).toBe(file !== undefined);
		},
	);

	it("with everything in place is content, in plain text in a pipe, and changes nothing of the user's", async () => {
		const all = () =>
			[project.path, backend].flatMap((folder) =>
				readdirSync(folder, { recursive: true, withFileTypes: true })
					.filter(
						(entry) => entry.isFile() && !entry.parentPath.includes("node_modules"),
					)
					.map(({ parentPath, name }) => [
						parentPath,
						name,
						readFileSync(join(parentPath, name), "utf8"),
					]),
			);
		const before = all();
		const { code, stdout, stderr } = await runCli(
			{ folder: project.path, env: engineEnv },
			["doctor", "--stack", "dev"],
		);
		// A slow machine is shown the progress.
		expect([code, stderr], stdout).toEqual([
			0,
			expect.stringMatching(/^(Reading the stack…\n)?$/),
		]);
		expect(all()).toEqual(before);
		expect(stdout).toMatch(/^ok {4}node /);
		// Whether the plugin is on the PATH too depends on who started the tests.
		expect(stdout).toMatch(/^Ready: 1[45] ok, 0 warnings, 0 failed\.$/m);
		expect(stdout).toMatch(/^skip {2}write access .*verify --pipeline/m);
		expect(server.requests.count({ method: "POST" })).toBe(0);
		expect(stdout).not.toMatch(new RegExp(`\u001b|${server.token}`));
	});

	const at = (folder: string) => ({
		PULUMI_BACKEND_URL: pathToFileURL(join(own.path, folder)).href,
	});
	const PHRASE = "PULUMI_CONFIG_PASSPHRASE";
	it.each<[string, NodeJS.ProcessEnv, string, RegExp]>([
		[
			"a wrong passphrase",
			{ [PHRASE]: "wrong" },
			"dev",
			/^fail secrets: The stack's secrets cannot be decrypted: incorrect passphrase$/,
		],
		[
			"a home of Pulumi that is no folder",
			{ PULUMI_HOME: join(own.path, "home-file") },
			"",
			/^fail stack: Pulumi keeps the selected stack in .*home-file is not a folder\.$/,
		],
		["no passphrase", { [PHRASE]: undefined }, "dev", /^fail stack: .*passphrase/],
		[
			"no stack selected",
			{ PULUMI_HOME: join(own.path, "another") },
			"",
			/^warn stack: .*none was read/,
		],
		["a stack that does not exist", {}, "prod", /^fail stack: .*no stack named 'prod'/],
		[
			"a backend that is not there",
			at("nowhere"),
			"",
			/^fail backend: .*nowhere.*no such file/,
		],
		[
			"a backend that nobody has used",
			at("fresh"),
			"",
			/^warn backend: .*no stacks yet/,
		],
	])("with %s says so and what to do", async (_what, env, stack, said) => {
		const { code, of } = await checksIn(env, ...(stack ? ["--stack", stack] : []));
		const [found, ...others] = Object.values(of).filter(({ status }) =>
			/fail|warn/.test(status),
		);
		expect(others).toEqual([]);
		expect(`${found?.status} ${found?.name}: ${found?.message}`).toMatch(said);
		expect(found?.fix).toMatch(/pulumi |PULUMI_/);
		expect([code, readdirSync(fresh)]).toEqual([found?.status === "fail" ? 1 : 0, []]);
	});

	// A file system of its own that is full; a user's own mounts are not allowed everywhere.
	it.skipIf(!canMount)("with a full disk says which folder has no room", async () => {
		const { command: engine } = await testEngine();
		const small = join(own.path, "small");
		mkdirSync(small);
		const script = [
			'mount -t tmpfs -o size=256k tmpfs "$1"',
			'cp -r "$2/." "$1"',
			'head -c 1000000 /dev/zero > "$1/filler" 2> /dev/null',
			'"$3" "$4" doctor --json --stack dev',
		].join("; ");
		const doctorWith = async (env: NodeJS.ProcessEnv, from: string) => {
			const shell = [
				"-rm",
				"sh",
				"-c",
				script,
				"sh",
				small,
				from,
				process.execPath,
				command,
			];
			const all = {
				...engineEnv,
				...env,
				PATH: `${engineEnv.PATH}:${dirname(engine)}:/usr/bin:/bin`,
			};
			const { stdout } = await run("unshare", shell, {
				cwd: project.path,
				env: all,
				timeoutMs: 120_000,
			});
			const { checks } = doctorReportSchema.parse(JSON.parse(stdout));
			return checks.filter(({ status }) => status === "fail");
		};
		expect(await doctorWith(at("small"), backend)).toMatchObject([
			{
				name: "backend",
				message: expect.stringMatching(
					/small, which is on a disk with \d+ KiB free\.$/,
				),
			},
		]);
		expect(await doctorWith({ TMPDIR: small }, fresh)).toMatchObject([
			{
				name: "secrets",
				message: expect.stringMatching(
					/^The temporary folder .*small cannot be written \(ENOSPC\)/,
				),
				fix: expect.stringMatching(/TMPDIR/),
			},
		]);
	});

	it("with a config that cannot be read sends the token nowhere, and does not say that a setting is missing", async () => {
		const unread = {
			DATACHAIN_STUDIO_URL: undefined,
			DATACHAIN_STUDIO_TEAM: undefined,
		};
		// The CLI decrypts the config only if there is something to decrypt.
		await pulumi(
			"config",
			"set",
			"--secret",
			"datachain:teamName",
			"vision",
			"--stack",
			"dev",
		);
		const { of } = await checksIn(
			{ ...unread, PULUMI_CONFIG_PASSPHRASE: "wrong" },
			"--stack",
			"dev",
		);
		await pulumi("config", "rm", "datachain:teamName", "--stack", "dev");
		const statuses = ["config", "url", "token", "team", "read access"].map(
			(name) => of[name]?.status,
		);
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
