import { createColors } from "picocolors";
import { renderPage } from "../report/page";
import { many, moment, plain } from "../report/plain";
import { type Cell, name, type Section, words } from "../report/section";
import { type Html, sectionHtml, text } from "../report/section-html";
import { asEntities, sectionMarkdown } from "../report/section-markdown";
import { sectionText } from "../report/section-text";
import type { Comparison, ScheduleChange } from "./comparison";
import { cronCell } from "./sections";

function sectionsOf({ schedules }: Comparison): Section[] {
	const heads = ["Schedule", "Pipeline", "Deployed", "Declared", "Runs"];
	const section = (how: ScheduleChange["how"], title: string, what: string): Section => {
		const changes = schedules.filter((change) => change.how === how);
		const rows = changes.map((change) => [
			name(change.name),
			name(change.pipeline ?? "unknown"),
			timeCell(change.before),
			timeCell(change.after),
			words(runsOf(change)),
		]);
		return { id: how, title, what, heads, rows, spare: 1 };
	};
	return [
		section("changed", "Changed schedules", "They run at other times once this is deployed."),
		section("added", "New schedules", "They are not deployed yet."),
		section("removed", "Removed schedules", "They are deployed, and the program no longer has them."),
	].filter(({ rows }) => rows.length > 0);
}

const timeCell = (time: ScheduleChange["before"]): Cell => (time === null ? words("none") : cronCell(time));

function runsOf({ added, removed, moved, kept, examples }: ScheduleChange): string {
	const counts = [
		...(moved > 0 ? [`${moved} moved`] : []),
		...(added > 0 ? [`${added} added`] : []),
		...(removed > 0 ? [`${removed} removed`] : []),
		...(kept > 0 ? [`${kept} as before`] : []),
	];
	const shown = examples.map(({ from, to }) => {
		if (from === null) return `+ ${moment(to)}`;
		return to === null ? `- ${moment(from)}` : `${moment(from)} becomes ${to.slice(11, 16)}`;
	});
	const more = added + removed + moved > examples.length ? ["…"] : [];
	return counts.length === 0
		? "none in this time"
		: `${counts.join(", ")}: ${[...shown, ...more].join("; ")}`;
}

function headline({ summary: { added, removed, moved }, stack, from, to }: Comparison): string {
	const where = stack === null ? "this stack" : `stack "${stack}"`;
	const when = `${moment(from)} to ${moment(to)}`;
	if (added + removed + moved === 0) return `No run of ${where} changes, ${when}`;
	return `${many(moved, "run")} moved, ${added.toLocaleString("en-US")} added, ${removed.toLocaleString("en-US")} removed in ${where}, ${when}`;
}

export function comparisonText(comparison: Comparison, color: boolean): string {
	const colors = createColors(color);
	return [
		colors.bold(plain(headline(comparison), 300)),
		"",
		...sectionsOf(comparison).flatMap((section) => sectionText(section, colors, colors.yellow, 40)),
		...comparison.notes.map((note) => colors.dim(plain(note, 400))),
		"",
	].join("\n");
}

export function comparisonMarkdown(comparison: Comparison): string {
	return [
		"### What will run when",
		"",
		`${asEntities(headline(comparison), 300)}.`,
		"",
		...sectionsOf(comparison).flatMap(sectionMarkdown),
		...comparison.notes.map((note) => `<sub>${asEntities(note, 400)}</sub>`),
		"",
	].join("\n");
}

export function comparisonHtml(comparison: Comparison): Html {
	return renderPage({
		title: "What a deployment changes",
		heading: "What a deployment changes",
		lines: [headline(comparison), `Made at ${moment(comparison.madeAt)}. All times are UTC.`],
		body: [
			...sectionsOf(comparison).map(sectionHtml),
			...comparison.notes.map((note) => `<p>${text(note)}</p>`),
		].join("\n"),
	});
}
