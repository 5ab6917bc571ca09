import { remembering } from "../text/remember";
import { closest } from "../text/suggest";

export const DAY_MS = 86_400_000;
export const MINUTE_MS = 60_000;

const formatOf = remembering(
	(zone) =>
		new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset" }),
);

/** True for a name of the IANA database. Fixed offsets such as `+01:00`, which some versions of Node read, are none. */
export function isTimeZone(zone: string): boolean {
	if (!/^[A-Za-z]/.test(zone)) return false;
	try {
		formatOf(zone);
		return true;
	} catch {
		return false;
	}
}

/** How many minutes the clocks of a zone are ahead of UTC at an instant. */
export function offsetAt(zone: string, millis: number): number {
	const [, sign, hours, minutes] =
		/GMT([+-])(\d\d):(\d\d)/.exec(formatOf(zone).format(millis)) ?? [];
	return (sign === "-" ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0));
}

/** An instant from which the clocks of a zone show another offset. */
export interface ClockChange {
	readonly at: number;
	/** Minutes ahead of UTC from then on. */
	readonly offset: number;
}

/** The changes of a zone's clocks after one instant and up to another, in their order. */
export function clockChanges(zone: string, from: number, to: number): ClockChange[] {
	const changes: ClockChange[] = [];
	let offset = offsetAt(zone, from);
	// No zone has changed its clocks twice within a day.
	for (let day = from; day < to; day += DAY_MS) {
		const end = Math.min(day + DAY_MS, to);
		const then = offsetAt(zone, end);
		if (then !== offset)
			changes.push({ at: changeBetween(zone, day, end, offset), offset: then });
		offset = then;
	}
	return changes;
}

function changeBetween(zone: string, from: number, to: number, before: number): number {
	let [low, high] = [Math.floor(from / MINUTE_MS), Math.ceil(to / MINUTE_MS)];
	while (high - low > 1) {
		const middle = Math.floor((low + high) / 2);
		if (offsetAt(zone, middle * MINUTE_MS) === before) low = middle;
		else high = middle;
	}
	return high * MINUTE_MS;
}

/** Names that were probably meant: those of the same city, or else the nearest. `Berlin` and `Europe/Berln` → `Europe/Berlin`. */
function suggestTimeZones(text: string): string[] {
	const wanted = text.trim().replace(/\s+/g, "_");
	const nameOf = (zone: string) => zone.toLowerCase().split("/").at(-1);
	const ofAbbreviation = ABBREVIATIONS[wanted.toUpperCase()];
	if (ofAbbreviation !== undefined) return [ofAbbreviation];
	const zones = Intl.supportedValuesOf("timeZone");
	const ofCity = zones.filter((zone) => nameOf(zone) === nameOf(wanted));
	return ofCity.length > 0
		? ofCity
		: [closest(wanted.slice(0, 100), zones) ?? []].flat();
}

/** Abbreviations that are no names of the database, by a place whose clocks show them. */
const ABBREVIATIONS: Readonly<Record<string, string>> = {
	CEST: "Europe/Berlin",
	EEST: "Europe/Helsinki",
	BST: "Europe/London",
	EDT: "America/New_York",
	CDT: "America/Chicago",
	MDT: "America/Denver",
	PDT: "America/Los_Angeles",
};

const HOURS = [
	"",
	"one",
	"two",
	"three",
	"four",
	"five",
	"six",
	"seven",
	"eight",
	"nine",
	"ten",
	"eleven",
	"twelve",
];

/** `UTC+2`, `+02:00`: the zones of the database that have an offset all year are named with the opposite sign. */
function offsetProblem(text: string): string | undefined {
	const [, sign, hours, minutes = "00"] =
		/^(?:UTC|GMT)?([+-])(\d{1,2}):?(\d{2})?$/i.exec(text.trim()) ?? [];
	if (sign === undefined) return undefined;
	const count = Number(hours);
	const words = minutes === "00" ? HOURS[count] : undefined;
	const place =
		'is an offset from UTC: use the name of a place, such as "Europe/Berlin", which follows daylight saving';
	return `${JSON.stringify(text)} ${place}, or ${fixedZone(sign === "+", count, words)}`;
}

function fixedZone(isAhead: boolean, hours: number, words: string | undefined): string {
	if (words === undefined) return "write the cron expression in UTC, without timeZone";
	if (hours === 0) return '"Etc/UTC"';
	const length = `${words} ${hours === 1 ? "hour" : "hours"}`;
	return `"Etc/GMT${isAhead ? "-" : "+"}${hours}", which is ${length} ${isAhead ? "ahead of" : "behind"} UTC all year`;
}

/** Why a text is no time zone, with what was probably meant; undefined if it is one. */
export function timeZoneProblem(text: string): string | undefined {
	if (isTimeZone(text)) return undefined;
	const inOffset = offsetProblem(text);
	if (inOffset !== undefined) return inOffset;
	const meant = suggestTimeZones(text).map((zone) => `"${zone}"`);
	const hint = meant.length > 0 ? ` Did you mean ${meant.join(" or ")}?` : "";
	return `there is no time zone ${JSON.stringify(text.slice(0, 100))}: use a name of the IANA database, such as "Europe/Berlin".${hint}`;
}
