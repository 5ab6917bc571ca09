import { appendFileSync } from "node:fs";
import type { EndpointName } from "../schemas/wire/endpoints";
import { ConnectionError, errorCode } from "./errors";

/** One request that was sent, or that the network kept from being sent, and how it ended. */
export interface AttemptInfo {
	readonly operation: EndpointName;
	readonly method: "GET" | "POST";
	/** Below the base URL and without the query. */
	readonly path: string;
	readonly teamName: string;
	/** From 1. */
	readonly attempt: number;
	/** Sent with the request, or the service's own if its response names one. */
	readonly requestId: string;
	/** For whom the request was sent, if a scope says it. */
	readonly resource: string | undefined;
	/** Of the response, if one came. */
	readonly status: number | undefined;
	/** Name of the error's class; undefined if the attempt succeeded. */
	readonly error: string | undefined;
	readonly durationMillis: number;
	/** What the service's clock showed, in milliseconds since 1970, if its response says it. */
	readonly serviceTime: number | undefined;
}

const LOG_VARIABLE = "DATACHAIN_LOG";
const LOG_KEY = "log";

/** Where it is looked up whether requests are logged. */
export interface LogSources {
	readonly env?: NodeJS.ProcessEnv | undefined;
	readonly config?: ((key: typeof LOG_KEY) => string | undefined) | undefined;
	/** Where lines go that no file is named for; stderr unless given. */
	readonly write?: ((line: string) => void) | undefined;
}

/**
 * What writes one line for each request, if someone asked for it: `DATACHAIN_LOG=debug` or `datachain:log` for
 * stderr, `DATACHAIN_LOG=debug:FILE` for a file. A line has no values, so no secret can be in it.
 */
export function resolveRequestLog(
	sources: LogSources = {},
): ((info: AttemptInfo) => void) | undefined {
	const text = settingOf(sources);
	if (text === "") return undefined;
	// Not undefined, or the client would ask the environment itself.
	if (text === "off") return () => {};
	const [level, ...rest] = text.split(":");
	const file = rest.join(":");
	if (level !== "debug") {
		throw new ConnectionError(
			`${LOG_VARIABLE} (or datachain:${LOG_KEY}) cannot be ${JSON.stringify(text)}: use debug for stderr, debug:FILE for a file, or off.`,
			[],
		);
	}
	const stderr = (line: string) => void process.stderr.write(line);
	const write = file === "" ? (sources.write ?? stderr) : writerTo(file);
	return (info) => write(`${logLine(info, new Date())}\n`);
}

/** Whether errors that people see show where in the code they come from: whoever logs requests looks for a fault. */
export const wantsTraces = (sources: LogSources = {}): boolean =>
	/^debug(:|$)/.test(settingOf(sources));

const settingOf = ({ env = process.env, config }: LogSources): string =>
	env[LOG_VARIABLE]?.trim() || config?.(LOG_KEY)?.trim() || "";

/** `2026-01-31T03:00:00.000Z createSchedule POST /… team=ml resource="nightly" attempt=1 status=200 12ms request=…`. */
export function logLine(info: AttemptInfo, now: Date): string {
	const {
		operation,
		method,
		path,
		teamName,
		resource,
		attempt,
		status,
		error,
		durationMillis,
	} = info;
	return [
		now.toISOString(),
		operation,
		method,
		path,
		`team=${JSON.stringify(teamName)}`,
		...(resource === undefined ? [] : [`resource=${resource}`]),
		`attempt=${attempt}`,
		`status=${status ?? "none"}`,
		...(error === undefined ? [] : [`error=${error}`]),
		`${Math.round(durationMillis)}ms`,
		`request=${info.requestId}`,
	].join(" ");
}

function writerTo(file: string): (line: string) => void {
	try {
		appendFileSync(file, "", { mode: 0o600 });
	} catch (error) {
		throw new ConnectionError(
			`${LOG_VARIABLE} names a file that cannot be written (${errorCode(error)}): ${file}. Name another, or use debug for stderr.`,
			[],
		);
	}
	let isFailing = false;
	return (line) => {
		try {
			appendFileSync(file, line);
			isFailing = false;
		} catch (error) {
			// A disk that fills up must not stop a deployment; it is said once, not for each request.
			if (!isFailing)
				process.stderr.write(
					`${LOG_VARIABLE}: lines are missing in ${file} (${errorCode(error)}).\n`,
				);
			isFailing = true;
		}
	};
}
