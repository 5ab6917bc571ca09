import { teamName as teamNameSchema } from "../schemas/primitives";
import { DEFAULT_URL, normalizeBaseUrl } from "./base-url";
import { ConnectionError } from "./errors";
import { type Login, readLogin } from "./login/read-login";

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
	readonly explicit?: { readonly [Name in SettingName]?: string | undefined } | undefined;
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
	/** Of a token from a file: the only service that may see it, whoever writes another of the files. */
	readonly only?: string;
	/** Of a base URL: it came with the project's code, so that only a token from the same file may go there. */
	readonly isProjects?: boolean;
}

/** The base URL has a default, so that only the other two can be missing. */
export interface FoundSettings {
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
	const found = findSettings(sources);
	const { baseUrl, token, teamName } = found;
	if (!token || !teamName) throw missingSettings(SETTING_NAMES.filter((name) => !found[name]));
	const elsewhere = tokenElsewhere(token, baseUrl);
	if (elsewhere) throw new ConnectionError(`${elsewhere.why} ${elsewhere.next}`, ["token"]);
	return checkConnection({ baseUrl: baseUrl.value, token: token.value, teamName: teamName.value });
}

/** Each setting as the first place has it that knows it, unchecked. */
export function findSettings(sources: ConnectionSources): FoundSettings {
	const env = sources.env ?? process.env;
	let login: Login | undefined;
	const fromLogin = (name: SettingName): FoundSetting | undefined => {
		// Read when something is still missing: most runs have all three in the environment or the config.
		login ??= readLogin({ env });
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

/** Why the token may not be sent to that URL, and what to do about it; undefined where it may. */
export function tokenElsewhere(
	token: FoundSetting,
	baseUrl: FoundSetting,
): { readonly why: string; readonly next: string } | undefined {
	if (token.only === undefined) {
		if (!baseUrl.isProjects || isSameService(DEFAULT_URL, baseUrl.value)) return undefined;
		return {
			why:
				`The base URL in ${baseUrl.from} is the project's own, and the token (${token.from}) is not from that file, so it ` +
				"was not sent there.",
			next: `Set ${CONNECTION_VARIABLES.baseUrl} to the service that the token is for.`,
		};
	}
	if (isSameService(token.only, baseUrl.value)) return undefined;
	return {
		why:
			`The token in ${token.from} is only for the service that the same file names, and the base URL (${baseUrl.from}) is ` +
			"another one, so it was not sent.",
		next: `Set ${CONNECTION_VARIABLES.token} to a token of that service, or take the base URL away.`,
	};
}

function isSameService(a: string, b: string): boolean {
	try {
		return normalizeBaseUrl(a) === normalizeBaseUrl(b);
	} catch {
		// What cannot be used is refused by its own check, as long as it is the same text.
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

/** How many writes may be under way at once, where someone set it: environment, then config. */
export function resolveWriteLimit(sources: WriteLimitSources = {}): number | undefined {
	const text = (sources.env ?? process.env)[WRITE_LIMIT_VARIABLE] || sources.config?.(WRITE_LIMIT);
	if (text === undefined || text.trim() === "") return undefined;
	const value = Number(text);
	if (Number.isInteger(value) && value >= 1 && value <= 256) return value;
	throw new ConnectionError(
		`The limit of concurrent writes (${WRITE_LIMIT_VARIABLE} or datachain:${WRITE_LIMIT}) cannot be ${JSON.stringify(text)}: use a whole number from 1 to 256.`,
		[],
	);
}

/** Checks settings and brings the base URL into its one form. */
export function checkConnection(settings: ConnectionSettings): ConnectionSettings {
	const empty = SETTING_NAMES.filter((name) => settings[name].trim() === "");
	if (empty.length > 0) {
		throw new ConnectionError(`A connection needs its ${titles(empty, " and its ")}; it is empty.`, empty);
	}
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

const titles = (names: readonly SettingName[], between: string): string =>
	names.map((name) => TITLES[name]).join(between);

function missingSettings(missing: readonly SettingName[]): ConnectionError {
	const all = (way: (name: SettingName) => string) => missing.map(way).join(" and ");
	return new ConnectionError(
		`Not connected to the service: there is no ${titles(missing, " and no ")}. Run ${all(WAYS.login)}, ` +
			`or set ${all(WAYS.environment)}, or run ${all(WAYS.config)}.`,
		missing,
	);
}
