import { mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { describe, expect, it, onTestFinished, test, vi } from "vitest";
import {
	createClient,
	resolveConnection,
	resolveWriteLimit,
} from "../../../src/client";
import {
	DEFAULT_URL,
	findSettings,
	loginFolders,
	normalizeBaseUrl,
	withTilde,
} from "../../../src/client/connection";
import { BARE as bare, connectionFailure } from "../../helpers/api-calls";
import { testFolder } from "../../helpers/test-folder";

const env = {
	DATACHAIN_STUDIO_URL: "https://env.example.com",
	DATACHAIN_STUDIO_TOKEN: "env-token",
	DATACHAIN_STUDIO_TEAM: "env-team",
};

const CANARY = "canary-5d1f";

/** Three folders as the service's own client has them, with a `config` in those that are given one. */
function machine(files: { system?: string; user?: string; project?: string }) {
	const folder = testFolder("login-");
	const write = (name: string, text: string | undefined): string => {
		const path = join(folder, name);
		mkdirSync(path, { recursive: true });
		if (text !== undefined) writeFileSync(join(path, "config"), text);
		return path;
	};
	write("project/.datachain", files.project);
	return {
		HOME: folder,
		DATACHAIN_SYSTEM_CONFIG_DIR: write("system", files.system),
		DATACHAIN_GLOBAL_CONFIG_DIR: write("user", files.user),
		DATACHAIN_ROOT_DIR: join(folder, "project"),
	};
}

const studio = (settings: Readonly<Record<string, string>>): string =>
	`[studio]\n${Object.entries(settings)
		.map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`)
		.join("")}`;

describe("connection settings", () => {
	test("the process environment is read at the call, not at load, when no other is given", () => {
		for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
		vi.stubEnv("DATACHAIN_MAX_CONCURRENT_WRITES", "256");
		onTestFinished(() => void vi.unstubAllEnvs());
		expect(resolveConnection({}).token).toBe("env-token");
		expect(resolveWriteLimit()).toBe(256);
	});

	test("each setting comes from the first source that has more than blanks, and says where it was found", () => {
		const user = studio({ token: CANARY, url: "https://own.example.com", team: "ml" });
		const env = {
			...machine({ user }),
			DATACHAIN_STUDIO_TOKEN: "env-token",
			DATACHAIN_STUDIO_TEAM: "  ",
		};
		const config = (key: string) => (key === "baseUrl" ? undefined : `config-${key}`);
		expect(findSettings({ explicit: { token: "" }, env, config })).toEqual({
			baseUrl: {
				value: "https://own.example.com",
				from: "~/user/config",
				isFromProject: false,
			},
			token: { value: "env-token", from: "DATACHAIN_STUDIO_TOKEN" },
			teamName: { value: "config-teamName", from: "config datachain:teamName" },
		});
		const explicit = { token: "mine" };
		expect(findSettings({ explicit, env }).token).toEqual({
			value: "mine",
			from: "set in the program",
		});
		expect(findSettings({ env: bare })).toEqual({
			baseUrl: { value: "https://studio.datachain.ai", from: "default" },
			token: undefined,
			teamName: undefined,
		});
	});

	const TOKEN_REFUSED =
		"The token cannot be used: it has a space, a line break or a character outside printable ASCII. " +
		"Copy it again, without quotes or a trailing newline.";
	test.each<[explicit: object, settings: string[], message: string]>([
		[
			{},
			["token", "teamName"],
			"Not connected to the service: there is no token and no team name. " +
				"Run `datachain auth login` and `datachain auth team NAME`, " +
				"or set DATACHAIN_STUDIO_TOKEN and DATACHAIN_STUDIO_TEAM, " +
				"or run `pulumi config set --secret datachain:token` and `pulumi config set datachain:teamName`.",
		],
		[
			{ token: "t" },
			["teamName"],
			"Not connected to the service: there is no team name. Run `datachain auth team NAME`, " +
				"or set DATACHAIN_STUDIO_TEAM, or run `pulumi config set datachain:teamName`.",
		],
		[
			{ token: "t", teamName: "a\u0007b" },
			["teamName"],
			"The team name cannot be used: it must have 1 to 255 characters and no control characters. " +
				"Use the name in the team's URL in the web UI.",
		],
		[{ token: "canary token", teamName: "ml" }, ["token"], TOKEN_REFUSED],
		[{ token: "canary\n", teamName: "ml" }, ["token"], TOKEN_REFUSED],
		[{ token: "canaryé", teamName: "ml" }, ["token"], TOKEN_REFUSED],
		[{ token: "\tcanary", teamName: "ml" }, ["token"], TOKEN_REFUSED],
	])(
		"%j are refused with what to do, and no token is shown",
		(explicit, settings, message) => {
			const error = connectionFailure(() => resolveConnection({ explicit, env: bare }));
			expect(error).toMatchObject({ name: "ConnectionError", settings, message });
			expect(inspect(error, { depth: 10 })).not.toContain("canary");
		},
	);

	test("a client checks its settings too, and does not show the token", () => {
		const usable = { baseUrl: "https://example.com", token: "canary", teamName: "x" };
		const refusal = (wrong: object) =>
			connectionFailure(() => createClient({ ...usable, ...wrong }));
		for (const name of ["baseUrl", "token", "teamName"])
			expect(refusal({ [name]: " " }).settings).toEqual([name]);
		const client = createClient(usable);
		expect(inspect(client, { depth: 10, showHidden: true })).not.toContain("canary");
	});
});

describe("the limit of concurrent writes", () => {
	it("comes from the environment, then from the config", () => {
		const config = (key: string) => (key === "maxConcurrentWrites" ? "4" : undefined);
		expect(resolveWriteLimit({ env: {}, config: () => " " })).toBeUndefined();
		expect(resolveWriteLimit({ env: {} })).toBeUndefined();
		expect(
			resolveWriteLimit({ env: { DATACHAIN_MAX_CONCURRENT_WRITES: " " }, config }),
		).toBe(4);
		expect(
			resolveWriteLimit({ env: { DATACHAIN_MAX_CONCURRENT_WRITES: "1" }, config }),
		).toBe(1);
	});

	it.each(["0", "1.5", "many", "257"])("cannot be %s", (text) => {
		const env = { DATACHAIN_MAX_CONCURRENT_WRITES: text };
		expect(connectionFailure(() => resolveWriteLimit({ env }))).toMatchObject({
			settings: [],
			message:
				"The limit of concurrent writes (DATACHAIN_MAX_CONCURRENT_WRITES or datachain:maxConcurrentWrites) " +
				`cannot be "${text}": use a whole number from 1 to 256.`,
		});
	});
});

describe("base URL", () => {
	test.each([
		["https://studio.example.com", "https://studio.example.com/api"],
		["https://studio.example.com/api///", "https://studio.example.com/api"],
		[
			"https://studio.example.com/api/tenant",
			"https://studio.example.com/api/tenant/api",
		],
		["https://studio.example.com/myapi", "https://studio.example.com/myapi/api"],
		["  HTTPS://Studio.Example.com/api  ", "https://studio.example.com/api"],
		["http://localhost:8080", "http://localhost:8080/api"],
		["http://127.100.200.255", "http://127.100.200.255/api"],
		["http://[::1]:9/", "http://[::1]:9/api"],
	])("%s becomes %s", (given, expected) => {
		expect(normalizeBaseUrl(given)).toBe(expected);
	});

	const WRITE = "Write it as https://studio.example.com, with or without /api.";
	const ACCOUNT =
		"it has a user name or password in it. Remove them, and set the token separately.";
	const unencrypted = (host: string) =>
		`it would send the token unencrypted to ${host}. Use https://; plain http is for loopback addresses only.`;
	test.each([
		["http://studio.example.com", unencrypted("studio.example.com")],
		["http://127.0.0.1.evil.example:80", unencrypted("127.0.0.1.evil.example")],
		[
			"https://studio.example.com/api?",
			"it has a query. Remove everything from the ? on.",
		],
		[
			"https://studio.example.com/api#a",
			"it has a fragment. Remove everything from the # on.",
		],
		["ftp://studio.example.com", `it does not start with https://. ${WRITE}`],
		["studio.example.com", `it does not start with https://. ${WRITE}`],
		["at https://studio.example.com", `it does not start with https://. ${WRITE}`],
		[
			"https://studio.exa mple.com",
			"it has a space, a backslash or a control character. Remove it.",
		],
		[
			"https://studio.example.com\\api",
			"it has a space, a backslash or a control character. Remove it.",
		],
		["https://studio.example.com:99999", `it is not a URL. ${WRITE}`],
		["https://user@studio.example.com", ACCOUNT],
		["https://:pass@studio.example.com", ACCOUNT],
	])("%j is refused: %s", (given, why) => {
		const error = connectionFailure(() => normalizeBaseUrl(given));
		expect(error.message).toBe(`The base URL cannot be used: ${why}`);
		expect(error.settings).toEqual(["baseUrl"]);
	});
});

