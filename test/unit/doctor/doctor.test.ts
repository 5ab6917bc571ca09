import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import { checkSettings } from "../../../src/doctor/connection";
import { checkPlugin } from "../../../src/doctor/plugin";
import { checkPackage, checkSdk, checkStub, packageManager } from "../../../src/doctor/project";
import { renderDoctor } from "../../../src/doctor/render";
import { fail, ok, reportOf, warn } from "../../../src/doctor/result";
import { checkLanguageHost, checkNode } from "../../../src/doctor/runtime";
import { checkService } from "../../../src/doctor/service";
import { isInRange } from "../../../src/doctor/version";
import { startServer } from "../../../src/server";
import { tempFolder } from "../../../tools/process/temp-folder";

function project(files: Readonly<Record<string, string>> = {}): string {
	const folder = tempFolder("doctor-");
	onTestFinished(() => folder.remove());
	for (const [path, text] of Object.entries(files)) {
		mkdirSync(join(folder.path, path, ".."), { recursive: true });
		writeFileSync(join(folder.path, path), text);
	}
	return folder.path;
}

const installed = (version: string) => JSON.stringify({ name: "x", version });

it.each([
	["20.18.1", ">=20.18.1", true],
	["20.18.0", ">=20.18.1", false],
	["26.0.0", ">=20.18.1", true],
	["3.248.0", ">=3.216.0 <4", true],
	["3.215.9", ">=3.216.0 <4", false],
	["4.0.0", ">=3.216.0 <4", false],
	["nonsense", ">=3.216.0 <4", false],
])("version %s in %s: %s", (version, range, expected) => {
	expect(isInRange(version, range)).toBe(expected);
});

describe("the machine", () => {
	it("needs a new enough node", () => {
		expect(checkNode("20.18.1", ">=20.18.1").status).toBe("ok");
		expect(checkNode("18.20.0", ">=20.18.1")).toMatchObject({
			status: "fail",
			fix: "Install Node 20.18.1 or newer.",
		});
	});

	it("needs the language host beside the CLI", () => {
		expect(checkLanguageHost({ PATH: project() })).toMatchObject({
			status: "fail",
			message: expect.stringContaining("pulumi-language-nodejs and pulumi-resource-pulumi-nodejs"),
		});
	});
});

describe("the plugin", () => {
	const folder = "node_modules/pulumi-datachain/dist/plugin";
	const yaml = `name: p\nruntime: yaml\nplugins:\n  providers:\n    - name: datachain\n      path: ${folder}\n`;
	const withPlugin = (version: string, files: Readonly<Record<string, string>>): string => {
		const path = project({ ...files, [`${folder}/package.json`]: installed(version) });
		writeFileSync(join(path, folder, "pulumi-resource-datachain"), "", { mode: 0o755 });
		return path;
	};

	it("is named with its place, where the project or the PATH has it", () => {
		const declared = withPlugin("0.2.0", { "Pulumi.yaml": yaml });
		expect(checkPlugin(declared, { PATH: "" }, "0.2.0")).toMatchObject({ status: "ok" });
		const onPath = { PATH: join(withPlugin("0.2.0", {}), folder) };
		expect(checkPlugin(project(), onPath, "0.2.0").message).toContain("found on the PATH");
	});

	it("is one to look at where its version does not fit, or its folder has none", () => {
		const other = withPlugin("0.1.9", { "Pulumi.yaml": yaml });
		expect(checkPlugin(other, { PATH: "" }, "0.2.0")).toMatchObject({
			status: "warn",
			message: expect.stringContaining("pulumi-resource-datachain 0.1.9"),
		});
		expect(checkPlugin(project({ "Pulumi.yaml": yaml }), { PATH: "" }, "0.2.0").status).toBe("warn");
	});

	it("is needed by a program in another language", () => {
		for (const runtime of [
			"runtime: python\n",
			"runtime:\n  name: python\n",
			"runtime:\n  options:\n    virtualenv: venv\n  name: python\n",
		]) {
			expect(
				checkPlugin(project({ "Pulumi.yaml": `name: p\n${runtime}` }), { PATH: "" }, "0.2.0"),
			).toMatchObject({
				status: "fail",
				fix: expect.stringContaining("pip install pulumi-datachain"),
			});
		}
	});

	it("is not needed by programs that name none", () => {
		expect(checkPlugin(project(), { PATH: "" }, "0.2.0").status).toBe("skip");
	});
});

