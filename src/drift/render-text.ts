import Table from "cli-table3";
import { createColors } from "picocolors";
import type { DriftReport, ResourceRef } from "./report";
import { counts, creatorOf, fieldWords, footnotes, moment, plain, subject, teamsOf } from "./wording";

export interface TextOptions {
	readonly color: boolean;
	/** Rows of a section shown before "and N more". */
	readonly rows?: number;
}

type Colors = ReturnType<typeof createColors>;

/** The report for a person at a terminal. */
export function renderText(report: DriftReport, { color, rows = 40 }: TextOptions): string {
	const colors = createColors(color);
	const section = (title: string, paint: Colors["red"], heads: string[], lines: string[][]): string[] => {
		if (lines.length === 0) return [];
		const more = lines.length > rows ? [`  … and ${lines.length - rows} more; --json lists all.`] : [];
		return [paint(colors.bold(title)), table(colors, heads, lines.slice(0, rows)), ...more, ""];
	};
	return [
		headline(report, colors),
		"",
		...section(`Changed (${report.changed.length})`, colors.yellow, CHANGED, changedLines(report)),
		...section(
			`Missing (${report.missing.length})`,
			colors.red,
			["resource", "name", "id", "team"],
			report.missing.map((ref) => [label(ref), plain(ref.name), plain(ref.id), plain(ref.team)]),
		),
		...section(
			`Unmanaged (${report.unmanaged.length})`,
			colors.cyan,
			["kind", "name", "team", "made by", "made at"],
			report.unmanaged.map((object) => [
				object.kind,
				plain(object.name, 60),
				plain(object.team),
				creatorOf(object),
				moment(object.createdAt),
			]),
		),
		...section(
			`Unchecked (${report.unchecked.length})`,
			colors.dim,
			["resource", "field", "why"],
			report.unchecked.map((each) => [label(each), plain(each.field), each.reason]),
		),
		...footnotes(report).map((line) => colors.dim(line)),
		"",
	].join("\n");
}

const CHANGED = ["resource", "name", "field", "declared", "live"];

const label = ({ kind, resource }: ResourceRef): string => plain(`${kind} ${resource}`, 60);

function changedLines(report: DriftReport): string[][] {
	return report.changed.flatMap((change) =>
		change.fields.map((row, index) => {
			const { field, declared, live } = fieldWords(row);
			const [who, name] = index === 0 ? [label(change), plain(change.name, 60)] : ["", ""];
			return [who, name, field, declared, live];
		}),
	);
}

function headline(report: DriftReport, colors: Colors): string {
	const { changed, missing, unmanaged } = report.summary;
	const where = `${subject(report)} against ${teamsOf(report)}`;
	if (changed + missing + unmanaged === 0) return `${colors.green("No drift")}: ${where}.`;
	const word = changed + missing > 0 ? colors.red("Drift") : colors.green("No drift in what is managed");
	return `${word}: ${where}: ${counts(report)}.`;
}

function table(colors: Colors, heads: string[], rows: string[][]): string {
	const none = { top: "", "top-mid": "", "top-left": "", "top-right": "" };
	const made = new Table({
		head: heads.map((head) => colors.dim(head)),
		// The library's own colours would not follow NO_COLOR.
		style: { head: [], border: [], "padding-left": 0, "padding-right": 2 },
		chars: {
			...none,
			bottom: "",
			"bottom-mid": "",
			"bottom-left": "",
			"bottom-right": "",
			left: "  ",
			"left-mid": "",
			mid: "",
			"mid-mid": "",
			right: "",
			"right-mid": "",
			middle: "",
		},
	});
	made.push(...rows);
	return made.toString().replace(/[ \t]+$/gm, "");
}
