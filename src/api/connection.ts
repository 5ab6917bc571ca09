import { teamName as teamNameSchema } from "../schemas/primitives";
import { normalizeBaseUrl } from "./base-url";
import { ConnectionError } from "./errors";

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

/** Where settings are looked up, in this order. */
export interface ConnectionSources {
	readonly explicit?: { readonly [Name in SettingName]?: string | undefined } | undefined;
	/** Default: the process's own environment. */
	readonly env?: NodeJS.ProcessEnv | undefined;
	/** Reads one key of the `datachain` config namespace. */
	readonly config?: ((key: SettingName) => string | undefined) | undefined;
}

const WRITE_LIMIT = "maxConcurrentWrites";
const WRITE_LIMIT_VARIABLE = "DATACHAIN_MAX_CONCURRENT_WRITES";

const NAMES: readonly SettingName[] = ["baseUrl", "token", "teamName"];

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

/** Finds each setting: explicit, then environment, then config. Throws one ConnectionError for all that are missing. */
export function resolveConnection(sources: ConnectionSources = {}): ConnectionSettings {
	const env = sources.env ?? process.env;
	const find = (name: SettingName): string =>
		[sources.explicit?.[name], env[CONNECTION_VARIABLES[name]], sources.config?.(name)].find(
			(value) => value !== undefined && value.trim() !== "",
		) ?? "";
	const found = { baseUrl: find("baseUrl"), token: find("token"), teamName: find("teamName") };
	const missing = NAMES.filter((name) => found[name] === "");
	if (missing.length > 0) throw missingSettings(missing);
	return checkConnection(found);
}

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
	const missing = NAMES.filter((name) => settings[name].trim() === "");
	if (missing.length > 0) throw missingSettings(missing);
	return {
		baseUrl: normalizeBaseUrl(settings.baseUrl),
		token: checkToken(settings.token),
		teamName: checkTeamName(settings.teamName),
	};
}

function missingSettings(missing: readonly SettingName[]): ConnectionError {
	const ways = missing.map(
		(name) =>
			`the ${TITLES[name]} (option ${name}, or environment variable ${CONNECTION_VARIABLES[name]}, or ` +
			`\`pulumi config set ${name === "token" ? "--secret " : ""}datachain:${name}\`)`,
	);
	return new ConnectionError(`Not connected to the service: set ${ways.join(", and ")}.`, missing);
}

function checkToken(token: string): string {
	// A header takes nothing else, and a stray newline is the usual trace of a token read from a file.
	if (/^[\x21-\x7e]+$/.test(token)) return token;
	throw new ConnectionError(
		"The token cannot be used: it has a space, a line break or a character outside printable ASCII. Copy it again, without quotes or a trailing newline.",
		["token"],
	);
}

function checkTeamName(teamName: string): string {
	if (teamNameSchema.safeParse(teamName).success) return teamName;
	throw new ConnectionError(
		"The team name cannot be used: it must have 1 to 255 characters and no control characters. Use the name in the team's URL in the web UI.",
		["teamName"],
	);
}
