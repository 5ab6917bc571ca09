import { useMemo } from "preact/hooks";
import {
	type Cell,
	plain,
	type Report as ReportData,
	type Section,
} from "../../text/report";
import { visible } from "./format";
import { Copy } from "./parts";
import { useRoute } from "./store";
import { type Column, Table } from "./table";

interface Row {
	readonly id: string;
	readonly cells: readonly Cell[];
}

const textOf = (cell: Cell | undefined): string =>
	cell === undefined
		? ""
		: plain(cell.as === "resource" ? `${cell.kind} ${cell.name}` : cell.text, 500);

/** At most two lines, and whole as its title. */
function cellText(cell: Cell | undefined) {
	if (cell === undefined) return "";
	const whole =
		cell.as === "resource" ? cell.name : cell.as === "cron" ? cell.meaning : cell.text;
	return (
		<span class="clamp" title={visible(whole ?? "")}>
			{cell.as === "resource" && [
				cell.kind,
				" ",
				<code key="name">{plain(cell.name)}</code>,
			]}
			{(cell.as === "name" || cell.as === "cron") && <code>{textOf(cell)}</code>}
			{cell.as === "cron" && <span class="dim"> {cell.meaning}</span>}
			{(cell.as === "words" || cell.as === "time") && textOf(cell)}
		</span>
	);
}

/** What a command found out, section by section; one is shown at a time, the first that has something. */
export function Report({ report }: { report: ReportData }) {
	const { params } = useRoute();
	const { sections, headline, footnotes, notes, verdict } = report;
	const filled = sections.filter(({ rows }) => rows.length > 0);
	const section = sections.find(({ id }) => id === params.get("section")) ?? filled[0];
	return (
		<>
			<h2>{report.heading.page}</h2>
			<p class={verdict === undefined ? "" : `verdict ${verdict.severity}`}>
				{verdict && <b>{verdict.text}. </b>}
				{headline}.
			</p>
			{footnotes.map((line) => (
				<p class="dim" key={line}>
					{line}
				</p>
			))}
			<ul class="tiles">
				{sections.map(({ id, title, severity, rows, count = rows.length }) => (
					<li key={id} class={count > 0 ? severity : "quiet"}>
						<a
							href={`#/report?section=${id}`}
							aria-current={section?.id === id || undefined}
						>
							<b>{count.toLocaleString("en-US")}</b> {title}
						</a>
					</li>
				))}
			</ul>
			{section !== undefined && <SectionTable section={section} key={section.id} />}
			{notes.map((note) => (
				<p class="note" key={note}>
					{note}
				</p>
			))}
		</>
	);
}

function SectionTable({ section }: { section: Section }) {
	const {
		title,
		what: description,
		heads,
		rows,
		count = rows.length,
		repair,
	} = section;
	const all = useMemo(
		() => rows.map((cells, index): Row => ({ id: String(index), cells })),
		[rows],
	);
	const columns: Column<Row>[] = heads.map((head, index) => ({
		head,
		width: "minmax(7rem, 1fr)",
		...(index === 0 && { class: "main" }),
		sort: ({ cells }) => textOf(cells[index]),
		cell: ({ cells }) => cellText(cells[index]),
	}));
	return (
		<section aria-label={title}>
			<h3>
				{title} ({count.toLocaleString("en-US")})
			</h3>
			<p class="dim">{description}</p>
			{repair !== undefined && rows.length > 0 && <Copy command={repair} />}
			<Table
				label={title}
				what="row"
				rows={all}
				texts={({ cells }) => cells.map(textOf)}
				columns={columns}
				heights={[56, 40 + 26 * heads.length]}
				empty="None."
			/>
		</section>
	);
}