test("a broken file does no harm if nothing is missing", () => {
	const explicit = { baseUrl: "https://a.example.com", token: "t", teamName: "x" };
	expect(resolveConnection({ explicit, env: machine({ user: "[studio" }) }).token).toBe(
		"t",
	);
});

test("the project's file wins over the user's, and that over the machine's, setting by setting", () => {
	const env = machine({
		system: studio({ url: "https://system.example.com", team: "system" }),
		user: studio({ url: "https://user.example.com", token: CANARY, team: "user" }),
		project: studio({ team: "project" }),
	});
	expect(resolveConnection({ env })).toEqual({
		baseUrl: "https://user.example.com/api",
		token: CANARY,
		teamName: "project",
	});
});

describe("a token from a file is sent only to the service that the file names", () => {
	const team = { DATACHAIN_STUDIO_TEAM: "ml" };
	const own = studio({ token: CANARY, url: "https://own.example.com" });
	const other = "https://other.example.com";

	test.each<[string, () => NodeJS.ProcessEnv]>([
		[
			"the environment",
			() => ({ ...machine({ user: own }), DATACHAIN_STUDIO_URL: other }),
		],
		[
			"the project's file",
			() => machine({ user: own, project: studio({ url: other }) }),
		],
		[
			"the project's file, where the token's own names none",
			() =>
				machine({ user: studio({ token: CANARY }), project: studio({ url: other }) }),
		],
	])("not to a URL from %s", (_, env) => {
		const error = connectionFailure(() =>
			resolveConnection({ env: { ...env(), ...team } }),
		);
		expect(error.settings).toEqual(["token"]);
		expect(error.message).toMatch(
			/^The token in ~\/user\/config is only for the service that the same file names, and the base URL \([^)]+\) is another one, so it was not sent\. Set DATACHAIN_STUDIO_TOKEN to a token of that service, or remove the base URL\.$/,
		);
		expect(inspect(error, { depth: 10 })).not.toContain(CANARY);
	});

	test("a token from elsewhere is not sent to the URL of a project's file", () => {
		const files = machine({ project: studio({ url: other }) });
		const env = { ...files, ...team, DATACHAIN_STUDIO_TOKEN: CANARY };
		const error = connectionFailure(() => resolveConnection({ env }));
		expect(error.message).toBe(
			"The base URL comes from the project's file ~/project/.datachain/config, and the token (DATACHAIN_STUDIO_TOKEN) does not, " +
				"so it was not sent there. Set DATACHAIN_STUDIO_URL to the service that the token is for.",
		);
		expect(
			resolveConnection({ env: { ...env, DATACHAIN_STUDIO_URL: other } }).token,
		).toBe(CANARY);
	});

	test.each([
		["the user's file", { user: studio({ url: other }) }, other],
		[
			"the project's file, where it is the default one",
			{ project: studio({ url: DEFAULT_URL }) },
			DEFAULT_URL,
		],
	])("a token from the environment goes to the URL of %s", (_, files, url) => {
		const env = { ...machine(files), ...team, DATACHAIN_STUDIO_TOKEN: "t" };
		expect(resolveConnection({ env }).baseUrl).toBe(`${url}/api`);
	});

	test("a project's own token goes to the project's own URL", () => {
		const env = {
			...machine({ user: own, project: studio({ url: other, token: "t" }) }),
			...team,
		};
		expect(resolveConnection({ env })).toMatchObject({
			baseUrl: `${other}/api`,
			token: "t",
		});
	});

	test("a URL that cannot be used is the same service only as the same text", () => {
		const env = {
			...machine({ user: studio({ token: CANARY, url: "own" }) }),
			...team,
		};
		const why = (given: object) =>
			connectionFailure(() => resolveConnection({ env: { ...env, ...given } })).message;
		expect(why({})).toContain("The base URL cannot be used");
		expect(why({ DATACHAIN_STUDIO_URL: other })).toContain(
			"is only for the service that the same file names",
		);
	});

	test("the same service may be spelled in another way", () => {
		const env = {
			...machine({ user: own }),
			...team,
			DATACHAIN_STUDIO_URL: "https://own.example.com/api/",
		};
		expect(resolveConnection({ env }).token).toBe(CANARY);
	});
});

