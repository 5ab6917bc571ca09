import { DAY_MS, MINUTE_MS, offsetAt as offsetOf } from "../../cron/time-zones";
import { embedded, followed } from "./store";

export { lengthWords, many } from "../../text/report";
export { messageOf, visible } from "../../text/wording";

/** The clocks that can be chosen: those of the file, UTC as everywhere in the service, and this machine's. */
const ZONES = [
	...new Set([
		embedded?.zone ?? "UTC",
		"UTC",
		Intl.DateTimeFormat().resolvedOptions().timeZone,
	]),
];
let zone = ZONES[0] ?? "UTC";
const { use: useChosen, changed } = followed(() => zone);

/** The clocks by which times are shown, and what changes to the next. */
export function useZone(): [string, () => void] {
	const chosen = useChosen();
	const change = () => {
		zone = ZONES[(ZONES.indexOf(zone) + 1) % ZONES.length] ?? "UTC";
		changed();
	};
	return [chosen, change];
}

export const HOUR = 60 * MINUTE_MS;
export const DAY = DAY_MS;

// UTC needs no search, and every cell of a table that scrolls asks.
const offsetAt = (at: number): number =>
	zone === "UTC" ? 0 : offsetOf(zone, at) * MINUTE_MS;

/** What the chosen clocks show, as if that were UTC. */
export const shownClock = (at: number): number => at + offsetAt(at);

/** The instant at which the chosen clocks show this; if they skip it, the one at which they do. */
export function instantOfClock(clock: number): number {
	const instant = clock - offsetAt(clock - offsetAt(clock));
	return shownClock(instant) < clock ? clock - offsetAt(instant) : instant;
}

/** `2026-11-17 02:30`. */
export const dateTime = (at: number): string =>
	new Date(shownClock(at)).toISOString().slice(0, 16).replace("T", " ");
export const clockTime = (at: number): string => dateTime(at).slice(11);
export const dayOf = (at: number): string => dateTime(at).slice(0, 10);

const WEEKDAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
export const weekday = (at: number): string =>
	WEEKDAYS[new Date(shownClock(at)).getUTCDay()] ?? "";

/** `02:30`, `Tue 02:30` within a week, else with its date. */
export function shortTime(at: number, now: number): string {
	if (dayOf(at) === dayOf(now)) return clockTime(at);
	return Math.abs(at - now) < 6 * DAY
		? `${weekday(at)} ${clockTime(at)}`
		: dateTime(at).slice(5);
}
