import { mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { resolveConnection } from "../../../src/api";
import { DEFAULT_URL, findSettings, loginFolders, withTilde } from "../../../src/api/connection";
import { tempFolder } from "../../../tools/process/temp-folder";
import { connectionFailure } from "../../helpers/api-calls";

const CANARY = "canary-5d1f";

/** Three folders as the service's own client has them, with a `config` in those that are given one. */
function machine(files: { system?: string; user?: string; project?: string }) {
	const folder = tempFolder("login-");
	onTestFinished(() => folder.remove());
	const write = (name: string, text: string | undefined): string => {
		const path = join(folder.path, name);
		mkdirSync(path, { recursive: true });
		if (text !== undefined) writeFileSync(join(path, "config"), text);
		return path;
	};
	write("project/.datachain", files.project);
	return {
		HOME: folder.path,
		DATACHAIN_SYSTEM_CONFIG_DIR: write("system", files.system),
		DATACHAIN_GLOBAL_CONFIG_DIR: write("user", files.user),
		DATACHAIN_ROOT_DIR: join(folder.path, "project"),
	};
}

const studio = (settings: Readonly<Record<string, string>>): string =>
	`[studio]\n${Object.entries(settings)
		.map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`)
		.join("")}`;

describe("after `datachain auth login` and `datachain auth team`", () => {
	const user = studio({ token: CANARY, url: DEFAULT_URL, team: "ml" });

	test("the file comes after the program, the environment and the config", () => {
		const env = { ...machine({ user }), DATACHAIN_STUDIO_TOKEN: "env-token" };
		expect(
			resolveConnection({ env, config: (key) => (key === "teamName" ? "config-team" : undefined) }),
		).toMatchObject({
			token: "env-token",
			teamName: "config-team",
		});
	});

	test("a file that is broken costs nothing where nothing is missing", () => {
		const explicit = { baseUrl: "https://a.example.com", token: "t", teamName: "x" };
		expect(resolveConnection({ explicit, env: machine({ user: "[studio" }) }).token).toBe("t");
	});

	test("a setting says what else must be known of it: whose a token is, and whether a URL came with the code", () => {
		const env = machine({ user, project: studio({ url: DEFAULT_URL }) });
		expect(findSettings({ env })).toEqual({
			baseUrl: { value: DEFAULT_URL, from: "~/project/.datachain/config", isProjects: true },
			token: { value: CANARY, from: "~/user/config", only: DEFAULT_URL },
			teamName: { value: "ml", from: "~/user/config" },
		});
		expect(findSettings({ env: machine({ user }) }).baseUrl.isProjects).toBe(false);
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
});

describe("a token from a file is sent only to the service that the file names", () => {
	const team = { DATACHAIN_STUDIO_TEAM: "ml" };
	const own = studio({ token: CANARY, url: "https://own.example.com" });
	const other = "https://other.example.com";

	test.each<[string, () => NodeJS.ProcessEnv]>([
		["the environment", () => ({ ...machine({ user: own }), DATACHAIN_STUDIO_URL: other })],
		["the project's file", () => machine({ user: own, project: studio({ url: other }) })],
		[
			"the project's file, where the token's own names none",
			() => machine({ user: studio({ token: CANARY }), project: studio({ url: other }) }),
		],
	])("not to a URL from %s", (_, env) => {
		const error = connectionFailure(() => resolveConnection({ env: { ...env(), ...team } }));
		expect(error.settings).toEqual(["token"]);
		expect(error.message).toMatch(
			/^The token in ~\/user\/config is only for the service that the same file names, and the base URL \([^)]+\) is another one, so it was not sent\. Set DATACHAIN_STUDIO_TOKEN to a token of that service, or remove the base URL\.$/,
		);
		expect(inspect(error, { depth: 10 })).not.toContain(CANARY);
	});

	test("a project's file brings no other token to its URL", () => {
		const env = {
			...machine({ project: studio({ url: other }) }),
			...team,
			DATACHAIN_STUDIO_TOKEN: CANARY,
		};
		const error = connectionFailure(() => resolveConnection({ env }));
		expect(error.message).toBe(
			"The base URL comes from the project's file ~/project/.datachain/config, and the token (DATACHAIN_STUDIO_TOKEN) does not, " +
				"so it was not sent there. Set DATACHAIN_STUDIO_URL to the service that the token is for.",
		);
		expect(resolveConnection({ env: { ...env, DATACHAIN_STUDIO_URL: other } }).token).toBe(CANARY);
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
		const env = { ...machine({ user: own, project: studio({ url: other, token: "t" }) }), ...team };
		expect(resolveConnection({ env })).toMatchObject({ baseUrl: `${other}/api`, token: "t" });
	});

	test("a URL that cannot be used is refused for what it is where the file names it, and for the token elsewhere", () => {
		const user = studio({ token: CANARY, url: "own.example.com" });
		const error = connectionFailure(() => resolveConnection({ env: { ...machine({ user }), ...team } }));
		expect(error.settings).toEqual(["baseUrl"]);
		expect(error.message).toContain("does not start with https://");
		const env = { ...machine({ user }), ...team, DATACHAIN_STUDIO_URL: "other.example.com" };
		expect(connectionFailure(() => resolveConnection({ env })).settings).toEqual(["token"]);
	});

	test("the same service is the same in another spelling", () => {
		const env = { ...machine({ user: own }), ...team, DATACHAIN_STUDIO_URL: "https://own.example.com/api/" };
		expect(resolveConnection({ env }).token).toBe(CANARY);
	});
});

describe("a file that cannot be used", () => {
	test.each([
		["broken", `[studio]\ntoken = "${CANARY}\n`, 2],
		["no TOML at all", `${CANARY}\n`, 1],
	])("is named, without its content: %s", (_, user, line) => {
		const error = connectionFailure(() => resolveConnection({ env: machine({ user }) }));
		expect(error.message).toBe(
			`The file ~/user/config, line ${line} is not TOML. Correct it, or run \`datachain auth login\` again.`,
		);
		expect(error.settings).toEqual([]);
		expect(inspect(error, { depth: 10 })).not.toContain(CANARY);
	});

	test("is named where it is a folder", () => {
		const env = machine({});
		mkdirSync(join(env.DATACHAIN_GLOBAL_CONFIG_DIR, "config"));
		const error = connectionFailure(() => resolveConnection({ env }));
		expect(error.message).toBe("The file ~/user/config cannot be read (EISDIR). Check its permissions.");
		expect(error.settings).toEqual([]);
	});

	test.each([
		["no settings", 'studio = "x"\n[core]\nteam = 5\n'],
		["nothing in them", '[studio]\nteam = " "\ntoken = ""\nurl = ""\n'],
		["no texts", "[studio]\nteam = 5\ntoken = true\nurl = []\n"],
	])("with %s is as good as none", (_, user) => {
		expect(connectionFailure(() => resolveConnection({ env: machine({ user }) })).settings).toEqual([
			"token",
			"teamName",
		]);
	});

	test("below what is no folder is as good as none", () => {
		const env = machine({ user: studio({ token: CANARY, team: " ml " }) });
		const below = join(env.DATACHAIN_GLOBAL_CONFIG_DIR, "config");
		expect(resolveConnection({ env: { ...env, DATACHAIN_SYSTEM_CONFIG_DIR: below } })).toMatchObject({
			token: CANARY,
			teamName: "ml",
		});
	});
});

