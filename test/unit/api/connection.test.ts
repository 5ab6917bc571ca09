import { inspect } from "node:util";
import { describe, expect, it, onTestFinished, test, vi } from "vitest";
import { createClient, resolveConnection, resolveWriteLimit } from "../../../src/api";
import { findSettings, normalizeBaseUrl } from "../../../src/api/connection";
import { connectionFailure } from "../../helpers/api-calls";

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
		onTestFinished(() => void vi.unstubAllEnvs());
		expect(resolveConnection({}).token).toBe("env-token");
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

	test("only what is missing is listed", () => {
		const { DATACHAIN_STUDIO_TEAM: _, ...others } = env;
		const error = connectionFailure(() => resolveConnection({ env: { ...others, ...bare } }));
		expect(error.settings).toEqual(["teamName"]);
		expect(error.message).toBe(
			"Not connected to the service: there is no team name. Run `datachain auth team NAME`, " +
				"or set DATACHAIN_STUDIO_TEAM, or run `pulumi config set datachain:teamName`.",
		);
	});

	test("an explicit setting wins over the environment, that over the config, and each says where it was found", () => {
		const { DATACHAIN_STUDIO_URL: _, ...others } = env;
		expect(findSettings({ explicit: { teamName: "mine" }, env: { ...others, ...bare }, config })).toEqual({
			baseUrl: { value: "https://config.example.com/api", from: "config datachain:baseUrl" },
			token: { value: "env-token", from: "DATACHAIN_STUDIO_TOKEN" },
			teamName: { value: "mine", from: "set in the program" },
		});
		expect(findSettings({ env: bare })).toEqual({
			baseUrl: { value: "https://studio.datachain.ai", from: "default" },
			token: undefined,
			teamName: undefined,
		});
	});

	test.each(["canary token", "canary\n", "canaryé", "\tcanary"])(
		"a token that a header cannot carry is refused and never shown: %j",
		(token) => {
			const error = connectionFailure(() => resolveConnection({ explicit: { token }, env }));
			expect(inspect(error, { depth: 10 })).not.toContain("canary");
			expect(error.settings).toEqual(["token"]);
			expect(error.message).toBe(
				"The token cannot be used: it has a space, a line break or a character outside printable ASCII. " +
					"Copy it again, without quotes or a trailing newline.",
			);
		},
	);

	test("a token may have every printable sign", () => {
		const token = String.fromCharCode(...Array.from({ length: 94 }, (_, index) => 33 + index));
		expect(resolveConnection({ explicit: { token }, env }).token).toBe(token);
	});

	test("a team name with a control character is refused", () => {
		const error = connectionFailure(() => resolveConnection({ explicit: { teamName: "a\u0007b" }, env }));
		expect(error.settings).toEqual(["teamName"]);
		expect(error.message).toBe(
			"The team name cannot be used: it must have 1 to 255 characters and no control characters. " +
				"Use the name in the team's URL in the web UI.",
		);
	});

	test("a client checks its settings too, and does not show the token", () => {
		expect(
			connectionFailure(() => createClient({ baseUrl: "https://a", token: " ", teamName: "x" })).message,
		).toBe("A connection needs its token; it is empty.");
		const two = connectionFailure(() => createClient({ baseUrl: "", token: "t", teamName: "" }));
		expect(two.message).toBe("A connection needs its base URL and its team name; it is empty.");
		expect(two.settings).toEqual(["baseUrl", "teamName"]);
		expect(
			connectionFailure(() => createClient({ baseUrl: "http://example.com", token: "t", teamName: "x" }))
				.settings,
		).toEqual(["baseUrl"]);
		const client = createClient({ baseUrl: "https://example.com", token: "canary", teamName: "x" });
		expect(inspect(client, { depth: 10, showHidden: true })).not.toContain("canary");
	});
});

