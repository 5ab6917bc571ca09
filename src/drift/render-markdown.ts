import { asEntities, sectionMarkdown } from "../report/section-markdown";
import type { DriftReport } from "./report";
import { sectionsOf } from "./sections";
import { counts, footnotes, subject, teamsOf } from "./wording";

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