describe("the folders are those of the service's own client", () => {
	const at = (platform: NodeJS.Platform, env: NodeJS.ProcessEnv) =>
		loginFolders({ platform, env, cwd: platform === "win32" ? "C:\\project" : "/project" });

	test("on Linux", () => {
		expect(at("linux", { HOME: "/home/a" })).toEqual([
			"/etc/xdg/datachain",
			"/home/a/.config/datachain",
			"/project/.datachain",
		]);
		const xdg = { HOME: "/home/a", XDG_CONFIG_HOME: "/x", XDG_CONFIG_DIRS: "relative:/y:/z" };
		expect(at("linux", xdg).slice(0, 2)).toEqual(["/y/datachain", "/x/datachain"]);
		const relative = { HOME: "/home/a", XDG_CONFIG_HOME: "x", XDG_CONFIG_DIRS: "y:z" };
		expect(at("linux", relative).slice(0, 2)).toEqual(["/etc/xdg/datachain", "/home/a/.config/datachain"]);
		for (const env of [{}, { HOME: "a" }])
			expect(at("linux", env)[1]).toBe(join(homedir(), ".config/datachain"));
	});

	test("on macOS and on Windows", () => {
		expect(at("darwin", { HOME: "/Users/a" })).toEqual([
			"/Library/Application Support/datachain",
			"/Users/a/Library/Application Support/datachain",
			"/project/.datachain",
		]);
		const local = { LOCALAPPDATA: "C:\\Users\\a\\AppData\\Local", ALLUSERSPROFILE: "E:\\All" };
		expect(at("win32", local)).toEqual([
			"E:\\All\\iterative\\datachain",
			"C:\\Users\\a\\AppData\\Local\\iterative\\datachain",
			"C:\\project\\.datachain",
		]);
		expect(at("win32", { USERPROFILE: "D:\\a", ALLUSERSPROFILE: "", LOCALAPPDATA: "" }).slice(0, 2)).toEqual([
			"C:\\ProgramData\\iterative\\datachain",
			"D:\\a\\AppData\\Local\\iterative\\datachain",
		]);
	});

	test("below this process's folder on this machine, unless somebody says otherwise", () => {
		expect(loginFolders({ env: {} })[2]).toBe(join(process.cwd(), ".datachain"));
	});

	test("where its own variables name others", () => {
		expect(
			at("linux", {
				HOME: "/home/a",
				DATACHAIN_ROOT_DIR: "/r",
				DATACHAIN_SYSTEM_CONFIG_DIR: "/s",
				DATACHAIN_GLOBAL_CONFIG_DIR: "/g",
			}),
		).toEqual(["/s", "/g", "/r/.datachain"]);
		expect(at("linux", { HOME: "/home/a", DATACHAIN_ROOT_DIR: "/r", DATACHAIN_DIR: "/d" })[2]).toBe("/d");
	});
});

test.each([
	["/home/a/x", "~/x", "/home/a//"],
	["/home/a\\x", "~\\x", "/home/a"],
	["/home/ab/x", "/home/ab/x", "/home/a"],
	["/home/a", "/home/a", "/home/a"],
	["/x/home/a", "/x/home/a", "/home/a"],
	["/other/x", "/other/x", "/home/"],
	["/x", "/x", "/"],
])("%s is written as %s where %s is the home folder", (path, shown, HOME) => {
	expect(withTilde(path, { HOME })).toBe(shown);
});
