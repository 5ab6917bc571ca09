import { createColors } from "picocolors";
import { many, moment, plain } from "../report/plain";
import { asEntities, sectionMarkdown } from "../report/section-markdown";
import { type Colors, type Paint, sectionText } from "../report/section-text";
import type { DriftReport } from "./report";
import { sectionsOf } from "./sections";

/** Rows of a section shown before "and N more". */
const MOST_ROWS = 40;

/** The report for a person at a terminal. */
export function renderText(report: DriftReport, { color }: { color: boolean }): string {
	const colors = createColors(color);
	return [
		headline(report, colors),
		...footnotes(report).map((line) => colors.dim(line)),
		"",
		...sectionsOf(report).flatMap((section) =>
			sectionText(section, colors, paint(colors, section.id), MOST_ROWS),
		),
	].join("\n");
}

function paint(colors: Colors, id: string): Paint {
	if (id === "missing" || id === "twins" || id === "failed") return colors.red;
	if (id === "changed") return colors.yellow;
	return id === "unmanaged" ? colors.cyan : colors.dim;
}

function headline(report: DriftReport, colors: Colors): string {
	const { changed, missing, twins, unmanaged, failed } = report.summary;
	const where = `${subject(report)} against ${teamsOf(report)}`;
	if (changed + missing + twins > 0) return `${colors.red("Drift")}: ${where}: ${counts(report)}.`;
	if (failed > 0) return `${colors.red("Not everything could be checked")}: ${where}: ${counts(report)}.`;
	if (unmanaged === 0) return `${colors.green("No drift")}: ${where}.`;
	return `${colors.green("No drift in what is managed")}: ${where}: ${counts(report)}.`;
}

/** The report as a comment on a pull request, or the text of an issue. */
export function renderMarkdown(report: DriftReport): string {
	return [
		`### ${heading(report)}`,
		"",
		`${asEntities(subject(report))} against ${asEntities(teamsOf(report))}: **${counts(report)}**.`,
		...footnotes(report).map((line) => `<br><sub>${asEntities(line)}</sub>`),
		"",
		...sectionsOf(report).flatMap(sectionMarkdown),
	].join("\n");
}

function heading({ summary: { changed, missing, twins, unmanaged, failed } }: DriftReport): string {
	if (changed + missing + twins > 0) return "DataChain drift";
	if (failed > 0) return "DataChain drift: not everything could be checked";
	return unmanaged > 0 ? "DataChain drift" : "No DataChain drift";
}

/** `stack "dev" of project "images"`. */
export function subject({ stack, project }: DriftReport): string {
	if (stack === null) return "this stack";
	return `stack "${plain(stack)}"${project === null ? "" : ` of project "${plain(project)}"`}`;
}

export function teamsOf({ teams }: DriftReport): string {
	const names = teams.map((team) => `"${plain(team)}"`);
	return `team${names.length === 1 ? "" : "s"} ${names.join(", ")}`;
}

/** `2 changed, 1 missing, 3 unmanaged`, and what else there is. */
export function counts({ summary }: DriftReport): string {
	const { changed, missing, unmanaged, twins, failed } = summary;
	return [
		`${changed} changed, ${missing} missing, ${unmanaged} unmanaged`,
		...(twins > 0 ? [many(twins, "twin")] : []),
		...(failed > 0 ? [`${failed} could not be checked`] : []),
	].join(", ");
}

/** How it was found out, and what was left out. */
export function footnotes({ summary, requests, checkedAt }: DriftReport): string[] {
	return [
		`Checked ${many(summary.managed, "managed resource")} with ${many(requests, "request")} at ${moment(checkedAt)}; ${summary.unchanged} as declared.`,
		...(summary.ignored > 0 ? [`${many(summary.ignored, "unmanaged object")} ignored by pattern.`] : []),
	];
}
