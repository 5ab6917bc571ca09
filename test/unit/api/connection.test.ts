import { inspect } from "node:util";
import { describe, expect, it, test, vi } from "vitest";
import { createClient, resolveConnection, resolveWriteLimit } from "../../../src/api";
import { connectionFailure } from "../../helpers/connection-failure";

const env = {
	DATACHAIN_STUDIO_URL: "https://env.example.com",
	DATACHAIN_STUDIO_TOKEN: "env-token",
	DATACHAIN_STUDIO_TEAM: "env-team",
};
const config = (key: "baseUrl" | "token" | "teamName") =>
	({ baseUrl: "https://config.example.com/api", token: "config-token", teamName: "config-team" })[key];

/** A machine on which nobody has logged in. */
const bare = {
	DATACHAIN_SYSTEM_CONFIG_DIR: "/nonexistent",
	DATACHAIN_GLOBAL_CONFIG_DIR: "/nonexistent",
	DATACHAIN_ROOT_DIR: "/nonexistent",
};

describe("connection settings", () => {
	test("an explicit setting wins over the environment, and the environment over the config", () => {
		expect(
			resolveConnection({
				explicit: { teamName: "mine" },
				env: { DATACHAIN_STUDIO_TOKEN: "env-token" },
				config,
			}),
		).toEqual({
			baseUrl: "https://config.example.com/api",
			token: "env-token",
			teamName: "mine",
		});
		expect(resolveConnection({ env, config }).baseUrl).toBe("https://env.example.com/api");
	});

	test("an empty or blank setting counts as missing and the next source is asked", () => {
		const settings = resolveConnection({
			explicit: { token: "" },
			env: { ...env, DATACHAIN_STUDIO_TEAM: "  " },
			config,
		});
		expect(settings).toMatchObject({ token: "env-token", teamName: "config-team" });
	});

	test("the process environment is read at the call, not at load, when no other is given", () => {
		for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
		try {
			expect(resolveConnection({}).token).toBe("env-token");
		} finally {
			vi.unstubAllEnvs();
		}
	});

	test("everything missing is listed at once, with its three ways, all of which exist", () => {
		const error = connectionFailure(() => resolveConnection({ env: bare }));
		expect(error.settings).toEqual(["token", "teamName"]);
		expect(error.message).toBe(
			"Not connected to the service: there is no token and no team name. Run `datachain auth login` and `datachain auth team NAME`, " +
				"or set DATACHAIN_STUDIO_TOKEN and DATACHAIN_STUDIO_TEAM, " +
				"or run `pulumi config set --secret datachain:token` and `pulumi config set datachain:teamName`.",
		);
	});

	test("the base URL is the service's own unless somebody says otherwise", () => {
		const settings = resolveConnection({ env: { ...env, ...bare, DATACHAIN_STUDIO_URL: "" } });
		expect(settings.baseUrl).toBe("https://studio.datachain.ai/api");
	});

	test("only what is missing is listed", () => {
		const error = connectionFailure(() =>
			resolveConnection({ env: { ...env, ...bare, DATACHAIN_STUDIO_TEAM: "" } }),
		);
		expect(error.settings).toEqual(["teamName"]);
		expect(error.message).not.toContain("DATACHAIN_STUDIO_TOKEN");
	});

	test.each(["canary token", "canary\n", "canaryé", "canary\u0000", "\tcanary"])(
		"a token that a header cannot carry is refused and never shown: %j",
		(token) => {
			const error = connectionFailure(() => resolveConnection({ explicit: { token }, env }));
			expect(inspect(error, { depth: 10 })).not.toContain("canary");
		},
	);

	test("a team name with a control character is refused", () => {
		expect(
			connectionFailure(() => resolveConnection({ explicit: { teamName: "a\u0007b" }, env })).settings,
		).toEqual(["teamName"]);
	});

	test("a client checks its settings too, and does not show the token", () => {
		expect(
			connectionFailure(() => createClient({ baseUrl: "https://a", token: " ", teamName: "x" })).message,
		).toBe("A connection needs its token; it is empty.");
		expect(
			connectionFailure(() => createClient({ baseUrl: "http://example.com", token: "t", teamName: "x" }))
				.settings,
		).toEqual(["baseUrl"]);
		const client = createClient({ baseUrl: "https://example.com", token: "canary", teamName: "x" });
		expect(inspect(client, { depth: 10, showHidden: true })).not.toContain("canary");
	});
});

describe("the limit of concurrent writes", () => {
	it("is not set unless somebody sets it", () => {
		expect(resolveWriteLimit({ env: {} })).toBeUndefined();
	});

	it("comes from the environment, then from the config", () => {
		const config = (key: string) => (key === "maxConcurrentWrites" ? "4" : undefined);
		expect(resolveWriteLimit({ env: {}, config })).toBe(4);
		expect(resolveWriteLimit({ env: { DATACHAIN_MAX_CONCURRENT_WRITES: "32" }, config })).toBe(32);
	});

	it.each(["0", "-1", "1.5", "many", "1000"])("cannot be %s", (text) => {
		expect(() => resolveWriteLimit({ env: { DATACHAIN_MAX_CONCURRENT_WRITES: text } })).toThrow(
			/DATACHAIN_MAX_CONCURRENT_WRITES.*whole number from 1 to 256/,
		);
	});
});
