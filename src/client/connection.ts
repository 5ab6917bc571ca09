import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, posix, win32 } from "node:path";
import { z } from "zod";
import { teamName as teamNameSchema } from "../schemas/primitives";
import { ConnectionError, errorCode } from "./errors";

/** Where the service is and who asks. As returned by `resolveConnection` it is checked and `baseUrl` ends in /api. */
export interface ConnectionSettings {
	/** `https://studio.example.com/api`; http for loopback addresses only. */
	readonly baseUrl: string;
	/** Access token; printable ASCII. */
	readonly token: string;
	/** Team in whose scope every call works unless it names another. */
	readonly teamName: string;
}

export type SettingName = keyof ConnectionSettings;

/** Where settings are looked up, in this order; last come the files of the service's own client, and its default URL. */
export interface ConnectionSources {
	readonly explicit?:
		| { readonly [Name in SettingName]?: string | undefined }
		| undefined;
	/** Default: the process's own environment. */
	readonly env?: NodeJS.ProcessEnv | undefined;
	/** Reads one key of the `datachain` config namespace. */
	readonly config?: ((key: SettingName) => string | undefined) | undefined;
}

/** A setting, and where it was found. */
export interface FoundSetting {
	readonly value: string;
	/** For people: a variable, a config key, a file. */
	readonly from: string;
	/** For a token from a file: the only service that it may be sent to, whatever the other files say. */
	readonly only?: string;
	/** For a base URL: true if it came with the project's code, so only a token from the same file may go there. */
	readonly isFromProject?: boolean;
}

/** The base URL has a default, so only the other two can be missing. */
interface FoundSettings {
	readonly baseUrl: FoundSetting;
	readonly token: FoundSetting | undefined;
	readonly teamName: FoundSetting | undefined;
}

const WRITE_LIMIT = "maxConcurrentWrites";
const WRITE_LIMIT_VARIABLE = "DATACHAIN_MAX_CONCURRENT_WRITES";

export const SETTING_NAMES: readonly SettingName[] = ["baseUrl", "token", "teamName"];

/** The environment comes before the config because Pulumi hands refresh and destroy the config of the last `up`. */
export const CONNECTION_VARIABLES: Readonly<Record<SettingName, string>> = {
	baseUrl: "DATACHAIN_STUDIO_URL",
	token: "DATACHAIN_STUDIO_TOKEN",
	teamName: "DATACHAIN_STUDIO_TEAM",
};

const TITLES: Readonly<Record<SettingName, string>> = {
	baseUrl: "base URL",
	token: "token",
	teamName: "team name",
};

/** Finds and checks each setting. Throws one ConnectionError for all that are missing. */
export function resolveConnection(sources: ConnectionSources = {}): ConnectionSettings {
	const settings = findSettings(sources);
	const { baseUrl, token, teamName } = settings;
	if (!token || !teamName)
		throw missingSettings(SETTING_NAMES.filter((name) => !settings[name]));
	const elsewhere = tokenForOtherService(token, baseUrl);
	if (elsewhere)
		throw new ConnectionError(`${elsewhere.why} ${elsewhere.next}`, ["token"]);
	return checkConnection({
		baseUrl: baseUrl.value,
		token: token.value,
		teamName: teamName.value,
	});
}

/** Each setting from the first source that has it, unchecked. */
export function findSettings(sources: ConnectionSources): FoundSettings {
	const env = sources.env ?? process.env;
	let login: Login | undefined;
	const fromLogin = (name: SettingName): FoundSetting | undefined => {
		// Read when something is still missing: most runs have all three in the environment or the config.
		login ??= readLogin(env);
		return login[name];
	};
	const find = (name: SettingName): FoundSetting | undefined =>
		given(sources.explicit?.[name], "set in the program") ??
		given(env[CONNECTION_VARIABLES[name]], CONNECTION_VARIABLES[name]) ??
		given(sources.config?.(name), `config datachain:${name}`) ??
		fromLogin(name);
	return {
		baseUrl: find("baseUrl") ?? { value: DEFAULT_URL, from: "default" },
		token: find("token"),
		teamName: find("teamName"),
	};
}

const given = (value: string | undefined, from: string): FoundSetting | undefined =>
	value === undefined || value.trim() === "" ? undefined : { value, from };

/** Why the token may not be sent to that URL, and what to do about it; undefined if it may. */
export function tokenForOtherService(
	token: FoundSetting,
	baseUrl: FoundSetting,
): { readonly why: string; readonly next: string } | undefined {
	if (token.only === undefined) {
		if (!baseUrl.isFromProject || isSameService(DEFAULT_URL, baseUrl.value))
			return undefined;
		return {
			why:
				`The base URL comes from the project's file ${baseUrl.from}, and the token (${token.from}) does not, so it ` +
				"was not sent there.",
			next: `Set ${CONNECTION_VARIABLES.baseUrl} to the service that the token is for.`,
		};
	}
	if (isSameService(token.only, baseUrl.value)) return undefined;
	return {
		why:
			`The token in ${token.from} is only for the service that the same file names, and the base URL (${baseUrl.from}) is ` +
			"another one, so it was not sent.",
		next: `Set ${CONNECTION_VARIABLES.token} to a token of that service, or remove the base URL.`,
	};
}