describe("the project", () => {
	it("needs an SDK in the range", () => {
		const at = (version: string) =>
			project({ "node_modules/@pulumi/pulumi/package.json": installed(version) });
		expect(checkSdk(at("3.248.0"), ">=3.216.0 <4").status).toBe("ok");
		expect(checkSdk(at("3.100.0"), ">=3.216.0 <4").status).toBe("fail");
		expect(checkSdk(project(), ">=3.216.0 <4")).toMatchObject({ status: "fail", message: /not installed/ });
	});

	it.each([
		["pnpm-lock.yaml", "pnpm"],
		["yarn.lock", "yarn"],
		["package-lock.json", "npm"],
		["bun.lock", "bun"],
	])("with %s belongs to %s, also in a folder below", (file, manager) => {
		const folder = project({ [file]: "", "stacks/dev/index.ts": "" });
		expect(packageManager(join(folder, "stacks", "dev"))).toBe(manager);
	});

	it("cannot use Yarn Plug'n'Play", () => {
		expect(checkPackage(project({ "yarn.lock": "", ".pnp.cjs": "" }), "1.0.0")).toMatchObject({
			status: "fail",
			fix: expect.stringContaining("nodeLinker: node-modules"),
		});
	});

	it("must have the package where pnpm lets it be seen", () => {
		expect(checkPackage(project({ "pnpm-lock.yaml": "" }), "1.0.0")).toMatchObject({
			status: "fail",
			fix: expect.stringContaining("pnpm add pulumi-datachain"),
		});
	});

	it("should use the version that this command has", () => {
		const folder = project({ "node_modules/pulumi-datachain/package.json": installed("0.9.0") });
		expect(checkPackage(folder, "0.9.0").status).toBe("ok");
		expect(checkPackage(folder, "1.0.0")).toMatchObject({
			status: "warn",
			fix: expect.stringContaining("`npx pulumi-datachain doctor`"),
		});
		writeFileSync(join(folder, "pnpm-lock.yaml"), "");
		expect(checkPackage(folder, "1.0.0").fix).toContain("`pnpm exec pulumi-datachain doctor`");
	});

	it("without the package cannot run the state's provider text", async () => {
		expect(await checkStub(project())).toMatchObject({
			status: "fail",
			message: expect.stringContaining("Cannot find module 'pulumi-datachain/provider'"),
		});
	});
});

describe("the connection", () => {
	/** A machine on which nobody has logged in. */
	const bare = {
		DATACHAIN_SYSTEM_CONFIG_DIR: "/nonexistent",
		DATACHAIN_GLOBAL_CONFIG_DIR: "/nonexistent",
		DATACHAIN_ROOT_DIR: "/nonexistent",
	};

	it("is looked at setting by setting, and the token is never shown", () => {
		const env = { DATACHAIN_STUDIO_URL: "http://studio.example.com", DATACHAIN_STUDIO_TOKEN: "canary" };
		const { checks, connection } = checkSettings({ env: { ...bare, ...env }, config: () => undefined });
		expect(checks.map(({ name, status }) => [name, status])).toEqual([
			["url", "fail"],
			["token", "ok"],
			["team", "fail"],
		]);
		expect(connection).toBeUndefined();
		expect(JSON.stringify(checks)).not.toContain("canary");
	});

	it("that cannot be used is corrected where it comes from", () => {
		const wrong = (key: string) => (key === "token" ? "to ken" : "ml");
		const fromConfig = checkSettings({ env: bare, config: wrong }).checks;
		expect(fromConfig[1]?.fix).toBe("Run `pulumi config set --secret datachain:token`.");
		const env = { ...bare, DATACHAIN_STUDIO_TOKEN: "to ken" };
		expect(checkSettings({ env, config: wrong }).checks[1]?.fix).toBe("Correct DATACHAIN_STUDIO_TOKEN.");
	});

	it("says of each setting where it comes from, the files of the service's own client included", () => {
		const folder = project({ config: '[studio]\ntoken = "canary"\n' });
		const env = { ...bare, HOME: folder, DATACHAIN_GLOBAL_CONFIG_DIR: folder, DATACHAIN_STUDIO_TEAM: "ml" };
		const { checks } = checkSettings({ env });
		expect(checks.map(({ message }) => message)).toEqual([
			"https://studio.datachain.ai/api (default)",
			"It is set (~/config).",
			"ml (DATACHAIN_STUDIO_TEAM)",
		]);
		const elsewhere = checkSettings({ env: { ...env, DATACHAIN_STUDIO_URL: "https://other.example.com" } });
		expect(elsewhere.checks[1]).toMatchObject({
			status: "fail",
			message: expect.stringContaining("it was not sent"),
			fix: expect.stringContaining("DATACHAIN_STUDIO_TOKEN"),
		});
		expect(elsewhere.connection).toBeUndefined();
	});

	it("may come from the config", () => {
		const config = (key: string) =>
			({ baseUrl: "https://studio.example.com", token: "t0", teamName: "ml" })[key];
		expect(checkSettings({ env: {}, config }).connection).toEqual({
			baseUrl: "https://studio.example.com/api",
			token: "t0",
			teamName: "ml",
		});
	});
});

