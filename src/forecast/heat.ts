import { clockChanges, offsetAt } from "../schemas/time-zone";
import { DAY_MS, type ForecastWindow, HOUR_MS, iso, MINUTE_MS } from "./window";

const BUSIEST = 5;

/** Counts runs by weekday and hour, and by each hour of the window, on the clocks of one zone. */
export function heatMap(window: ForecastWindow, zone: string) {
	const toLocal = localClock(zone, window);
	const firstHour = Math.floor(window.from / HOUR_MS);
	const cells = new Uint32Array(7 * 24);
	const hours = new Uint32Array(Math.ceil(window.to / HOUR_MS) - firstHour + 1);
	return {
		add: (at: number): void => {
			const cell = cellOf(toLocal(at));
			cells[cell] = (cells[cell] ?? 0) + 1;
			const hour = Math.floor(at / HOUR_MS) - firstHour;
			hours[hour] = (hours[hour] ?? 0) + 1;
		},
		/** Monday first, 24 hours each. */
		rows: (): number[][] =>
			Array.from({ length: 7 }, (_, day) => [...cells.subarray(day * 24, day * 24 + 24)]),
		busiest: (): { at: string; runs: number }[] =>
			[...hours]
				.map((runs, index) => ({ runs, at: (firstHour + index) * HOUR_MS }))
				.filter(({ runs }) => runs > 0)
				.sort((a, b) => b.runs - a.runs || a.at - b.at)
				.slice(0, BUSIEST)
				.map(({ runs, at }) => ({ at: iso(at), runs })),
	};
}

/** The number of a day's weekday; 1970 began on a Thursday, and weeks begin on Monday. */
export const weekdayOf = (day: number): number => (day + 3) % 7;

/** The cell of the heat map for what clocks show. */
export const cellOf = (local: number): number =>
	weekdayOf(Math.floor(local / DAY_MS)) * 24 + (Math.floor(local / HOUR_MS) % 24);

/** What the clocks of a zone show at an instant of the window, as if that were UTC. */
export function localClock(
	zone: string,
	{ from, to }: Pick<ForecastWindow, "from" | "to">,
): (at: number) => number {
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