function isSameService(a: string, b: string): boolean {
	try {
		return normalizeBaseUrl(a) === normalizeBaseUrl(b);
	} catch {
		// An unusable URL is refused later, by its own check; until then the same text is the same service.
		return a === b;
	}
}

/** The ways to set what is missing, each on its own: the service's own client, the environment, the config. */
export const WAYS = {
	login: (name: SettingName): string =>
		name === "teamName" ? "`datachain auth team NAME`" : "`datachain auth login`",
	environment: (name: SettingName): string => CONNECTION_VARIABLES[name],
	config: (name: SettingName): string =>
		`\`pulumi config set ${name === "token" ? "--secret " : ""}datachain:${name}\``,
};

/** Where the limit of concurrent writes is looked up. */
export interface WriteLimitSources extends Pick<ConnectionSources, "env"> {
	readonly config?: ((key: typeof WRITE_LIMIT) => string | undefined) | undefined;
}

/** How many writes may be under way at once, if someone set it: environment, then config. */
export function resolveWriteLimit(sources: WriteLimitSources = {}): number | undefined {
	const text =
		(sources.env ?? process.env)[WRITE_LIMIT_VARIABLE]?.trim() ||
		sources.config?.(WRITE_LIMIT)?.trim();
	if (!text) return undefined;
	const value = Number(text);
	if (Number.isInteger(value) && value >= 1 && value <= 256) return value;
	throw new ConnectionError(
		`The limit of concurrent writes (${WRITE_LIMIT_VARIABLE} or datachain:${WRITE_LIMIT}) cannot be ${JSON.stringify(text)}: use a whole number from 1 to 256.`,
		[],
	);
}

/** Checks settings and brings the base URL into its one form. */
export function checkConnection(settings: ConnectionSettings): ConnectionSettings {
	const { token, teamName } = settings;
	const baseUrl = normalizeBaseUrl(settings.baseUrl);
	// A header takes nothing else, and a stray newline is the usual trace of a token read from a file.
	if (!/^[\x21-\x7e]+$/.test(token)) {
		throw new ConnectionError(
			"The token cannot be used: it has a space, a line break or a character outside printable ASCII. Copy it again, without quotes or a trailing newline.",
			["token"],
		);
	}
	if (!teamNameSchema.safeParse(teamName).success) {
		throw new ConnectionError(
			"The team name cannot be used: it must have 1 to 255 characters and no control characters. Use the name in the team's URL in the web UI.",
			["teamName"],
		);
	}
	return { baseUrl, token, teamName };
}

function missingSettings(missing: readonly SettingName[]): ConnectionError {
	const all = (way: (name: SettingName) => string) => missing.map(way).join(" and ");
	const titles = missing.map((name) => TITLES[name]).join(" and no ");
	return new ConnectionError(
		`Not connected to the service: there is no ${titles}. Run ${all(WAYS.login)}, ` +
			`or set ${all(WAYS.environment)}, or run ${all(WAYS.config)}.`,
		missing,
	);
}

/** The default of the service's own client, too. */
export const DEFAULT_URL = "https://studio.datachain.ai";

/** True for hosts that are this machine, where plain http is safe. Takes the form `URL.hostname` has. */
export const isLoopback = (hostname: string): boolean =>
	hostname === "localhost" || hostname === "[::1]" || /^127\.[\d.]+$/.test(hostname);

/**
 * The base URL in the one form used inside: no trailing slash, ending in `/api`. The service's own client takes
 * it without `/api`, the REST document with it; both are accepted. Messages never repeat the text, which may
 * hold a password.
 */
export function normalizeBaseUrl(text: string): string {
	const url = parseUrl(text.trim());
	if (url.username !== "" || url.password !== "") {
		throw refuseUrl(
			"has a user name or password in it",
			"Remove them, and set the token separately.",
		);
	}
	if (text.includes("?"))
		throw refuseUrl("has a query", "Remove everything from the ? on.");
	if (text.includes("#"))
		throw refuseUrl("has a fragment", "Remove everything from the # on.");
	if (url.protocol === "http:" && !isLoopback(url.hostname)) {
		throw refuseUrl(
			`would send the token unencrypted to ${url.host}`,
			"Use https://; plain http is for loopback addresses only.",
		);
	}
	const path = url.pathname.replace(/\/+$/, "");
	return `${url.origin}${path.endsWith("/api") ? path : `${path}/api`}`;
}

const URL_FORM = "Write it as https://studio.example.com, with or without /api.";

function parseUrl(text: string): URL {
	if (!/^https?:\/\/[^/]/i.test(text))
		throw refuseUrl("does not start with https://", URL_FORM);
	if (/[\s\\]|\p{Cc}/u.test(text))
		throw refuseUrl("has a space, a backslash or a control character", "Remove it.");
	if (!URL.canParse(text)) throw refuseUrl("is not a URL", URL_FORM);
	return new URL(text);
}

