import { useLayoutEffect, useMemo, useState } from "preact/hooks";
import {
	type Answer,
	type Embedded,
	type Facts,
	type FutureRuns,
	KEY_HEADER,
	type LogPart,
	NO_FACTS,
	type PipelineRow,
	type Rows,
} from "../../team/snapshot";
import { messageOf } from "../../text/wording";

/** A value outside the components. One that calls `use` is drawn again when `changed` is called and the value differs. */
export function followed<Value>(read: () => Value): { use(): Value; changed(): void } {
	const listeners = new Set<() => void>();
	return {
		use: () => {
			const [value, set] = useState(read);
			useLayoutEffect(() => {
				const look = () => set(read);
				// It may have changed between the drawing and now.
				look();
				listeners.add(look);
				return () => void listeners.delete(look);
			}, []);
			return value;
		},
		changed: () => {
			for (const listener of listeners) listener();
		},
	};
}

/** How often the page asks its own server, which asks the service far less often. */
const POLL_MILLIS = 5_000;

/** What the file holds; null if there is a server behind the page. */
export const embedded = JSON.parse(
	document.getElementById("embedded")?.textContent ?? "null",
) as Embedded | null;

/** The page's own server answers at once, whatever the service does; one that does not has stopped or hangs. */
const ANSWER_MILLIS = 15_000;

const key = new URLSearchParams(location.search).get("key") ?? "";

/** Asks the page's own server. */
async function ask<T>(path: string, signal: AbortSignal | null = null): Promise<T> {
	const reply = await fetch(path, {
		headers: { [KEY_HEADER]: key },
		cache: "no-store",
		signal,
	});
	if (!reply.ok)
		throw new Error(
			`the board answered ${reply.status}: ${(await reply.text()).slice(0, 200)}`,
		);
	return (await reply.json()) as T;
}

/** What the page knows, and what follows from it. */
export interface Data extends Facts {
	readonly lists: Rows;
	readonly pipelineById: ReadonlyMap<string, PipelineRow>;
	/** Runs of each schedule, by its name, newest first. */
	readonly runsOf: ReadonlyMap<string, readonly PipelineRow[]>;
	/** The pipeline that each job belongs to, by the job's id. */
	readonly pipelineOfJob: ReadonlyMap<string, PipelineRow>;
	/** Why the page's own server cannot be asked; null if it can. */
	readonly lost: string | null;
}

/** What is known before the first answer. */
let data: Data = {
	...NO_FACTS,
	...derived({ schedules: [], pipelines: [], jobs: [], clusters: [], attention: [] }),
	lost: null,
};
let revision = "";
const { use: useData, changed } = followed(() => data);

export { useData };

function tell(news: Partial<Data>): void {
	data = { ...data, ...news };
	changed();
}

function apply({ rows, revision: newest, ...facts }: Answer): void {
	revision = newest;
	const isSame = Object.keys(rows).length === 0;
	tell({ ...facts, ...(!isSame && derived({ ...data.lists, ...rows })), lost: null });
}

function derived(lists: Rows) {
	const runsOf = new Map<string, PipelineRow[]>();
	const pipelineOfJob = new Map<string, PipelineRow>();
	for (const pipeline of lists.pipelines) {
		for (const { job } of pipeline.steps)
			if (job !== null) pipelineOfJob.set(job, pipeline);
		if (pipeline.schedule === null) continue;
		const runs = runsOf.get(pipeline.schedule);
		if (runs === undefined) runsOf.set(pipeline.schedule, [pipeline]);
		else runs.push(pipeline);
	}
	for (const runs of runsOf.values())
		runs.sort((a, b) => (b.start ?? 0) - (a.start ?? 0));
	const pipelineById = new Map(
		lists.pipelines.map((pipeline) => [pipeline.id, pipeline]),
	);
	return { lists, runsOf, pipelineOfJob, pipelineById };
}

let timer = 0;

async function poll(): Promise<void> {
	clearTimeout(timer);
	const isFirst = revision === "";
	try {
		const path = `board/data?since=${encodeURIComponent(revision)}`;
		if (!document.hidden) apply(await ask(path, AbortSignal.timeout(ANSWER_MILLIS)));
	} catch (error) {
		const isSilent = error instanceof DOMException && error.name === "TimeoutError";
		tell({
			lost: isSilent ? `no answer in ${ANSWER_MILLIS / 1_000} s` : messageOf(error),
		});
	}
	clearTimeout(timer);
	// What the first answer did not wait for follows soon.
	timer = setTimeout(poll, isFirst ? 1_000 : POLL_MILLIS);
}

/** Starts with what the file holds, or asks until the page is closed. */
export function start(): void {
	if (embedded !== null) {
		apply(embedded.answer);
		return;
	}
	document.addEventListener("visibilitychange", () => {
		if (!document.hidden) void poll();
	});
	void poll();
}

export const askFuture = async (from: number, to: number): Promise<FutureRuns> =>
	embedded === null
		? ask(`board/future?from=${from}&to=${to}`)
		: (embedded.future ?? { from, to, runs: {}, isTruncated: false });

export const askLog = (job: string, from: number): Promise<LogPart> =>
	ask(`board/log?job=${encodeURIComponent(job)}&from=${from}`);

// ── Where the page is ──

/** Where the page is: `#/pipeline/ID?q=text`. Every view, with its search, filters and order, has an address. */
interface Route {
	readonly view: string;
	readonly argument: string;
	readonly params: URLSearchParams;
}

/** An address may have been typed, or cut off. */
function decoded(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}

function readRoute(): Route {
	const [path = "", query = ""] = location.hash.replace(/^#/, "").split("?");
	const [, view, argument = ""] = path.split("/");
	return {
		view: view || embedded?.views[0] || "attention",
		argument: decoded(argument),
		params: new URLSearchParams(query),
	};
}

const { use: useHash, changed: moved } = followed(() => location.hash);
addEventListener("hashchange", moved);

export function useRoute(): Route {
	const hash = useHash();
	return useMemo(readRoute, [hash]);
}

/** Sets parameters of the address; an empty one goes. Typing in a search field is no step to go back to. */
export function setParams(values: Readonly<Record<string, string>>): void {
	const { view, argument, params } = readRoute();
	for (const [name, value] of Object.entries(values)) {
		if (value === "") params.delete(name);
		else params.set(name, value);
	}
	const query = params.size > 0 ? `?${params}` : "";
	history.replaceState(
		undefined,
		"",
		`#/${view}${argument && `/${encodeURIComponent(argument)}`}${query}`,
	);
	moved();
}
