import { type DataChainClient, InvalidRequestError, isMissing, NotAuthorizedError } from "../api";
import type { Time } from "../api/read-back";
import { foldName } from "../schemas/primitives";
import type { Job } from "../schemas/wire/job";
import type { Pipeline } from "../schemas/wire/pipeline";
import type { ScheduleItem } from "../schemas/wire/schedule";
import type { Claims } from "./claims";
import type { Call } from "./context";

/** All calls of a burst share one list, so an index of it is built once per list. */
export function perList<List extends object, Made>(make: (list: List) => Made): (list: List) => Made {
	const known = new WeakMap<List, Made>();
	return (list) => {
		const made = known.get(list) ?? make(list);
		known.set(list, made);
		return made;
	};
}

/**
 * The limits of the pipeline list to ask for, until the service accepts one: its highest is not known, its default is 20.
 * A list of that length may be cut, so it proves no absence.
 */
const PIPELINE_LIMITS = [10_000, 1_000, 100, 20] as const;

/** How many of the newest jobs are searched for one of ours. */
const JOB_LIMITS = [500, 100, 20] as const;

/** Long enough for the pauses between the calls of one deployment, short enough that no call acts on old data. */
const BURST_MILLIS = 3_000;
/** The longest time that successive reads share one list. */
const LONGEST_READ_MILLIS = 120_000;

/** A schedule of the list. A malformed row still has a name, and `unreadable` says what is wrong with it. */
export interface ListedSchedule extends ScheduleItem {
	readonly unreadable?: string;
}

/** One that the service shows without a name has an empty one. */
export const nameOf = ({ schedule_name }: Pick<ScheduleItem, "schedule_name">): string => schedule_name ?? "";

const byFoldedName = perList((items: readonly ListedSchedule[]) =>
	grouped(items, (item) => foldName(nameOf(item))),
);

/** The schedules of exactly this name; if there are none, those of another spelling of it, which take the name too. */
export function namesakesIn(items: readonly ListedSchedule[], name: string): readonly ListedSchedule[] {
	const spelled = byFoldedName(items).get(foldName(name)) ?? [];
	const exact = spelled.filter(({ schedule_name }) => schedule_name === name);
	return exact.length > 0 ? exact : spelled;
}

export function grouped<T>(
	items: readonly T[],
	keyOf: (item: T) => string,
): ReadonlyMap<string, readonly T[]> {
	const found = new Map<string, T[]>();
	for (const item of items) {
		const list = found.get(keyOf(item));
		if (list) list.push(item);
		else found.set(keyOf(item), [item]);
	}
	return found;
}

export type TeamLists = ReturnType<typeof teamLists>;

/**
 * Lists of a team, shared by all the calls that arrive together: a refresh of a thousand schedules costs two
 * requests, and a thousand new schedules look for their names in one list. Absence from a list is only a hint; who
 * acts on it asks directly.
 */