describe("a file that cannot be used", () => {
	test("is named in the error, and its content is not shown", () => {
		const user = `[studio]\ntoken = "${CANARY}\n`;
		const error = connectionFailure(() =>
			resolveConnection({ env: machine({ user }) }),
		);
		expect(error.message).toBe(
			"The file ~/user/config, line 2 is not TOML. Correct it, or run `datachain auth login` again.",
		);
		expect(error.settings).toEqual([]);
		expect(inspect(error, { depth: 10 })).not.toContain(CANARY);
	});

	test("is named in the error if it is a folder", () => {
		const env = machine({});
		mkdirSync(join(env.DATACHAIN_GLOBAL_CONFIG_DIR, "config"));
		const error = connectionFailure(() => resolveConnection({ env }));
		expect(error.message).toBe(
			"The file ~/user/config cannot be read (EISDIR). Check its permissions.",
		);
		expect(error.settings).toEqual([]);
	});

	test.each([
		["no settings", 'studio = "x"\n[core]\nteam = 5\n'],
		["no texts", "[studio]\nteam = 5\ntoken = true\nurl = []\n"],
	])("with %s counts as no file", (_, user) => {
		expect(
			connectionFailure(() => resolveConnection({ env: machine({ user }) })).settings,
		).toEqual(["token", "teamName"]);
	});

	test("below something that is no folder counts as no file", () => {
		const env = machine({ user: studio({ token: CANARY, team: " ml " }) });
		const below = join(env.DATACHAIN_GLOBAL_CONFIG_DIR, "config");
		expect(
			resolveConnection({ env: { ...env, DATACHAIN_SYSTEM_CONFIG_DIR: below } }),
		).toMatchObject({
			token: CANARY,
			teamName: "ml",
		});
	});
});

