import { onTestFinished } from "vitest";
import {
	type LocalServer,
	manualClock,
	type ServerOptions,
	startServer,
} from "../../src/server";
import { emptyTeam, type TeamState } from "../../src/server/state";
import { serverWith } from "./board-team";

export type Api = ReturnType<typeof apiOf>;

/** A server with a still clock that ends with the test. */
export async function testServer(options: ServerOptions = {}) {
	const server = await startServer({
		clock: manualClock("2026-01-01T00:00:00Z"),
		jobStepMillis: 1_000,
		...options,
	});
	onTestFinished(() => server.close());
	return { ...server, api: apiOf(server) };
}

/** Plain requests below /api/datachain, without any client of ours. */
export function apiOf(server: Pick<LocalServer, "url" | "token">) {
	const base = `${server.url}/api/datachain`;
	return {
		get: (path: string) => send(`${base}${path}`, { headers: bearer(server.token) }),
		post: (path: string, body?: unknown) =>
			send(`${base}${path}`, {
				method: "POST",
				headers: { ...bearer(server.token), "Content-Type": "application/json" },
				...(body === undefined
					? {}
					: { body: typeof body === "string" ? body : JSON.stringify(body) }),
			}),
	};
}

export const bearer = (token: string): Record<string, string> => ({
	Authorization: `Bearer ${token}`,
});

/** A reply; `json` is undefined where the body is none. */
export async function send(url: string, init: RequestInit = {}) {
	const response = await fetch(url, { signal: AbortSignal.timeout(20_000), ...init });
	const text = await response.text();
	const json = parsed(text);
	/** What is at a dotted path of the JSON, `pipeline.job_runs.0.name`; undefined where there is nothing. */
	const at = (path: string): unknown =>
		path
			.split(".")
			.reduce(
				(found, key) => Object.getOwnPropertyDescriptor(Object(found), key)?.value,
				json,
			);
	/** The same, where it has to be text. */
	const textAt = (path: string): string => {
		const found = at(path);
		if (typeof found !== "string")
			throw new Error(`${response.status} reply has no text at ${path}: ${text}`);
		return found;
	};
	return { status: response.status, headers: response.headers, text, json, at, textAt };
}

function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

/** Waits for something that happens by itself soon; fails when it does not. */
export async function eventually<T>(
	look: () => Promise<T | undefined> | T | undefined,
	within = 10_000,
): Promise<T> {
	const end = Date.now() + within;
	for (;;) {
		const found = await look();
		if (found !== undefined && found !== false) return found;
		if (Date.now() > end) throw new Error(`It did not happen within ${within} ms.`);
		await new Promise((resolve) => setTimeout(resolve, 20));
	}
}

/** A server whose team has these records, without a request for each; it ends with the test. */
export async function seededServer(
	records: Partial<Omit<TeamState, "name">>,
	{ now = Date.now(), ...options }: ServerOptions & { now?: number } = {},
): Promise<LocalServer> {
	const server = await serverWith({ ...emptyTeam("vision"), ...records }, now, options);
	onTestFinished(() => server.close());
	return server;
}