describe("the service", () => {
	let other: Server | undefined;
	afterEach(() => other?.close());

	const read = { token: "reader-token", user: "reader", teams: ["vision"], read: true, write: false };
	const local = async () => {
		const server = await startServer({ tokens: [read] });
		onTestFinished(() => server.close());
		const connection = { baseUrl: `${server.url}/api`, token: server.token, teamName: "vision" };
		return { server, connection };
	};
	const statuses = async (...args: Parameters<typeof checkService>) =>
		(await checkService(...args)).map(({ name, status }) => `${name}: ${status}`);

	it("is only read from unless told otherwise, and the check says how to tell", async () => {
		const { server, connection } = await local();
		const checks = await checkService(connection);
		expect(checks.map(({ name, status }) => `${name}: ${status}`)).toEqual([
			"read access: ok",
			"write access: skip",
			"clock: ok",
		]);
		expect(checks[1]?.message).toContain("doctor --probe-write");
		expect(server.requests.entries.filter(({ method }) => method !== "GET")).toEqual([]);
	});

	it("lets a full token write, and nothing was deleted to find out", async () => {
		const { server, connection } = await local();
		const before = server.requests.count();
		expect(await statuses(connection, { probeWrite: true })).toEqual([
			"read access: ok",
			"write access: ok",
			"clock: ok",
		]);
		const writes = server.requests.entries.slice(before).filter(({ method }) => method === "POST");
		expect(writes.map(({ endpoint, status }) => [endpoint, status])).toEqual([["deleteSchedule", 404]]);
	});

	it("is never asked to delete schedule 0, which a service may take for none at all", async () => {
		const bodies: string[] = [];
		other = createServer((request, response) => {
			let body = "";
			request.on("data", (chunk) => {
				body += chunk;
			});
			request.on("end", () => {
				if (request.method === "POST") bodies.push(body);
				const [status, reply] = request.method === "GET" ? [200, "[]"] : [404, '{"message":"none"}'];
				response.writeHead(status, { "Content-Type": "application/json" }).end(reply);
			});
		});
		await new Promise<void>((resolve) => other?.listen(0, "127.0.0.1", resolve));
		const { port } = other.address() as AddressInfo;
		const connection = { baseUrl: `http://127.0.0.1:${port}/api`, token: "t", teamName: "x" };
		expect((await checkService(connection, { probeWrite: true }))[1]?.status).toBe("ok");
		expect(bodies.map((body) => JSON.parse(body).schedule_id)).toEqual([2_147_483_647]);
	});

	it("tells a token that may only read", async () => {
		const { connection } = await local();
		expect(await statuses({ ...connection, token: read.token }, { probeWrite: true })).toEqual([
			"read access: ok",
			"write access: warn",
			"clock: ok",
		]);
	});

	it.each([
		["an unknown token", { token: "canary-token" }, /tokens page/],
		["another team", { teamName: "other" }, /team's name/],
	])("refuses %s, and asks nothing more", async (_what, change, fix) => {
		const { server, connection } = await local();
		const checks = await checkService({ ...connection, ...change });
		expect(checks.map(({ status }) => status)).toEqual(["fail", "skip", "skip"]);
		expect(checks[0]?.fix).toMatch(fix);
		expect(JSON.stringify(checks)).not.toContain("canary");
		expect(server.requests.count({ method: "POST" })).toBe(0);
	});

	it("whose clock is far off is worth a warning", async () => {
		other = createServer((request, response) => {
			response.sendDate = false;
			const date = new Date(Date.now() - 600_000).toUTCString();
			const [status, body] = request.method === "GET" ? [200, "[]"] : [404, '{"message":"none"}'];
			response.writeHead(status, { "Content-Type": "application/json", Date: date }).end(body);
		});
		await new Promise<void>((resolve) => other?.listen(0, "127.0.0.1", resolve));
		const { port } = other.address() as AddressInfo;
		const checks = await checkService({ baseUrl: `http://127.0.0.1:${port}/api`, token: "t", teamName: "x" });
		expect(checks.at(-1)).toMatchObject({
			status: "warn",
			message: expect.stringMatching(/(600|601) s ahead of/),
		});
	});

	it("that has a schedule with the id used for asking is not asked", async () => {
		let posts = 0;
		other = createServer((request, response) => {
			if (request.method === "POST") posts++;
			const list = request.url?.includes("/schedules") ? '[{"id":2147483647}]' : "[]";
			response.writeHead(200, { "Content-Type": "application/json" }).end(list);
		});
		await new Promise<void>((resolve) => other?.listen(0, "127.0.0.1", resolve));
		const { port } = other.address() as AddressInfo;
		const connection = { baseUrl: `http://127.0.0.1:${port}/api`, token: "t", teamName: "x" };
		const checks = await checkService(connection, { probeWrite: true });
		expect([checks[1]?.status, posts]).toEqual(["skip", 0]);
		expect(checks[1]?.message).toContain("2147483647");
	});
});

it("the printed checks have one line each, the fix under it, and a verdict", () => {
	const checks = [
		ok("node", "Node 20"),
		warn("clock", "off", "Set it."),
		fail("url", "bad\u001b[2J", "Mend it."),
	];
	expect(renderDoctor(reportOf(checks), { color: false }).split("\n")).toEqual([
		"ok    node   Node 20",
		"warn  clock  off",
		"             Fix: Set it.",
		"fail  url    bad [2J",
		"             Fix: Mend it.",
		"",
		"Not ready: 1 ok, 1 to look at, 1 failed.",
		"",
	]);
});
