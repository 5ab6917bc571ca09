import type { DriftReport } from "./report";
import { type Cell, type Section, sectionsOf } from "./sections";
import { counts, footnotes, plain, subject, teamsOf } from "./wording";

/** A comment on GitHub may have 65,536 characters; seven sections share them. */
const SECTION_LIMIT = 8_500;

/** The report as a comment on a pull request, or the text of an issue. */
export function renderMarkdown(report: DriftReport): string {
	return [
		`### ${heading(report)}`,
		"",
		`${asEntities(subject(report))} against ${asEntities(teamsOf(report))}: **${counts(report)}**.`,
		"",
		...sectionsOf(report).flatMap(sectionLines),
		...footnotes(report).map((line) => `<sub>${asEntities(line)}</sub>`),
		"",
	].join("\n");
}

function heading({ summary: { changed, missing, twins, unmanaged, failed } }: DriftReport): string {
	if (changed + missing + twins > 0) return "DataChain drift";
	if (failed > 0) return "DataChain drift: not everything could be checked";
	return unmanaged > 0 ? "DataChain drift" : "No DataChain drift";
}

function sectionLines({ title, what, heads, rows, spare }: Section): string[] {
	if (rows.length === 0) return [];
	const narrow = <T>(cells: readonly T[]): T[] => cells.filter((_, index) => index !== spare);
	const lines: string[] = [];
	let room = SECTION_LIMIT;
	for (const row of rows) {
		const line = `| ${narrow(row).map(shown).join(" | ")} |`;
		room -= line.length + 1;
		if (room < 0) break;
		lines.push(line);
	}
	const left = rows.length - lines.length;
	return [
		`#### ${title}`,
		"",
		what,
		"",
		`| ${narrow(heads).join(" | ")} |`,
		`|${narrow(heads)
			.map(() => "---")
			.join("|")}|`,
		...lines,
		...(left > 0 ? ["", `… and ${left} more rows.`] : []),
		"",
	];
}

function shown(cell: Cell): string {
	switch (cell.as) {
		case "resource":
			return `${asEntities(cell.kind)} ${code(cell.name)}`;
		case "name":
			return code(cell.text);
		case "words":
			return asEntities(cell.text, 400);
		case "time":
			// What is no moment at all is shown as the server sent it.
			return asEntities(cell.text).replace(/(\d)&#58;(\d)/g, "$1:$2");
	}
}

/**
 * Names come from a server. As entities, no character can start a link, an image, a mention, a table cell or a tag;
 * inside `<code>` nobody is notified either.
 */
function asEntities(text: string, longest = 200): string {
	return plain(text, longest).replace(/[^\p{L}\p{N} .,;"-]/gu, (char) => `&#${char.codePointAt(0)};`);
}

const code = (text: string): string => `<code>${asEntities(plain(text, 80))}</code>`;
