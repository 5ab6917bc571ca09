import {
	ApiError,
	ConnectionError,
	type ConnectionSettings,
	type ConnectionSources,
	createClient,
	type DataChainClient,
	NotAuthenticatedError,
	NotAuthorizedError,
	RateLimitedError,
	resolveConnection,
	ServerError,
	type SettingName,
} from "../../client";
import {
	CONNECTION_VARIABLES,
	checkConnection,
	type FoundSetting,
	findSettings,
	SETTING_NAMES,
	tokenForOtherService,
	WAYS,
} from "../../client/connection";
import { many } from "../../text/report";
import { type Checks, fail, ok, skip, skipAll, type Verdict, warn } from "./check";

const CHECK_NAMES: Readonly<Record<SettingName, string>> = {
	baseUrl: "url",
	token: "token",
	teamName: "team",
};

/** What can be set instead of a config or a file. */
export const VARIABLES = Object.values(CONNECTION_VARIABLES).join(", ");

/** Values that pass every check, to look at one setting at a time. */
const HARMLESS: ConnectionSettings = {
	baseUrl: "http://127.0.0.1",
	token: "x",
	teamName: "x",
};

/**
 * Each setting on its own: is it there, where from, and can it be used. The connection only if all can. Of a config that
 * could not be read nobody knows what it would set, so what only a default gives is not used: the token may be for another
 * service.
 */
export function checkSettings(
	sources: ConnectionSources,
	{ isConfigRead = true }: { readonly isConfigRead?: boolean } = {},
): {
	checks: Checks;
	connection?: ConnectionSettings;
} {
	let settings: ReturnType<typeof findSettings>;
	try {
		settings = findSettings(sources);
	} catch (error) {
		// A file of the service's own client that cannot be read is a finding like any other.
		if (!(error instanceof ConnectionError)) throw error;
		const fix = `Correct the file, or set ${VARIABLES} instead.`;
		return { checks: { login: fail(error.message, fix) } };
	}
	const { token, baseUrl } = settings;
	const elsewhere = token && tokenForOtherService(token, baseUrl);
	const verdictOn = (name: SettingName): Verdict => {
		const setting = settings[name];
		if (!isConfigRead && setting?.from !== CONNECTION_VARIABLES[name])
			return skip("It may be in the stack's config, which could not be read.");
		if (name === "token" && elsewhere) return fail(elsewhere.why, elsewhere.next);
		return checkSetting(name, setting);
	};
	const checks = Object.fromEntries(
		SETTING_NAMES.map((name) => [CHECK_NAMES[name], verdictOn(name)]),
	);
	const isUsable = Object.values(checks).every(({ status }) => status === "ok");
	return isUsable ? { checks, connection: resolveConnection(sources) } : { checks };
}

function checkSetting(name: SettingName, setting: FoundSetting | undefined): Verdict {
	if (setting === undefined) {
		const ways = `Run ${WAYS.login(name)}, or set ${WAYS.environment(name)}, or run ${WAYS.config(name)}.`;
		return fail("It is not set.", ways);
	}
	try {
		const checked = checkConnection({ ...HARMLESS, [name]: setting.value });
		return ok(
			name === "token"
				? `It is set (${setting.from}).`
				: `${checked[name]} (${setting.from})`,
		);
	} catch (error) {
		if (!(error instanceof ConnectionError)) throw error;
		return fail(error.message, correction(name, setting.from));
	}
}

function correction(name: SettingName, from: string): string {
	if (from.startsWith("config ")) return `Run ${WAYS.config(name)}.`;
	return from === CONNECTION_VARIABLES[name]
		? `Correct ${from}.`
		: `Correct it in ${from}.`;
}

/** Short: a doctor that hangs helps nobody. */
const LIMITS = {
	deadlineMillis: 15_000,
	maxWaitMillis: 15_000,
	attemptTimeoutMillis: 10_000,
	maxAttempts: 2,
};

export const SERVICE_CHECKS = ["read access", "write access", "clock"] as const;

/** What the service itself has to say: may the token read, and do the clocks agree. Only GET requests are sent. */
export async function checkService(connection: ConnectionSettings): Promise<Checks> {
	let aheadMillis: number | undefined;
	const client = createClient(connection, LIMITS).scoped({
		onAttempt: ({ serviceTime, durationMillis }) => {
			if (serviceTime !== undefined)
				aheadMillis = Date.now() - durationMillis / 2 - serviceTime;
		},
	});
	try {
		const check = await checkRead(client, connection.baseUrl);
		if (check.status !== "ok") {
			return {
				...skipAll(SERVICE_CHECKS, "Needs read access first."),
				"read access": check,
			};
		}
		return {
			"read access": check,
			"write access": NOT_TRIED,
			clock: checkClock(aheadMillis),
		};
	} finally {
		await client.close();
	}
}

/** The API has no request that tells it without being a write. */
const NOT_TRIED = skip(
	"Not checked, because only a write request shows it. `pulumi-datachain verify --pipeline NAME` tries it on a paused pipeline.",
);

async function checkRead(client: DataChainClient, baseUrl: string): Promise<Verdict> {
	try {
		// One list for each kind of thing that a program can declare or use.
		const [schedules, clusters] = await Promise.all([
			client.schedules.list(),
			client.clusters.list(),
			client.pipelines.list({ limit: 1 }),
			client.jobs.list({ limit: 1 }),
		]);
		const active = clusters.filter(({ is_active }) => is_active !== false).length;
		const counts = `${many(schedules.length, "schedule")}, pipelines, jobs, ${many(active, "active compute cluster")}`;
		const message = `Team "${client.teamName}" can be read: ${counts}.`;
		return ok(message);
	} catch (error) {
		if (!(error instanceof ApiError)) throw error;
		return fail(error.message, readFix(error, baseUrl));
	}
}

function readFix(error: ApiError, baseUrl: string): string {
	if (error instanceof NotAuthenticatedError)
		return "Create a new token on the tokens page of the web UI's settings.";
	if (error instanceof NotAuthorizedError) {
		return "Check the team's name, and that the token has read access in that team.";
	}
	if (error instanceof RateLimitedError || error instanceof ServerError)
		return "Run it again later. If that does not help, contact the operator of the service.";
	return `Check that ${baseUrl} is the service's address, and that it can be reached from here.`;
}

/** Beyond this, signatures and the times of schedules start to go wrong. */
const TOLERATED_SKEW_SECONDS = 60;

/** By how much this machine's clock is ahead, if the service reports its time. */
function checkClock(aheadMillis: number | undefined): Verdict {
	if (aheadMillis === undefined) return skip("The service does not report its time.");
	const seconds = Math.round(aheadMillis / 1000);
	if (Math.abs(seconds) <= TOLERATED_SKEW_SECONDS)
		return ok("This machine's clock agrees with the service's.");
	const skew = `${Math.abs(seconds)} s ${seconds < 0 ? "behind" : "ahead of"} the service`;
	return warn(
		`This machine's clock is ${skew}.`,
		"Set the clock, or turn on time synchronisation (NTP).",
	);
}