export function teamLists(client: DataChainClient, time: Time, onSchedules: (list: SeenList) => void) {
	const fetchSchedules = async (team: string): Promise<readonly ListedSchedule[]> => {
		const askedAt = time.now();
		const unreadable: ListedSchedule[] = [];
		const reading = client.scoped({
			onUnreadable: ({ id, name, why }) => {
				// Without a numeric id the schedule cannot be requested.
				const known = typeof id === "number" ? id : -1 - unreadable.length;
				unreadable.push({ id: known, schedule_name: name, unreadable: why });
			},
		});
		const readable = await reading.schedules.list({ team_name: team });
		const items = unreadable.length > 0 ? [...readable, ...unreadable] : readable;
		onSchedules({ team, askedAt, items });
		return items;
	};
	const cut = new WeakSet<readonly unknown[]>();
	/** Asks for as many as the service accepts, from the first refusal on with a lower limit. */
	const limited = <T>(
		all: readonly number[],
		list: (team_name: string, limit: number) => Promise<readonly T[]>,
	) => {
		const limits = [...all];
		const fetch = async (team: string): Promise<readonly T[]> => {
			const [limit = 0] = limits;
			try {
				const found = await list(team, limit);
				if (found.length >= limit) cut.add(found);
				return found;
			} catch (error) {
				if (!(error instanceof InvalidRequestError) || limits.length === 1) throw error;
				// Another call may have been refused meanwhile.
				if (limits[0] === limit) limits.shift();
				return fetch(team);
			}
		};
		return fetch;
	};
	const fetchPipelines = limited<Pipeline>(PIPELINE_LIMITS, (team_name, limit) =>
		client.pipelines.list({ team_name, limit }),
	);
	const fetchJobs = limited<Job>(JOB_LIMITS, (team_name, limit) => client.jobs.list({ team_name, limit }));
	const clusters = new SharedList(time, (team) => client.clusters.list({ team_name: team }));
	const schedules = new SharedList(time, fetchSchedules);
	const pipelines = new SharedList(time, fetchPipelines);
	const jobs = new SharedList(time, fetchJobs);
	const newPipelines = new Set<string>();
	return {
		/** Whether there may be more than the list has. */
		isCut: (list: readonly unknown[]): boolean => cut.has(list),
		/** Compute clusters; no request of ours changes them. */
		clusters: clusters.get,
		schedules: schedules.get,
		pipelines: pipelines.get,
		/** The newest ones only. */
		jobs: jobs.get,
		/** Notes a pipeline that is new, so that a replica which lags behind may miss it. */
		noteNew: (team: string, name: string) => void newPipelines.add(JSON.stringify([team, name])),
		isNew: (team: string, name: string): boolean => newPipelines.has(JSON.stringify([team, name])),
		/** The context calls it after each write to the team, so that no list for reads is older than the write. */
		drop(team: string): void {
			for (const list of [schedules, pipelines, jobs]) list.drop(team);
		},
	};
}

/** How old a list may be. Who acts on a status that it shows must verify it afterwards. */
export type Freshness =
	/** Shared by reads that follow each other, and never older than the last write of ours. */
	| "shared"
	/** Of up to three seconds ago; our own writes may be missing. */
	| "recent"
	| "now";

interface Entry<T> {
	readonly loadedAt: number;
	usedAt: number;
	isDropped: boolean;
	readonly value: Promise<readonly T[]>;
}

/** One list per team, loaded once for all who ask in one burst. */
class SharedList<T> {
	private readonly entries = new Map<string, Entry<T>>();

	constructor(
		private readonly time: Time,
		private readonly load: (team: string) => Promise<readonly T[]>,
	) {}

	readonly get = (team: string, how: Freshness = "shared"): Promise<readonly T[]> => {
		const now = this.time.now();
		const known = this.entries.get(team);
		if (how === "now") return this.load(team);
		if (known && this.isFresh(known, how, now)) {
			known.usedAt = now;
			return known.value;
		}
		const entry = { loadedAt: now, usedAt: now, isDropped: false, value: this.load(team) };
		this.entries.set(team, entry);
		entry.value.then(
			// The time of the request itself does not count as a pause.
			() => {
				entry.usedAt = this.time.now();
			},
			// The next reader must not get a failed list.
			() => {
				if (this.entries.get(team) === entry) this.entries.delete(team);
			},
		);
		return entry.value;
	};

	private isFresh({ loadedAt, usedAt, isDropped }: Entry<T>, how: Freshness, now: number): boolean {
		if (how === "recent") return now - loadedAt < BURST_MILLIS;
		return !isDropped && now - usedAt < BURST_MILLIS && now - loadedAt < LONGEST_READ_MILLIS;
	}

	drop(team: string): void {
		const known = this.entries.get(team);
		if (known) known.isDropped = true;
	}
}

interface Made {
	readonly team: string;
	readonly name: string;
	readonly id: number;
	readonly at: number;
}

/** A list as the service answered it, with the moment at which it was asked for. */
export interface SeenList {
	readonly team: string;
	readonly askedAt: number;
	readonly items: readonly ListedSchedule[];
}

/** The list by exact names: two spellings are two schedules, as long as the service lists both. */
export const byName = perList((items: readonly ListedSchedule[]) => grouped(items, nameOf));
const idsIn = perList((items: readonly ListedSchedule[]) => new Set(items.map(({ id }) => id)));

/** How long the watch may go without a list. Longer than new schedules share one, so those will usually do. */
const WATCH_MILLIS = 4_000;

