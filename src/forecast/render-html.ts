import { renderPage } from "../report/page";
import { many, moment } from "../report/plain";
import { cellHtml, cellsHtml, code, type Html, headsHtml, sectionHtml, text } from "../report/section-html";
import { type CalendarDayView, pageDays } from "./page-days";
import { SCRIPT } from "./page-script";
import { STYLE } from "./page-style";
import { legend, shadeOf, WEEKDAYS } from "./render-text";
import { type ForecastReport, SCHEDULE_STATUSES, type ScheduleForecast } from "./report";
import { cronCell, headline, neverRuns, sectionsOf } from "./sections";

const WORDS: Readonly<Record<ScheduleForecast["status"], string>> = {
	runs: "runs",
	later: "runs later",
	paused: "paused",
	never: "never runs again",
	unreadable: "cannot be read",
};

/** The forecast as one accessible page that works offline. */
export function renderHtml(report: ForecastReport): Html {
	const { days, presence } = pageDays(report);
	const sections = sectionsOf(report).filter(({ rows }) => rows.length > 0);
	return renderPage({
		title: `Forecast: ${many(report.summary.runs, "run")}`,
		heading: "What will run when",
		lines: [
			headline(report),
			`Made at ${moment(report.madeAt)}. Days and hours are those of ${report.timeZone}.`,
		],
		body: [
			tiles(report),
			heatMap(report),
			calendar(days),
			...sections.map(sectionHtml),
			scheduleTable(report.schedules.map((each) => scheduleRow({ ...each, ...presence(each) }))),
			...report.notes.map((note) => `<p>${text(note)}</p>`),
		].join("\n"),
		style: STYLE,
		script: SCRIPT,
	});
}

function tiles({ summary, clusters, schedules }: ForecastReport): Html {
	const over = clusters.filter(({ minutesOver }) => minutesOver > 0).length;
	const tile = (kind: string, count: number, label: string) =>
		`<li class="${count > 0 ? kind : "none"}"><b>${count.toLocaleString("en-US")}</b>${label}</li>`;
	return `<ul class="tiles">${[
		tile("", summary.runs, "runs"),
		tile("", summary.schedules, "schedules"),
		tile("bad", summary.overlapping, "overlap themselves"),
		tile("bad", over, "clusters asked too much"),
		tile("odd", schedules.filter(neverRuns).length, "never run again"),
		tile("odd", summary.paused, "paused"),
	].join("")}</ul>`;
}

function heatMap({ heat, timeZone }: ForecastReport): Html {
	const most = Math.max(1, ...heat.flat());
	const hours = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, "0"));
	const cell = (count: number, day: number, hour: number) => {
		const label = `${WEEKDAYS[day]} ${hours[hour]}:00, ${many(count, "run")}`;
		const shown = count > 9_999 ? `${Math.round(count / 1_000)}k` : String(count);
		return `<td><button type="button" class="s${shadeOf(count, most)}" data-cell="${day * 24 + hour}" aria-pressed="false" aria-label="${label}">${count === 0 ? "·" : shown}</button></td>`;
	};
	const rows = heat.map(
		(row, day) =>
			`<tr><th scope="row">${WEEKDAYS[day]}</th>${row.map((count, hour) => cell(count, day, hour)).join("")}</tr>`,
	);
	const scale = legend(most).map(({ runs }) => runs);
	return `<section id="heat"><h2>Runs by weekday and hour</h2>
<p>${text(`Hours of ${timeZone}. Choose an hour to see its schedules below; arrow keys move. Shades: ${scale.join(", ")} runs.`)}</p>
<div class="scroll"><table class="heat"><thead><tr><td></td>${headsHtml(hours)}</tr></thead>
<tbody>${rows.join("\n")}</tbody></table></div></section>`;
}

function calendar(days: readonly CalendarDayView[]): Html {
	const cells = [
		...Array.from({ length: days[0]?.weekday ?? 0 }, () => "<td></td>"),
		...days.map((day, index) => dayCell(day, index)),
	];
	while (cells.length % 7 !== 0) cells.push("<td></td>");
	const weeks = Array.from({ length: cells.length / 7 }, (_, week) => cells.slice(week * 7, week * 7 + 7));
	return `<section id="calendar"><h2>Calendar</h2>
<p>Choose a day to see its schedules below.</p>
<div class="scroll"><table class="calendar"><thead><tr>${headsHtml(WEEKDAYS)}</tr></thead>
<tbody>${weeks.map((week) => `<tr>${week.join("")}</tr>`).join("\n")}</tbody></table></div></section>`;
}

function dayCell({ date, runs, entries, more }: CalendarDayView, index: number): Html {
	const lines = entries.map(({ when, name }) => `<li title="${text(name)}">${when} ${code(name)}</li>`);
	const rest = more > 0 ? [`<li>and ${more.toLocaleString("en-US")} more</li>`] : [];
	return `<td><button type="button" data-day="${index}" aria-pressed="false">${date}</button> ${text(many(runs, "run"))}<ul>${[...lines, ...rest].join("")}</ul></td>`;
}

const HEADS = ["Schedule", "Pipeline", "Team", "Cron", "Status", "Runs", "Next run"];

function scheduleTable(rows: readonly Html[]): Html {
	const options = SCHEDULE_STATUSES.map((status) => `<option value="${status}">${WORDS[status]}</option>`);
	return `<section id="schedules"><h2>Schedules</h2>
<div class="filter" role="search"><label>Filter<input id="words" type="search" autocomplete="off"></label>
<label>Status<select id="status"><option value="">all</option>${options.join("")}</select></label>
<button id="clear" type="button">Show all</button><span id="told" role="status">${many(rows.length, "schedule")}</span></div>
<table class="rows"><thead><tr>${headsHtml(HEADS)}</tr></thead><tbody>
${rows.join("\n")}
</tbody></table></section>`;
}

function scheduleRow(schedule: ScheduleForecast & { readonly cells: string; readonly days: string }): Html {
	const values = [
		code(schedule.name),
		code(schedule.pipeline ?? "unknown"),
		code(schedule.team),
		cellHtml(cronCell(schedule)),
		`${WORDS[schedule.status]}${schedule.why === null ? "" : `<small>${text(schedule.why)}</small>`}`,
		`<span class="number">${schedule.count.toLocaleString("en-US")}</span>`,
		schedule.next === null ? "none" : moment(schedule.next),
	];
	return `<tr data-status="${schedule.status}" data-cells="${schedule.cells}" data-days="${schedule.days}">${cellsHtml(values, HEADS)}</tr>`;
}