describe("the folders are those of the service's own client", () => {
	const at = (platform: NodeJS.Platform, env: NodeJS.ProcessEnv) =>
		loginFolders(env, platform, platform === "win32" ? "C:\\project" : "/project");

	test("on Linux", () => {
		expect(at("linux", { HOME: "/home/a" })).toEqual([
			"/etc/xdg/datachain",
			"/home/a/.config/datachain",
			"/project/.datachain",
		]);
		const xdg = {
			HOME: "/home/a",
			XDG_CONFIG_HOME: "/x",
			XDG_CONFIG_DIRS: "relative:/y:/z",
		};
		expect(at("linux", xdg).slice(0, 2)).toEqual(["/y/datachain", "/x/datachain"]);
		const relative = { HOME: "a", XDG_CONFIG_HOME: "x", XDG_CONFIG_DIRS: "y:z" };
		const usual = ["/etc/xdg/datachain", join(homedir(), ".config/datachain")];
		for (const env of [{}, relative])
			expect(at("linux", env).slice(0, 2)).toEqual(usual);
	});

	test("on macOS and on Windows", () => {
		expect(at("darwin", { HOME: "/Users/a" })).toEqual([
			"/Library/Application Support/datachain",
			"/Users/a/Library/Application Support/datachain",
			"/project/.datachain",
		]);
		const local = {
			LOCALAPPDATA: "C:\\Users\\a\\AppData\\Local",
			ALLUSERSPROFILE: "E:\\All",
		};
		expect(at("win32", local)).toEqual([
			"E:\\All\\iterative\\datachain",
			"C:\\Users\\a\\AppData\\Local\\iterative\\datachain",
			"C:\\project\\.datachain",
		]);
		expect(
			at("win32", {
				USERPROFILE: "D:\\a",
				ALLUSERSPROFILE: "",
				LOCALAPPDATA: "",
			}).slice(0, 2),
		).toEqual([
			"C:\\ProgramData\\iterative\\datachain",
			"D:\\a\\AppData\\Local\\iterative\\datachain",
		]);
	});

	test("below the current folder, or named by the client's own variables", () => {
		expect(loginFolders({})[2]).toBe(join(process.cwd(), ".datachain"));
		const own = {
			DATACHAIN_ROOT_DIR: "/r",
			DATACHAIN_SYSTEM_CONFIG_DIR: "/s",
			DATACHAIN_GLOBAL_CONFIG_DIR: "/g",
		};
		expect(at("linux", own)).toEqual(["/s", "/g", "/r/.datachain"]);
		expect(at("linux", { ...own, DATACHAIN_DIR: "/d" })[2]).toBe("/d");
	});
});

test.each([
	["/home/a/x", "~/x", "/home/a//"],
	["/home/a\\x", "~\\x", "/home/a"],
	["/home/ab/x", "/home/ab/x", "/home/a"],
	["/home/b/x", "/home/b/x", "/home/a"],
	["/home/a", "/home/a", "/home/a"],
	["/x", "/x", "/"],
])("%s is written as %s where %s is the home folder", (path, shown, HOME) => {
	expect(withTilde(path, { HOME })).toBe(shown);
});
