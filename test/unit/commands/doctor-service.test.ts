import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { checkService, checkSettings } from "../../../src/commands/doctor/service";
import { startServer } from "../../../src/server";
import { BARE as bare } from "../../helpers/api-calls";
import { startRawServer } from "../../helpers/api-servers";
import { testFolder } from "../../helpers/test-folder";

describe("the connection", () => {
	it("is looked at setting by setting, and the token is never shown", () => {
		const env = {
			DATACHAIN_STUDIO_URL: "http://studio.example.com",
			DATACHAIN_STUDIO_TOKEN: "canary",
		};
		const { checks, connection } = checkSettings({
			env: { ...bare, ...env },
			config: () => undefined,
		});
		expect(Object.entries(checks).map(([name, { status }]) => [name, status])).toEqual([
			["url", "fail"],
			["token", "ok"],
			["team", "fail"],
		]);
		expect(connection).toBeUndefined();
		expect(JSON.stringify(checks)).not.toContain("canary");
	});

	it("may come from the config, and one that cannot be used has a fix that names where it comes from", () => {
		const settings = {
			baseUrl: "https://studio.example.com",
			token: "t0",
			teamName: "ml",
		};
		const right = (key: string): string | undefined => Reflect.get(settings, key);
		const { connection } = checkSettings({ env: bare, config: right });
		expect(connection).toEqual({
			...settings,
			baseUrl: "https://studio.example.com/api",
		});
		const wrong = (key: string) => (key === "token" ? "to ken" : "ml");
		const fromConfig = checkSettings({ env: bare, config: wrong }).checks;
		expect(fromConfig.token?.fix).toBe(
			"Run `pulumi config set --secret datachain:token`.",
		);
		const env = { ...bare, DATACHAIN_STUDIO_TOKEN: "to ken" };
		expect(checkSettings({ env, config: wrong }).checks.token?.fix).toBe(
			"Correct DATACHAIN_STUDIO_TOKEN.",
		);
	});

	it("says of each setting where it comes from, the files of the service's own client included", () => {
		const folder = testFolder("doctor-");
		writeFileSync(join(folder, "config"), '[studio]\ntoken = "canary"\n');
		const env = {
			...bare,
			HOME: folder,
			DATACHAIN_GLOBAL_CONFIG_DIR: folder,
			DATACHAIN_STUDIO_TEAM: "ml",
		};
		const { checks } = checkSettings({ env });
		expect(Object.values(checks).map(({ message }) => message)).toEqual([
			"https://studio.datachain.ai/api (default)",
			"It is set (~/config).",
			"ml (DATACHAIN_STUDIO_TEAM)",
		]);
		const elsewhere = checkSettings({
			env: { ...env, DATACHAIN_STUDIO_URL: "https://other.example.com" },
		});
		expect(elsewhere.checks.token).toMatchObject({
			status: "fail",
			message: expect.stringContaining("it was not sent"),
			fix: expect.stringContaining("DATACHAIN_STUDIO_TOKEN"),
		});
		expect(elsewhere.connection).toBeUndefined();
	});
});

describe("the service", () => {
	/** The connection to a service that answers every read in the same way. */
	async function other({ reads = 200, behindMillis = 0 }) {
		const server = await startRawServer(({ response }) => {
			// So late that no call waits for its second attempt.
			response.setHeader("Retry-After", "86400");
			response.setHeader("Date", new Date(Date.now() - behindMillis).toUTCString());
			response.writeHead(reads, { "Content-Type": "application/json" }).end("[]");
		});
		return { baseUrl: `${server.url}/api`, token: "t", teamName: "x" };
	}

	const local = async () => {
		const server = await startServer();
		onTestFinished(() => server.close());
		const connection = {
			baseUrl: `${server.url}/api`,
			token: server.token,
			teamName: "vision",
		};
		return { server, connection };
	};

	it("is only read, and the write access is left to verify", async () => {
		const { server, connection } = await local();
		const checks = await checkService(connection);
		expect(Object.values(checks).map(({ status }) => status)).toEqual([
			"ok",
			"skip",
			"ok",
		]);
		expect(checks["write access"]?.message).toContain("verify --pipeline");
		expect(server.requests.count({ method: "POST" })).toBe(0);
	});

	it.each([
		["an unknown token", { token: "canary-token" }, /tokens page/],
		["another team", { teamName: "other" }, /team's name/],
	])("refuses %s, and asks nothing more", async (_what, change, fix) => {
		const { server, connection } = await local();
		const checks = await checkService({ ...connection, ...change });
		expect(Object.values(checks).map(({ status }) => status)).toEqual([
			"fail",
			"skip",
			"skip",
		]);
		expect(checks["read access"]?.fix).toMatch(fix);
		expect(JSON.stringify(checks)).not.toContain("canary");
		expect(server.requests.count({ method: "POST" })).toBe(0);
	});

	it.each([429, 503])(
		"that answers reads with %s is at the right address, and is asked again later",
		async (reads) => {
			const checks = await checkService(await other({ reads }));
			expect(checks["read access"]).toMatchObject({
				status: "fail",
				fix: "Run it again later. If that does not help, contact the operator of the service.",
			});
		},
	);

	it("whose clock is far off is worth a warning", async () => {
		const checks = await checkService(await other({ behindMillis: 600_000 }));
		expect(checks.clock).toMatchObject({
			status: "warn",
			message: expect.stringMatching(/(600|601) s ahead of/),
		});
	});
});
