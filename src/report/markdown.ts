import { type Cell, plain, type Report, type Section } from "./report";

/** The report as a comment on a pull request, or the text of an issue. */
export function reportMarkdown({ heading, headline, footnotes, sections, notes }: Report): string {
	return [
		`### ${heading.comment}`,
		"",
		`${asEntities(headline, 300)}.`,
		...footnotes.map((line) => `<br><sub>${asEntities(line)}</sub>`),
		"",
		...sections.flatMap(sectionMarkdown),
		...notes.map((note) => `<sub>${asEntities(note, 400)}</sub>`),
		...(notes.length > 0 ? [""] : []),
	].join("\n");
}

/** A comment on GitHub may have 65,536 characters; eight sections share them. */
const SECTION_LIMIT = 7_500;

/** Nothing if the section is empty. */
function sectionMarkdown(section: Section): string[] {
	const { title, what, heads, rows, count = rows.length, spare, repair } = section;
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
		`#### ${title} (${count})`,
		"",
		what,
		...(repair === undefined ? [] : ["", `To repair: ${code(repair)}`]),
		"",
		`| ${narrow(heads).join(" | ")} |`,
		`|${"---|".repeat(narrow(heads).length)}`,
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
		case "cron":
			return cell.meaning === undefined
				? code(cell.text)
				: `${code(cell.text)}<br>${asEntities(cell.meaning)}`;
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
