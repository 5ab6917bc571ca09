import type { DriftReport, ResourceRef } from "./report";
import { counts, creatorOf, fieldWords, footnotes, moment, plain, subject, teamsOf } from "./wording";

/** A comment on GitHub may have 65,536 characters; four sections share them. */
const SECTION_LIMIT = 14_000;

/** The report as a comment on a pull request, or the text of an issue. */
export function renderMarkdown(report: DriftReport): string {
	const { changed, missing, unmanaged } = report.summary;
	const found = changed + missing + unmanaged > 0;
	return [
		`### ${found ? "DataChain drift" : "No DataChain drift"}`,
		"",
		`${asEntities(subject(report))} against ${asEntities(teamsOf(report))}: **${counts(report)}**.`,
		"",
		...section(
			`Changed (${report.changed.length})`,
			["Resource", "Field", "Declared", "Live"],
			changedRows(report),
		),
		...section(
			`Missing (${report.missing.length})`,
			["Resource", "Name", "Id", "Team"],
			report.missing.map((ref) => [label(ref), code(ref.name), code(ref.id), code(ref.team)]),
		),
		...section(
			`Unmanaged (${report.unmanaged.length})`,
			["Kind", "Name", "Team", "Made by", "Made at"],
			report.unmanaged.map((each) => [
				each.kind,
				code(each.name),
				code(each.team),
				code(creatorOf(each)),
				moment(each.createdAt),
			]),
		),
		...section(
			`Unchecked (${report.unchecked.length})`,
			["Resource", "Field", "Why"],
			report.unchecked.map((each) => [label(each), code(each.field), asEntities(each.reason)]),
		),
		...footnotes(report).map((line) => `<sub>${asEntities(line)}</sub>`),
		"",
	].join("\n");
}

const label = ({ kind, resource }: ResourceRef): string => `${asEntities(kind)} ${code(resource)}`;

function changedRows(report: DriftReport): string[][] {
	return report.changed.flatMap((change) =>
		change.fields.map((row) => {
			const { field, declared, live } = fieldWords(row);
			const show = row.hidden ? asEntities : code;
			return [label(change), code(field), show(declared), show(live)];
		}),
	);
}

function section(title: string, heads: readonly string[], rows: readonly string[][]): string[] {
	if (rows.length === 0) return [];
	const lines: string[] = [];
	let room = SECTION_LIMIT;
	for (const row of rows) {
		const line = `| ${row.join(" | ")} |`;
		room -= line.length + 1;
		if (room < 0) break;
		lines.push(line);
	}
	const left = rows.length - lines.length;
	return [
		`#### ${title}`,
		"",
		`| ${heads.join(" | ")} |`,
		`|${heads.map(() => "---").join("|")}|`,
		...lines,
		...(left > 0 ? ["", `… and ${left} more rows.`] : []),
		"",
	];
}

/**
 * Names come from a server. As entities, no character can start a link, an image, a mention, a table cell or a tag;
 * inside `<code>` nobody is notified either.
 */
function asEntities(text: string): string {
	return plain(text, 200).replace(/[^\p{L}\p{N} .,;"-]/gu, (char) => `&#${char.codePointAt(0)};`);
}

const code = (text: string): string => `<code>${asEntities(plain(text, 80))}</code>`;