/**
 * Searches every list for a second schedule of a name that this run created. The service accepts one, so two simultaneous
 * deployments can both create it, and then both schedules run the pipeline.
 */
export class DuplicateWatch {
	private readonly made = new Map<number, Made & { readonly folded: string }>();
	private readonly found = new Map<string, string>();
	private readonly absent = new Set<string>();
	private lookedAt = Number.NEGATIVE_INFINITY;

	constructor(private readonly claims: Claims) {}

	add(made: Made): void {
		this.made.set(made.id, { ...made, folded: foldName(made.name) });
	}

	/** The schedule that this run created under the name, in any spelling. */
	madeAs(team: string, name: string): Made | undefined {
		const folded = foldName(name);
		return [...this.made.values()].find((made) => made.team === team && made.folded === folded);
	}

	/** No longer watched: it was deleted. */
	forget(id: number): void {
		this.made.delete(id);
	}

	/** True if no list was looked through for a while, so that one must be asked for. */
	isDue(now: number): boolean {
		return now - this.lookedAt >= WATCH_MILLIS;
	}

	look({ team, askedAt, items }: SeenList): void {
		if (this.made.size === 0) return;
		this.lookedAt = Math.max(this.lookedAt, askedAt);
		const named = byName(items);
		for (const made of this.made.values()) {
			if (made.team !== team || made.at > askedAt) continue;
			if (!idsIn(items).has(made.id)) this.absent.add(`"${made.name}" (id ${made.id})`);
			for (const { id, created_by } of named.get(made.name) ?? []) {
				if (id === made.id || !this.isForeign(team, id)) continue;
				const by = created_by?.username ?? "an unknown user";
				const ids = `id ${made.id} by this deployment, id ${id} by ${by}`;
				this.found.set(`${made.id} ${id}`, `schedule "${made.name}" in team "${team}" (${ids})`);
			}
		}
	}

	/** Schedules that this run created and a later list does not show; each is told once. */
	takeAbsent(): string[] {
		const names = [...this.absent];
		this.absent.clear();
		return names;
	}

	/** Undefined if there is no duplicate. */
	problem(): string | undefined {
		if (this.found.size === 0) return undefined;
		return (
			`Created twice: ${[...this.found.values()].join("; ")}. Another user or deployment created a schedule of the same ` +
			"name at the same time, and each of them runs the pipeline. Delete the one that is not wanted in the web UI, then run " +
			'"pulumi up" again.'
		);
	}

	private isForeign(team: string, id: number): boolean {
		return this.claims.of({ kind: "PipelineSchedule", team, id: String(id) }).is === "foreign";
	}
}

// ── The id of an import ─────────────────────────────────────────────────────────────────────────────────────────────

interface Place {
	readonly team: string;
	readonly name: string;
	readonly pipeline: Pipeline;
}

/**
 * The pipeline that an import's id means: `team/name`, cut at each slash because both may have one, or a name in the
 * connection's team. A team that the service does not show to this token is only a wrong reading of the id.
 */
export async function findByImportId(
	call: Call,
	id: string,
	find: (team: string, name: string) => Promise<Pipeline | undefined>,
): Promise<Place | undefined> {
	const slashes = [...id.matchAll(/\//g)].map(({ index }) => index);
	const cuts = slashes.map((at) => [id.slice(0, at), id.slice(at + 1)] as const);
	const failures: unknown[] = [];
	const at = async ([team, name]: readonly [string, string]): Promise<Place[]> => {
		try {
			const pipeline = await find(team, name);
			return pipeline === undefined ? [] : [{ team, name, pipeline }];
		} catch (error) {
			if (!(error instanceof NotAuthorizedError || isMissing(error))) throw error;
			failures.push(error);
			return [];
		}
	};
	const named = (await Promise.all(cuts.filter((parts) => !parts.includes("")).map(at))).flat();
	const found = named.length > 0 ? named : await at([call.teamName, id]);
	if (found.length === 0 && failures.length > 0) throw failures[0];
	if (found.length < 2) return found[0];
	const list = found.map(({ team, name }) => `"${name}" in team "${team}"`).join(", ");
	throw new Error(
		`"${id}" is the id of several pipelines: ${list}. Set DATACHAIN_STUDIO_TEAM to the team that you mean, and give the name ` +
			"of the pipeline alone.",
	);
}
