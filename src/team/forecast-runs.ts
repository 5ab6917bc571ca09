import {
	clockChanges,
	DAY_MS,
	isValidCron,
	MINUTE_MS,
	offsetAt,
	parseCron,
	runsOf,
} from "../cron";
import { showInstant } from "../text/instant";

const HOUR_MS = 60 * MINUTE_MS;

/** The items of each key, in their order. Node has it as Map.groupBy from version 21 on. */
export function groupBy<Item, Key>(
	items: readonly Item[],
	keyOf: (item: Item) => Key,
): Map<Key, [Item, ...Item[]]> {
	const groups = new Map<Key, [Item, ...Item[]]>();
	for (const item of items) {
		const group = groups.get(keyOf(item));
		if (group === undefined) groups.set(keyOf(item), [item]);
		else group.push(item);
	}
	return groups;
}

/** A span of time: from one instant to just before another. */
interface Span {
	readonly from: number;
	readonly to: number;
}

/** The time that is looked at, and when: what was to happen before `now` has passed, whatever the window. */
export interface ForecastWindow extends Span {
	readonly now: number;
}

export const windowOf = (from: number, days: number, now = from): ForecastWindow => ({
	from,
	to: from + days * DAY_MS,
	now,
});

/** When a schedule runs: by an expression in UTC from its start on, or once, at its start. */
export interface Times {
	/** Null for one that runs once, and if it is not known. */
	readonly cron: string | null;
	/** Milliseconds since 1970. */
	readonly startAfter: number | undefined;
}

/** Calls `visit` with every run of a schedule in the window, in their order. */
export function eachRunOf(
	{ cron, startAfter }: Times,
	{ from, to }: Span,
	visit: (at: number) => void,
): void {
	if (cron === null) {
		if (startAfter !== undefined && startAfter >= from && startAfter < to)
			visit(startAfter);
	} else if (isValidCron(cron)) {
		for (const at of runsOf(parseCron(cron), Math.max(from, startAfter ?? 0), to))
			visit(at);
	}
}

/** The number of a day's weekday; 1970 began on a Thursday, and weeks begin on Monday. */
const weekdayOf = (day: number): number => (day + 3) % 7;

/** The cell of the heat map for what clocks show. */
const cellOf = (local: number): number =>
	weekdayOf(Math.floor(local / DAY_MS)) * 24 + (Math.floor(local / HOUR_MS) % 24);

/** What the clocks of a zone show at an instant of the window, as if that were UTC. */
function localClock(zone: string, { from, to }: Span): (at: number) => number {
	const first = offsetAt(zone, from) * MINUTE_MS;
	const changes = clockChanges(zone, from, to);
	if (changes.length === 0) return (at) => at + first;
	return (at) => {
		let offset = first;
		for (const change of changes) {
			if (change.at > at) break;
			offset = change.offset * MINUTE_MS;
		}
		return at + offset;
	};
}

const BUSIEST = 5;
/** Hours of a zone begin on one of these: no offset from UTC is finer. */
const GRID_MS = 15 * MINUTE_MS;
const WEEK_MS = 7 * DAY_MS;

/** Whether hours of the week occur more than once. */
const isLong = ({ from, to }: Span): boolean => to - from > WEEK_MS;

/** Counts runs by each hour and day of the window, and by weekday and hour, on the clocks of one zone. */
export function heatMap(window: Span, zone: string) {
	const toLocal = localClock(zone, window);
	const origin = window.from - (toLocal(window.from) % HOUR_MS);
	const sums = new Uint32Array(7 * 24);
	const hours = new Uint32Array((window.to - origin) / GRID_MS + 1);
	/** The cell of each hour. A daylight-saving change may lie within the hour, so it is noted with the run. */
	const cells = new Uint8Array(hours.length);
	const firstDay = Math.floor(toLocal(window.from) / DAY_MS);
	const days = new Uint32Array((window.to - window.from) / DAY_MS + 2);
	const add = (at: number): void => {
		const local = toLocal(at);
		const [cell, day] = [cellOf(local), Math.floor(local / DAY_MS) - firstDay];
		const hour = (at - (local % HOUR_MS) - origin) / GRID_MS;
		sums[cell] = (sums[cell] ?? 0) + 1;
		hours[hour] = (hours[hour] ?? 0) + 1;
		cells[hour] = cell;
		days[day] = (days[day] ?? 0) + 1;
	};
	/** The most of each kind; in a week there is one of each, and what the window cuts in two belongs together. */
	const most = (
		counts: Uint32Array,
		kinds: number,
		kindOf: (index: number) => number,
	): number[] => {
		const largest = new Array<number>(kinds).fill(0);
		for (const [index, runs] of counts.entries()) {
			const kind = kindOf(index);
			const before = largest[kind] ?? 0;
			largest[kind] = isLong(window) ? Math.max(before, runs) : before + runs;
		}
		return largest;
	};
	const rows = (all: ArrayLike<number>): number[][] =>
		Array.from({ length: 7 }, (_, day) =>
			Array.from(all).slice(day * 24, day * 24 + 24),
		);
	return {
		add,
		/** Monday first, 24 hours each. */
		sums: () => rows(sums),
		busiestByHour: () => rows(most(hours, 7 * 24, (index) => cells[index] ?? 0)),
		busiestByDay: () => most(days, 7, (index) => weekdayOf(firstDay + index)),
		busiestHours: (): { at: string; runs: number }[] =>
			Array.from(hours, (runs, index) => ({ at: origin + index * GRID_MS, runs }))
				.filter(({ runs }) => runs > 0)
				.sort((a, b) => b.runs - a.runs || a.at - b.at)
				.slice(0, BUSIEST)
				.map(({ at, runs }) => ({ at: showInstant(at), runs })),
	};
}
