import type { ConnectionSettings } from "../../src/client";
import type { LocalServer } from "../../src/server";
import { ownNames } from "../../src/verify/own-names";
import type { Result } from "../../src/verify/report";
import {
	type Finished,
	prepare,
	runChecks,
	type VerifyOptions,
	type Watcher,
} from "../../src/verify/run";

export const NAMES = ownNames("0123456789ab");

/** The pipeline of the seeded team that is paused. */
export const PAUSED = "quiet-harbor";

const nothing = () => {};
const SILENT: Watcher = {
	begins: nothing,
	checked: nothing,
	onRemovalBegins: nothing,
	onRemovalEnds: nothing,
	beforeWriting: nothing,
};

type Running = Pick<LocalServer, "url" | "token" | "teamName">;

export const connectionTo = ({
	url,
	token,
	teamName,
}: Running): ConnectionSettings => ({
	baseUrl: `${url}/api`,
	token,
	teamName,
});

/** Of a run with the checks that write, without the patience of a real one. */
const optionsFor = (
	connection: ConnectionSettings,
	more: Partial<VerifyOptions> = {},
): VerifyOptions => ({
	...{ baseUrl: connection.baseUrl, connection, signal: new AbortController().signal },
	...{ pipeline: PAUSED, names: NAMES, patienceMillis: 400 },
	...more,
});

/** What comes before the first check. */
export const prepared = (server: Running) => prepare(optionsFor(connectionTo(server)));

/** Every check. */
export async function verified(
	connection: ConnectionSettings,
	more: Partial<VerifyOptions> = {},
): Promise<Finished> {
	const options = optionsFor(connection, more);
	const start = await prepare(options);
	try {
		return await runChecks(options, start, SILENT);
	} finally {
		await start.service?.close();
	}
}

/** Ids of those with this verdict. */
export const idsOf = (
	results: readonly Result[],
	verdict: Result["verdict"],
): string[] =>
	results.filter((result) => result.verdict === verdict).map(({ id }) => id);
