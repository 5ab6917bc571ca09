import { list } from "../some-of";

const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MOST_TIMES = 4;
const NTH = ["first", "second", "third", "fourth", "fifth"];

/**
 * The usual expressions in few words: "every 5 minutes", "every day at 03:00 UTC", "Monday to Friday at 09:00 and 17:00
 * UTC". Undefined for the others. `text` is in the short form of a canonical expression.
 */
export function wordsFor(text: string, zone: string): string | undefined {
	const [minute = "", hour = "", date = "", month = "", weekday = ""] = text.split(" ");
	if (month !== "*") return undefined;
	if (date === "*" && weekday === "*" && hour === "*") return everyHour(minute, zone);
	if (date === "*" && weekday === "*" && minute === "0" && /^\*\/\d+$/.test(hour)) {
		return `every ${hour.slice(2)} hours from 00:00 ${zone}`;
	}
	const times = timesOf(minute, hour);
	const days = times && daysOf(date, weekday);
	return days && `${days} at ${list(times)} ${zone}`;
}

/** Without a zone, except where it matters: some clocks are half an hour apart. */
function everyHour(minute: string, zone: string): string | undefined {
	if (minute === "*") return "every minute";
	const where = zone === "UTC" ? "" : ` ${zone}`;
	if (/^\*\/\d+$/.test(minute)) return inSteps(Number(minute.slice(2)), where);
	if (minute === "0") return `every hour${where && ` on the hour of ${zone}`}`;
	return /^\d+$/.test(minute) ? `every hour at :${minute.padStart(2, "0")}${where}` : undefined;
}

/** A step that does not divide the hour begins anew with each: `*\/40` runs at :00 and :40. */
function inSteps(step: number, where: string): string {
	if (60 % step === 0) return `every ${step} minutes`;
	const minutes = Array.from({ length: Math.ceil(60 / step) }, (_, at) => String(at * step));
	if (minutes.length > MOST_TIMES) return `every ${step} minutes from :00 of every hour${where}`;
	return `every hour at ${list(minutes.map((minute) => `:${minute.padStart(2, "0")}`))}${where}`;
}

function timesOf(minute: string, hour: string): string[] | undefined {
	if (!/^[\d,]+$/.test(minute) || !/^[\d,]+$/.test(hour)) return undefined;
	const two = (value: string) => value.padStart(2, "0");
	const times = hour.split(",").flatMap((h) => minute.split(",").map((m) => `${two(h)}:${two(m)}`));
	return times.length > MOST_TIMES ? undefined : times;
}

function daysOf(date: string, weekday: string): string | undefined {
	if (date === "*" && weekday === "*") return "every day";
	if (date === "*") return weekdayWords(weekday);
	if (weekday !== "*") return undefined;
	if (date === "L") return "the last day of every month";
	if (!/^\d+(,\d+)*$/.test(date)) return undefined;
	return `the ${list(date.split(",").map(ordinal))} of every month`;
}

function weekdayWords(weekday: string): string | undefined {
	const name = (day: string | undefined) => WEEKDAYS[Number(day)] ?? "";
	const [, from, to] = /^(\d)-(\d)$/.exec(weekday) ?? [];
	if (from !== undefined) return `${name(from)} to ${name(to)}`;
	const [, counted, nth] = /^(\d)#(\d)$/.exec(weekday) ?? [];
	if (counted !== undefined) return `the ${NTH[Number(nth) - 1]} ${name(counted)} of every month`;
	const last = /^L(\d)$/.exec(weekday)?.[1];
	if (last !== undefined) return `the last ${name(last)} of every month`;
	return /^\d(,\d)*$/.test(weekday) ? `every ${list(weekday.split(",").map(name))}` : undefined;
}

function ordinal(date: string): string {
	const tens = date.length === 2 && date.startsWith("1");
	const ending = tens ? "th" : ({ 1: "st", 2: "nd", 3: "rd" }[Number(date.at(-1))] ?? "th");
	return `${date}${ending}`;
}
