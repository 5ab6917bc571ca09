import { createColors } from "picocolors";
import { moment, plain } from "../report/plain";
import { type Colors, sectionText } from "../report/section-text";
import type { ForecastReport } from "./report";
import { headline, sectionsOf } from "./sections";

export const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/** Each says more: told apart without colour, and on a screen reader by its number. */
const SHADES = [" ·", " ░", " ▒", " ▓", " █"];

/** Rows of a section shown before "and N more". */
const MOST_ROWS = 20;

/** The forecast for a person at a terminal. */
export function renderText(report: ForecastReport, { color }: { color: boolean }): string {
	const colors = createColors(color);
	return [
		colors.bold(plain(headline(report), 300)),
		"",
		...heatLines(report, colors),
		"",
		...busiestLines(report),
		"",
		...sectionsOf(report).flatMap((section) => sectionText(section, colors, colors.yellow, MOST_ROWS)),
		...report.notes.map((note) => colors.dim(plain(note, 400))),
		"",
	].join("\n");
}

function heatLines({ heat, timeZone }: ForecastReport, colors: Colors): string[] {
	const most = Math.max(1, ...heat.flat());
	const paints = [colors.dim, colors.green, colors.cyan, colors.yellow, colors.red];
	const cell = (count: number) => {
		const shade = shadeOf(count, most);
		return (paints[shade] ?? colors.dim)(SHADES[shade] ?? "");
	};
	const scale = legend(most).map(({ shade, runs }) => `${SHADES[shade]?.trim()} ${runs}`);
	const hours = Array.from({ length: 24 }, (_, hour) => (hour % 3 === 0 ? String(hour).padStart(2) : "  "));
	return [
		`     ${hours.join("")}  (${timeZone})`,
		...heat.map((row, day) => {
			const sum = row.reduce((a, b) => a + b, 0).toLocaleString("en-US");
			return `${WEEKDAYS[day]}  ${row.map(cell).join("")}  ${colors.dim(sum.padStart(9))}`;
		}),
		colors.dim(`     ${scale.join("  ")} runs an hour`),
	];
}

/** 0 for none, then quarters of the most. */
export const shadeOf = (count: number, most: number): number =>
	count === 0 ? 0 : Math.min(4, Math.ceil((count / most) * 4));

/** What each shade stands for; a small number of runs needs few of them. */
export function legend(most: number): { shade: number; runs: string }[] {
	const shades = [1, 2, 3, 4].flatMap((shade) => {
		const [from, to] = [Math.floor(((shade - 1) / 4) * most) + 1, Math.floor((shade / 4) * most)];
		return from > to ? [] : [{ shade, runs: from === to ? String(to) : `${from}–${to}` }];
	});
	return [{ shade: 0, runs: "0" }, ...shades];
}

function busiestLines({ busiestHours }: ForecastReport): string[] {
	if (busiestHours.length === 0) return ["Nothing runs in this time."];
	const hours = busiestHours.map(({ at, runs }) => `${moment(at)} (${runs.toLocaleString("en-US")})`);
	return [`Busiest hours: ${hours.join(", ")}`];
}