function refuseUrl(why: string, next: string): ConnectionError {
	return new ConnectionError(`The base URL cannot be used: it ${why}. ${next}`, [
		"baseUrl",
	]);
}

/** Loaded when there is such a file, which most runs do not need. */
const toml = () => require("smol-toml") as { parse(text: string): unknown };

/** What `datachain auth login` and `datachain auth team` left behind. */
type Login = Partial<FoundSettings>;

const someText = z.string().trim().min(1).optional().catch(undefined);
const sectionSchema = z.object({ url: someText, token: someText, team: someText });
const fileSchema = z.object({ studio: sectionSchema.optional().catch(undefined) });

/** Reads the config files of the service's own client; each setting comes from the last file that has it. */
function readLogin(env: NodeJS.ProcessEnv): Login {
	const folders = loginFolders(env);
	return Object.assign(
		{},
		...folders.map((folder) => loginIn(folder, folder === folders.at(-1), env)),
	);
}

function loginIn(
	folder: string,
	isFromProject: boolean,
	env: NodeJS.ProcessEnv,
): Login {
	const path = join(folder, "config");
	const from = withTilde(path, env);
	const { url, token, team } = studioSection(path, from);
	return {
		...(url && { baseUrl: { value: url, from, isFromProject } }),
		...(team && { teamName: { value: team, from } }),
		...(token && { token: { value: token, from, only: url ?? DEFAULT_URL } }),
	};
}

function studioSection(path: string, file: string): z.infer<typeof sectionSchema> {
	const content = contentOf(path, file);
	if (content === undefined) return {};
	try {
		return fileSchema.parse(toml().parse(content)).studio ?? {};
	} catch (error) {
		// The parser's own message quotes the line, and the line may be that of the token.
		const { line } = error as { readonly line: number };
		throw new ConnectionError(
			`The file ${file}, line ${line} is not TOML. Correct it, or run \`datachain auth login\` again.`,
			[],
		);
	}
}

function contentOf(path: string, file: string): string | undefined {
	try {
		return readFileSync(path, "utf8");
	} catch (error) {
		const code = errorCode(error);
		if (code === "ENOENT" || code === "ENOTDIR") return undefined;
		throw new ConnectionError(
			`The file ${file} cannot be read (${code}). Check its permissions.`,
			[],
		);
	}
}

const APP = "datachain";
const AUTHOR = "iterative";

/**
 * The folders whose file `config` the service's own client reads, those that win last: of the machine, of the user, of
 * the project. Where they are is what its library platformdirs says, except that a Python from Homebrew has another
 * folder of the machine, which only that Python knows.
 */
export function loginFolders(
	env: NodeJS.ProcessEnv,
	platform: NodeJS.Platform = process.platform,
	cwd = process.cwd(),
): string[] {
	const { join } = platform === "win32" ? win32 : posix;
	const { machine, user } =
		platform === "win32" ? windowsFolders(env) : unixFolders(env, platform);
	return [
		env.DATACHAIN_SYSTEM_CONFIG_DIR || machine,
		env.DATACHAIN_GLOBAL_CONFIG_DIR || user,
		env.DATACHAIN_DIR ?? join(env.DATACHAIN_ROOT_DIR ?? cwd, `.${APP}`),
	];
}

function unixFolders(env: NodeJS.ProcessEnv, platform: NodeJS.Platform) {
	const absolute = (path: string | undefined): path is string =>
		posix.isAbsolute(path ?? "");
	const home = homeOf(env);
	const usual =
		platform === "darwin"
			? {
					machine: "/Library/Application Support",
					user: posix.join(home, "Library/Application Support"),
				}
			: { machine: "/etc/xdg", user: posix.join(home, ".config") };
	const machine = env.XDG_CONFIG_DIRS?.split(":").find(absolute) ?? usual.machine;
	const user = absolute(env.XDG_CONFIG_HOME) ? env.XDG_CONFIG_HOME : usual.user;
	return { machine: posix.join(machine, APP), user: posix.join(user, APP) };
}

function windowsFolders(env: NodeJS.ProcessEnv) {
	const machine = env.ALLUSERSPROFILE || "C:\\ProgramData";
	const user =
		env.LOCALAPPDATA || win32.join(env.USERPROFILE || homedir(), "AppData", "Local");
	return {
		machine: win32.join(machine, AUTHOR, APP),
		user: win32.join(user, AUTHOR, APP),
	};
}

const homeOf = (env: NodeJS.ProcessEnv): string =>
	env.HOME !== undefined && posix.isAbsolute(env.HOME) ? env.HOME : homedir();

/** The path as people write it: messages end up in logs that others read, and need not name a user. */
export function withTilde(path: string, env: NodeJS.ProcessEnv): string {
	const home = homeOf(env).replace(/[\\/]+$/, "");
	const rest = path.slice(home.length);
	return home !== "" && path.startsWith(home) && /^[\\/]/.test(rest)
		? `~${rest}`
		: path;
}
