import { createColors } from "picocolors";
import { type Colors, type Paint, sectionText } from "../report/section-text";
import type { DriftReport } from "./report";
import { sectionsOf } from "./sections";
import { counts, footnotes, subject, teamsOf } from "./wording";

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