describe("the limit of concurrent writes", () => {
	it.each([{}, { DATACHAIN_MAX_CONCURRENT_WRITES: " " }])("is not set unless somebody sets it: %o", (env) => {
		expect(resolveWriteLimit({ env })).toBeUndefined();
	});

	it("comes from the environment, then from the config", () => {
		const config = (key: string) => (key === "maxConcurrentWrites" ? "4" : undefined);
		expect(resolveWriteLimit({ env: {}, config })).toBe(4);
		expect(resolveWriteLimit({ env: { DATACHAIN_MAX_CONCURRENT_WRITES: "" }, config })).toBe(4);
		expect(resolveWriteLimit({ env: { DATACHAIN_MAX_CONCURRENT_WRITES: "1" }, config })).toBe(1);
	});

	it("is read from the process's own environment where no other is given", () => {
		vi.stubEnv("DATACHAIN_MAX_CONCURRENT_WRITES", "256");
		onTestFinished(() => void vi.unstubAllEnvs());
		expect(resolveWriteLimit()).toBe(256);
	});

	it.each(["0", "1.5", "many", "257"])("cannot be %s", (text) => {
		const error = connectionFailure(() =>
			resolveWriteLimit({ env: { DATACHAIN_MAX_CONCURRENT_WRITES: text } }),
		);
		expect(error.settings).toEqual([]);
		expect(error.message).toBe(
			"The limit of concurrent writes (DATACHAIN_MAX_CONCURRENT_WRITES or datachain:maxConcurrentWrites) " +
				`cannot be "${text}": use a whole number from 1 to 256.`,
		);
	});
});

describe("base URL", () => {
	test.each([
		["https://studio.example.com", "https://studio.example.com/api"],
		["https://studio.example.com/api", "https://studio.example.com/api"],
		["https://studio.example.com/api///", "https://studio.example.com/api"],
		["https://studio.example.com:8443/tenant", "https://studio.example.com:8443/tenant/api"],
		["https://studio.example.com/api/tenant", "https://studio.example.com/api/tenant/api"],
		["https://studio.example.com/myapi", "https://studio.example.com/myapi/api"],
		["  https://Studio.Example.com/api  ", "https://studio.example.com/api"],
		["http://localhost:8080", "http://localhost:8080/api"],
		["http://127.0.0.1:1", "http://127.0.0.1:1/api"],
		["http://127.100.200.255", "http://127.100.200.255/api"],
		["HTTPS://studio.example.com", "https://studio.example.com/api"],
		["http://[::1]:9/", "http://[::1]:9/api"],
	])("%s becomes %s", (given, expected) => {
		expect(normalizeBaseUrl(given)).toBe(expected);
	});

	const WRITE = "Write it as https://studio.example.com, with or without /api.";
	const ACCOUNT = "it has a user name or password in it. Remove them; the token is a setting of its own.";
	const unencrypted = (host: string) =>
		`it would send the token unencrypted to ${host}. Use https://; plain http is for loopback addresses only.`;
	test.each([
		["http://studio.example.com", unencrypted("studio.example.com")],
		["http://127.0.0.1.evil.example:80", unencrypted("127.0.0.1.evil.example")],
		["http://localhost.evil.example", unencrypted("localhost.evil.example")],
		["http://10.0.0.1", unencrypted("10.0.0.1")],
		["https://studio.example.com/api?x=1", "it has a query. Remove everything from the ? on."],
		["https://studio.example.com/api?", "it has a query. Remove everything from the ? on."],
		["https://studio.example.com/api#a", "it has a fragment. Remove everything from the # on."],
		["ftp://studio.example.com", `it does not start with https://. ${WRITE}`],
		["studio.example.com", `it does not start with https://. ${WRITE}`],
		["at https://studio.example.com", `it does not start with https://. ${WRITE}`],
		["https://", `it does not start with https://. ${WRITE}`],
		["https:///studio.example.com", `it does not start with https://. ${WRITE}`],
		["https://studio.exa mple.com", "it has a space, a backslash or a control character. Remove it."],
		["https://studio.example.com\\api", "it has a space, a backslash or a control character. Remove it."],
		["https://studio\u0007.example.com", "it has a space, a backslash or a control character. Remove it."],
		["https://studio.example.com:99999", `it is not a URL. ${WRITE}`],
		["https://user@studio.example.com", ACCOUNT],
		["https://:pass@studio.example.com", ACCOUNT],
	])("%j is refused: %s", (given, why) => {
		const error = connectionFailure(() => normalizeBaseUrl(given));
		expect(error.message).toBe(`The base URL cannot be used: ${why}`);
		expect(error.settings).toEqual(["baseUrl"]);
	});
});
