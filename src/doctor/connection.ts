import { ConnectionError, type ConnectionSettings, type ConnectionSources, type SettingName } from "../api";
import { CONNECTION_VARIABLES, checkConnection } from "../api/connection";
import { type Check, fail, ok } from "./result";

const CHECK_NAMES: Readonly<Record<SettingName, string>> = {
	baseUrl: "url",
	token: "token",
	teamName: "team",
};

/** Values that pass every check, to look at one setting at a time. */
const HARMLESS: ConnectionSettings = { baseUrl: "http://127.0.0.1", token: "x", teamName: "x" };

/** Each setting on its own: is it there, where from, and can it be used. The connection only where all can. */
export function checkSettings(sources: ConnectionSources): {
	checks: Check[];
	connection?: ConnectionSettings;
} {
	const env = sources.env ?? process.env;
	const found = (["baseUrl", "token", "teamName"] as const).map((name) => {
		const variable = CONNECTION_VARIABLES[name];
		const fromEnvironment = env[variable]?.trim() ? env[variable] : undefined;
		const value = fromEnvironment ?? sources.config?.(name);
		const from = fromEnvironment === undefined ? `config datachain:${name}` : variable;
		return { name, value, check: checkSetting(name, value, from) };
	});
	const checks = found.map(({ check }) => check);
	if (checks.some(({ status }) => status === "fail")) return { checks };
	const settings = Object.fromEntries(found.map(({ name, value }) => [name, value ?? ""]));
	return { checks, connection: checkConnection({ ...HARMLESS, ...settings }) };
}

function checkSetting(name: SettingName, value: string | undefined, from: string): Check {
	const title = CHECK_NAMES[name];
	const setConfig = `\`pulumi config set ${name === "token" ? "--secret " : ""}datachain:${name}\``;
	if (value === undefined || value.trim() === "") {
		return fail(title, "It is not set.", `Set ${CONNECTION_VARIABLES[name]}, or run ${setConfig}.`);
	}
	try {
		const checked = checkConnection({ ...HARMLESS, [name]: value });
		return ok(title, name === "token" ? `It is set (${from}).` : `${checked[name]} (${from})`);
	} catch (error) {
		if (!(error instanceof ConnectionError)) throw error;
		const variable = CONNECTION_VARIABLES[name];
		return fail(title, error.message, from === variable ? `Correct ${variable}.` : `Run ${setConfig}.`);
	}
}
