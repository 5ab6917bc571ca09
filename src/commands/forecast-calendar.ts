import { createHash } from "node:crypto";
import { DAY_MS } from "../cron";
import { plain } from "../report/report";
import type { ForecastReport, ScheduleForecast } from "./forecast-report";
import { groupBy } from "./forecast-runs";

/** Runs of a schedule a day that a calendar shows one by one; more become one entry a day. */
const MOST_ENTRIES_A_DAY = 24;

/** The runs as a calendar (RFC 5545). Entries keep their ids from one forecast to the next, so that a calendar updates them. */
export function renderIcs(report: ForecastReport): string {
	const stamp = instant(report.madeAt);
	const entries = report.schedules.flatMap((schedule) => entriesOf(schedule, stamp));
	return [
		"BEGIN:VCALENDAR",
		"VERSION:2.0",
		"PRODID:-//pulumi-datachain//forecast//EN",
		"CALSCALE:GREGORIAN",
		`NAME:${escaped(`DataChain runs of ${report.stack ?? report.teams.join(", ")}`)}`,
		...entries,
		"END:VCALENDAR",
		"",
	]
		.map(folded)
		.join("\r\n");
}

function entriesOf(schedule: ScheduleForecast, stamp: string): string[] {
	const byDay = groupBy(schedule.runs ?? [], (run) => run.slice(0, 10));
	return [...byDay].flatMap(([day, runs]) =>
		runs.length > MOST_ENTRIES_A_DAY
			? entry(schedule, stamp, day, dayTimes(day), `${schedule.name}: ${runs.length} runs`)
			: runs.flatMap((run) =>
					entry(schedule, stamp, run, [`DTSTART:${instant(run)}`, "DURATION:PT1M"], schedule.name),
				),
	);
}

function dayTimes(day: string): string[] {
	const date = (millis: number) => new Date(millis).toISOString().slice(0, 10).replaceAll("-", "");
	const start = Date.parse(`${day}T00:00:00Z`);
	return [`DTSTART;VALUE=DATE:${date(start)}`, `DTEND;VALUE=DATE:${date(start + DAY_MS)}`];
}

function entry(
	schedule: ScheduleForecast,
	stamp: string,
	when: string,
	times: string[],
	title: string,
): string[] {
	const { team, name, id, pipeline, cron, meaning } = schedule;
	// Duplicates have one name; their ids tell them apart.
	const uid = createHash("sha256")
		.update([team, name, id ?? "", when].join("\0"))
		.digest("hex")
		.slice(0, 32);
	const what = [
		`Pipeline ${pipeline ?? "unknown"} of team ${team}`,
		...(cron === null ? [] : [`${cron} (${meaning ?? ""})`]),
	];
	return [
		"BEGIN:VEVENT",
		`UID:${uid}@pulumi-datachain`,
		`DTSTAMP:${stamp}`,
		...times,
		`SUMMARY:${escaped(title)}`,
		`DESCRIPTION:${escaped(what.join("; "))}`,
		"TRANSP:TRANSPARENT",
		"END:VEVENT",
	];
}

/** `20260131T030000Z`. */
const instant = (iso: string): string => `${iso.slice(0, 19).replace(/[-:]/g, "")}Z`;

const escaped = (text: string): string => plain(text, 300).replace(/[\\;,]/g, (char) => `\\${char}`);

/** Lines have at most 75 octets; a longer one goes on after a line break and a space. */
function folded(line: string): string {
	let [text, octets] = ["", 0];
	for (const char of line) {
		const size = Buffer.byteLength(char);
		if (octets + size > 75) [text, octets] = [`${text}\r\n `, 1];
		text += char;
		octets += size;
	}
	return text;
}
