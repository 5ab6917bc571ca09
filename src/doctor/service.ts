import {
	ApiError,
	type ConnectionSettings,
	createClient,
	type DataChainClient,
	NotAuthenticatedError,
	NotAuthorizedError,
	NotFoundError,
} from "../api";
import { limitsOf } from "../api/options";
import { createTransport } from "../api/transport";
import { endpoints } from "../schemas/endpoints";
import { type Check, fail, ok, skip, warn } from "./result";

/** Short: a doctor that hangs helps nobody. */
const LIMITS = { deadlineMillis: 15_000, attemptTimeoutMillis: 10_000, maxAttempts: 2 };

export const SERVICE_CHECKS = ["read access", "write access", "clock"] as const;

/** What the service itself has to say: may the token read, may it write, do the clocks agree. */
export async function checkService(connection: ConnectionSettings): Promise<Check[]> {
	const client = createClient(connection, LIMITS);
	try {
		const { check, ids } = await checkRead(client, connection);
		if (check.status !== "ok") {
			return [check, ...SERVICE_CHECKS.slice(1).map((name) => skip(name, "Needs read access first."))];
		}
		return [check, await checkWrite(client, connection, ids), await checkClock(connection)];
	} finally {
		await client.close();
	}
}

async function checkRead(
	client: DataChainClient,
	{ teamName, baseUrl }: ConnectionSettings,
): Promise<{ check: Check; ids: number[] }> {
	try {
		const schedules = await client.schedules.list();
		const many = `${schedules.length} schedule${schedules.length === 1 ? "" : "s"}`;
		return {
			check: ok("read access", `Team "${teamName}" can be read: ${many}.`),
			ids: schedules.map(({ id }) => id),
		};
	} catch (error) {
		if (!(error instanceof ApiError)) throw error;
		return { check: fail("read access", error.message, readFix(error, baseUrl)), ids: [] };
	}
}

function readFix(error: ApiError, baseUrl: string): string {
	if (error instanceof NotAuthenticatedError) return "Make a new token on the tokens page of the web UI.";
	if (error instanceof NotAuthorizedError) {
		return "Check the team's name, and that the token has read access to the JOB scope.";
	}
	return `Check that ${baseUrl} is the service's address, and that it can be reached from here.`;
}

/**
 * Ids of database rows count from 1, so that no schedule can have this one; and it fits any column, so that it is no
 * reason for a failure of its own.
 */
const IMPOSSIBLE_ID = 0;

/**
 * Asks to delete a schedule that cannot exist. A service that refuses the token says 403; one that gets as far as
 * looking for the schedule (404), or finds fault with the id (400, 422), has let the token pass. One that looks before
 * it checks the token would answer 404 to a token without write access; without writing that cannot be told apart.
 */
async function checkWrite(
	client: DataChainClient,
	{ teamName }: ConnectionSettings,
	ids: readonly number[],
): Promise<Check> {
	const name = "write access";
	const allowed = ok(name, `The token may write in team "${teamName}" (asked without writing).`);
	if (ids.includes(IMPOSSIBLE_ID)) {
		return skip(
			name,
			`There is a schedule with id ${IMPOSSIBLE_ID}, so that it cannot be asked without writing.`,
		);
	}
	try {
		await client.schedules.delete({ schedule_id: IMPOSSIBLE_ID });
		return allowed;
	} catch (error) {
		if (!(error instanceof ApiError)) throw error;
		if (error instanceof NotAuthorizedError) {
			return warn(
				name,
				`The token may not write in team "${teamName}": previews, lookups and drift work, \`pulumi up\` does not.`,
				"Use a token with write access to the JOB scope to deploy.",
			);
		}
		const passed = error instanceof NotFoundError ? error.fromService : PASSED.includes(error.status ?? 0);
		if (passed) return allowed;
		return warn(name, `It could not be found out: ${error.message}`, "Run the check again.");
	}
}

const PASSED = [200, 400, 409, 422];

/** Beyond this, signatures and the times of schedules start to go wrong. */
const TOLERATED_SKEW_SECONDS = 60;

async function checkClock({ baseUrl, token, teamName }: ConnectionSettings): Promise<Check> {
	const name = "clock";
	const transport = createTransport(baseUrl, token, limitsOf(LIMITS));
	try {
		const before = Date.now();
		const reply = await transport.exchange({
			method: "GET",
			target: `${endpoints.listSchedules.path}?team_name=${encodeURIComponent(teamName)}`,
			headers: {},
			signal: AbortSignal.timeout(LIMITS.deadlineMillis),
		});
		const here = (before + Date.now()) / 2;
		const there = Date.parse(String(reply.headers.date));
		if (Number.isNaN(there)) return skip(name, "The service does not say what time it has.");
		const seconds = Math.round((here - there) / 1000);
		const skew = `${Math.abs(seconds)} s ${seconds < 0 ? "behind" : "ahead of"} the service`;
		if (Math.abs(seconds) <= TOLERATED_SKEW_SECONDS)
			return ok(name, "This machine's clock agrees with the service's.");
		return warn(
			name,
			`This machine's clock is ${skew}.`,
			"Set the clock, or turn on time synchronisation (NTP).",
		);
	} catch {
		return skip(name, "The service did not answer a second time.");
	} finally {
		await transport.close();
	}
}
