import { type DataChainClient, InvalidRequestError } from "../../client";
import type { Time } from "../../client/read-back";
import type { Freshness, ListMoment } from "../../operations/context";
import { countList, JOB_LIMITS, PIPELINE_LIMITS } from "../../operations/lists";
import { foldName } from "../../schemas/primitives";
import type { EndpointName } from "../../schemas/wire/endpoints";
import type { Job } from "../../schemas/wire/job";
import type { Pipeline } from "../../schemas/wire/pipeline";
import type { ScheduleItem } from "../../schemas/wire/schedule";

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

/** The list by exact names: two spellings are two schedules, as long as the service lists both. */
export const schedulesByName = perList((items: readonly ListedSchedule[]) =>
	grouped(items, nameOf),
);

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

/** A list of schedules that is asked for now. */
export interface AskedList {
	readonly team: string;
	readonly askedAt: number;
	/** As the service answers. */
	readonly items: Promise<readonly ListedSchedule[]>;
}

/**
 * Lists of a team, shared by all the calls that arrive together: a refresh of a thousand schedules costs two
 * requests, and a thousand new schedules look for their names in one list. Absence from a list is only a hint; who
 * acts on it asks directly.
 */
export function teamLists(client: DataChainClient, time: Time) {
	const scheduleListeners: ((list: AskedList) => void)[] = [];
	const readSchedules = async (team: string): Promise<readonly ListedSchedule[]> => {
		const unreadable: ListedSchedule[] = [];
		const reading = client.scoped({
			onUnreadable: ({ id, name, why }) => {
				// Without a numeric id the schedule cannot be requested.
				const listedId = typeof id === "number" ? id : -1 - unreadable.length;
				unreadable.push({ id: listedId, schedule_name: name, unreadable: why });
			},
		});
		const readable = await reading.schedules.list({ team_name: team });
		return unreadable.length > 0 ? [...readable, ...unreadable] : readable;
	};
	const fetchSchedules = (team: string): Promise<readonly ListedSchedule[]> => {
		const askedAt = time.now();
		const items = readSchedules(team);
		// They see the list before whoever asked for it goes on.
		for (const listen of scheduleListeners) listen({ team, askedAt, items });
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
		/** Tells of every list of schedules that is asked for from now on. */
		onSchedules: (listen: (list: AskedList) => void) =>
			void scheduleListeners.push(listen),
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
