import { ConnectionError, type ConnectionSettings, type ConnectionSources, type SettingName } from "../api";
import {
	CONNECTION_VARIABLES,
	checkConnection,
	type FoundSetting,
	findSettings,
	tokenElsewhere,
	WAYS,
} from "../api/connection";
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
	const { baseUrl, token, teamName } = findSettings(sources);
	const elsewhere = token && tokenElsewhere(token, baseUrl);
	const checks = [
		checkSetting("baseUrl", baseUrl),
		elsewhere ? fail(CHECK_NAMES.token, elsewhere.why, elsewhere.next) : checkSetting("token", token),
		checkSetting("teamName", teamName),
	];
	if (checks.some(({ status }) => status === "fail") || !token || !teamName) return { checks };
	const settings = { baseUrl: baseUrl.value, token: token.value, teamName: teamName.value };
	return { checks, connection: checkConnection(settings) };
}

function checkSetting(name: SettingName, found: FoundSetting | undefined): Check {
	const title = CHECK_NAMES[name];
	if (found === undefined) {
		const ways = `Run ${WAYS.login(name)}, or set ${WAYS.environment(name)}, or run ${WAYS.config(name)}.`;
		return fail(title, "It is not set.", ways);
	}
	try {
		const checked = checkConnection({ ...HARMLESS, [name]: found.value });
		return ok(title, name === "token" ? `It is set (${found.from}).` : `${checked[name]} (${found.from})`);
	} catch (error) {
		if (!(error instanceof ConnectionError)) throw error;
		return fail(title, error.message, correction(name, found.from));
	}
}

function correction(name: SettingName, from: string): string {
	if (from.startsWith("config ")) return `Run ${WAYS.config(name)}.`;
	return from === CONNECTION_VARIABLES[name] ? `Correct ${from}.` : `Correct it in ${from}.`;
}
