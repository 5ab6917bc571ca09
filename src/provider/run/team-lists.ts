import { type DataChainClient, InvalidRequestError } from "../../client";
import type { Time } from "../../client/read-back";
import type { Freshness, ListMoment } from "../../operations/context";
import { countList, JOB_LIMITS, PIPELINE_LIMITS } from "../../operations/lists";
import { foldName } from "../../schemas/primitives";
import type { EndpointName } from "../../schemas/wire/endpoints";
import type { Job } from "../../schemas/wire/job";
import type { Pipeline } from "../../schemas/wire/pipeline";
import type { ScheduleItem } from "../../schemas/wire/schedule";
import type { ObjectRef, Owners } from "./owners";

/** All calls of a burst share one list, so an index of it is built once per list. */
export function perList<List extends object, Made>(
	make: (list: List) => Made,
): (list: List) => Made {
	const indexes = new WeakMap<List, Made>();
	return (list) => {
		const made = indexes.get(list) ?? make(list);
		indexes.set(list, made);
		return made;
	};
}

/** Long enough for the pauses between the calls of one deployment, short enough that no call acts on old data. */
const BURST_MILLIS = 3_000;
/** The longest time that successive reads share one list. */
const LONGEST_READ_MILLIS = 120_000;

/** A schedule of the list. A malformed row still has a name, and `unreadable` says what is wrong with it. */
export interface ListedSchedule extends ScheduleItem {
	readonly unreadable?: string;
}

/** The first of each key, as a search from the list's start would find it. */
const firstBy = <T, Key>(keyOf: (item: T) => Key) =>
	perList((items: readonly T[]): ReadonlyMap<Key, T> => {
		const byKey = new Map<Key, T>();
		for (const item of items) if (!byKey.has(keyOf(item))) byKey.set(keyOf(item), item);
		return byKey;
	});

export const schedulesById = firstBy(({ id }: ListedSchedule) => id);
export const firstPipelinesByName = firstBy(({ name }: Pipeline) => name);
export const pipelinesById = firstBy(({ pipeline_id }: Pipeline) => pipeline_id);

/** Pipelines by the schedule that ran them, the newest first. */
export const runsBySchedule = perList((pipelines: readonly Pipeline[]) =>
	grouped(
		[...pipelines].sort((a, b) =>
			(b.created_at ?? "").localeCompare(a.created_at ?? ""),
		),
		({ schedule_name }) => schedule_name,
	),
);

/** One that the service shows without a name has an empty one. */
export const nameOf = ({
	schedule_name,
}: Pick<ScheduleItem, "schedule_name">): string => schedule_name ?? "";

const byFoldedName = perList((items: readonly ListedSchedule[]) =>
	grouped(items, (item) => foldName(nameOf(item))),
);

/** The schedules of exactly this name; if there are none, those of another spelling of it, which take the name too. */
export function namesakesIn(
	items: readonly ListedSchedule[],
	name: string,
): readonly ListedSchedule[] {
	const spelled = byFoldedName(items).get(foldName(name)) ?? [];
	const exact = spelled.filter(({ schedule_name }) => schedule_name === name);
	return exact.length > 0 ? exact : spelled;
}

export function grouped<T, Key>(
	items: readonly T[],
	keyOf: (item: T) => Key,
): ReadonlyMap<Key, readonly T[]> {
	const groups = new Map<Key, T[]>();
	for (const item of items) {
		const list = groups.get(keyOf(item));
		if (list) list.push(item);
		else groups.set(keyOf(item), [item]);
	}
	return groups;
}

export type TeamLists = ReturnType<typeof teamLists>;

/**
 * Lists of a team, shared by all the calls that arrive together: a refresh of a thousand schedules costs two
 * requests, and a thousand new schedules look for their names in one list. Absence from a list is only a hint; who
 * acts on it asks directly.
 */
export function teamLists(client: DataChainClient, time: Time, watch: DuplicateWatch) {
	const fetchSchedules = async (team: string): Promise<readonly ListedSchedule[]> => {
		const askedAt = time.now();
		const request = watch.asked(team, askedAt);
		const unreadable: ListedSchedule[] = [];
		const reading = client.scoped({
			onUnreadable: ({ id, name, why }) => {
				// Without a numeric id the schedule cannot be requested.
				const listedId = typeof id === "number" ? id : -1 - unreadable.length;
				unreadable.push({ id: listedId, schedule_name: name, unreadable: why });
			},
		});
		const list = reading.schedules.list({ team_name: team });
		list.catch(() => request.failed());
		const readable = await list;
		const items = unreadable.length > 0 ? [...readable, ...unreadable] : readable;
		watch.look({ team, askedAt, items });
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
				const items = await list(team, limit);
				if (items.length >= limit) cut.add(items);
				return items;
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
	const fetchJobs = limited<Job>(JOB_LIMITS, (team_name, limit) =>
		client.jobs.list({ team_name, limit }),
	);
	const clusters = new SharedList(time, (team) =>
		client.clusters.list({ team_name: team }),
	);
	const schedules = new SharedList(time, fetchSchedules);
	const pipelines = new SharedList(time, fetchPipelines);
	const jobs = new SharedList(time, fetchJobs);
	const others = new Map<EndpointName, SharedList<unknown>>();
	const newPipelines = new Set<string>();
	return {
		/** Whether there may be more than the list has. */
		isTruncated: (list: readonly unknown[]): boolean => cut.has(list),
		/** Compute clusters; no request of ours changes them. */
		clusters: clusters.get,
		schedules: schedules.get,
		pipelines: pipelines.get,
		/** The newest ones only. */
		jobs: jobs.get,
		/** The list of a kind that has none above, by the endpoint that shows it. */
		of<Item>(endpoint: EndpointName, load: (team: string) => Promise<readonly Item[]>) {
			const list = others.get(endpoint) ?? new SharedList<unknown>(time, load);
			others.set(endpoint, list);
			return list.get as SharedList<Item>["get"];
		},
		/** Notes a pipeline that is new, so that a replica which lags behind may miss it. */
		noteNew: (team: string, name: string) =>
			void newPipelines.add(JSON.stringify([team, name])),
		isNew: (team: string, name: string): boolean =>
			newPipelines.has(JSON.stringify([team, name])),
		/** The context calls it after each write to the team, so that no list for reads is older than the write. */
		drop(team: string): void {
			for (const list of [schedules, pipelines, jobs, ...others.values()])
				list.drop(team);
		},
	};
}

interface Entry<T> {
	readonly loadedAt: number;
	/** It was the list of this number. */
	readonly number: number;
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

	/** A list of this freshness, or one that was asked for after the moment and is recent. */
	readonly get = (
		team: string,
		how: Freshness | ListMoment = "shared",
	): Promise<readonly T[]> => {
		const now = this.time.now();
		const current = this.entries.get(team);
		if (current && this.isFresh(current, how, now)) {
			current.usedAt = now;
			return current.value;
		}
		const number = countList();
		const value = this.load(team);
		if (how === "now") return value;
		const entry = { loadedAt: now, number, usedAt: now, isDropped: false, value };
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

	private isFresh(entry: Entry<T>, how: Freshness | ListMoment, now: number): boolean {
		const { loadedAt, usedAt, isDropped, number } = entry;
		if (how === "now") return false;
		if (how === "recent") return now - loadedAt < BURST_MILLIS;
		if (how !== "shared") return number > how.asked && now - loadedAt < BURST_MILLIS;
		return (
			!isDropped && now - usedAt < BURST_MILLIS && now - loadedAt < LONGEST_READ_MILLIS
		);
	}

	drop(team: string): void {
		const current = this.entries.get(team);
		if (current) current.isDropped = true;
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

const nameKey = ({
	team,
	name,
}: {
	readonly team: string;
	readonly name: string;
}): string => JSON.stringify([team, foldName(name)]);

/** The list by exact names: two spellings are two schedules, as long as the service lists both. */
export const byName = perList((items: readonly ListedSchedule[]) =>
	grouped(items, nameOf),
);

/** A schedule of the name of one that this run created. */
interface Namesake {
	readonly object: ObjectRef;
	readonly createdAt: string | null | undefined;
}

const refOf = (team: string, id: number): ObjectRef => ({
	kind: "PipelineSchedule",
	team,
	id: String(id),
});

/** How long creates may follow each other without a list. Longer than new schedules share one, so those will usually do. */
const WATCH_MILLIS = 4_000;
/** The same for the last create of several that ran side by side: no later one will look for it. */
const LAST_MILLIS = 1_000;

/**
 * Searches every list for a second schedule of a name that this run created. The service accepts one, so two simultaneous
 * deployments can both create it, and then both schedules run the pipeline.
 */
export class DuplicateWatch {
	private readonly made = new Map<number, Made>();
	/** The ids of those that were made, by team and name in any spelling. */
	private readonly idsByName = new Map<string, Set<number>>();
	private readonly duplicates = new Map<string, Namesake & { readonly text: string }>();
	private readonly absent = new Set<string>();
	/** By team: the resources that are being created now. */
	private readonly creating = new Map<string, Set<string>>();
	/** By team: when the first schedule was made, and when each list since then was asked for. */
	private readonly looks = new Map<
		string,
		{ readonly firstAt: number; readonly askedAt: Set<number> }
	>();

	constructor(private readonly owners: Owners) {}

	/** A resource is being created. */
	begin(team: string, urn: string): void {
		const urns = this.creating.get(team) ?? new Set();
		this.creating.set(team, urns.add(urn));
	}

	/** It was created, or that failed. May be called again. */
	end(team: string, urn: string): void {
		this.creating.get(team)?.delete(urn);
	}

	add(made: Made): void {
		const { team, id, at } = made;
		this.made.set(id, made);
		const key = nameKey(made);
		const ids = this.idsByName.get(key) ?? new Set();
		this.idsByName.set(key, ids.add(id));
		if (!this.looks.has(team))
			this.looks.set(team, { firstAt: at, askedAt: new Set() });
	}

	/** The schedule that this run created under the name, in any spelling. */
	madeAs(team: string, name: string): Made | undefined {
		const [id] = this.idsByName.get(nameKey({ team, name })) ?? [];
		return id === undefined ? undefined : this.made.get(id);
	}

	/** No longer watched: it was deleted. */
	forget(id: number): void {
		const made = this.made.get(id);
		if (made === undefined) return;
		this.made.delete(id);
		this.idsByName.get(nameKey(made))?.delete(id);
	}

	/**
	 * True if a list must be asked for now: creates have followed each other for a while without one, or no other create of the
	 * team is under way that would ask for it.
	 */
	isDue(team: string, now: number): boolean {
		const looks = this.looks.get(team);
		if (looks === undefined) return false;
		const isLast = (this.creating.get(team)?.size ?? 0) === 0;
		const askedAt = Math.max(...looks.askedAt);
		if (isLast) return now - askedAt >= LAST_MILLIS;
		return now - Math.max(askedAt, looks.firstAt) >= WATCH_MILLIS;
	}

	/** A list is asked for. Those that come meanwhile need no other, unless it fails. */
	asked(team: string, at: number): { failed(): void } {
		const looks = this.looks.get(team);
		looks?.askedAt.add(at);
		return { failed: () => void looks?.askedAt.delete(at) };
	}

	look({ team, askedAt, items }: SeenList): void {
		if (this.made.size === 0) return;
		const named = byName(items);
		for (const made of this.made.values()) {
			if (made.team !== team || made.at > askedAt) continue;
			if (!schedulesById(items).has(made.id))
				this.absent.add(`"${made.name}" (id ${made.id})`);
			for (const { id, created_by, created_at } of named.get(made.name) ?? []) {
				const object = refOf(team, id);
				if (id === made.id || !this.owners.isForeign(object)) continue;
				const by = created_by?.username ?? "an unknown user";
				const ids = `id ${made.id} by this deployment, id ${id} by ${by}`;
				const text = `schedule "${made.name}" in team "${team}" (${ids})`;
				this.duplicates.set(`${made.id} ${id}`, {
					object,
					createdAt: created_at,
					text,
				});
			}
		}
	}

	/** Schedules that this run created and a later list does not show; each is told once. */
	takeAbsent(): string[] {
		const names = [...this.absent];
		this.absent.clear();
		return names;
	}

	/** The duplicates. One that was deleted since, which a list may still show, is none. */
	namesakes(): (Namesake & { readonly text: string })[] {
		return [...this.duplicates.values()].filter(
			({ object }) => !this.owners.isReleased(object),
		);
	}

	/** Undefined if there is no duplicate. */
	problem(): string | undefined {
		const namesakes = this.namesakes();
		if (namesakes.length === 0) return undefined;
		return (
			`Created twice: ${namesakes.map(({ text }) => text).join("; ")}. Another user or deployment created a schedule of the same ` +
			"name at the same time, and each of them runs the pipeline. Delete one of the two in the web UI, then run " +
			'"pulumi up" again.'
		);
	}
}
