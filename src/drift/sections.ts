import type { ChangedResource, DriftReport, FailedCheck, ResourceRef } from "./report";
import { creatorOf, fieldWords, moment, momentAndAge, twinWords } from "./wording";

/** A cell says what it holds; each rendering makes it safe and shows it in its own way. */
export type Cell =
	/** A sentence. It may quote what a server sent. */
	| { readonly as: "words"; readonly text: string }
	/** A name, an id or a value: what people chose. */
	| { readonly as: "name"; readonly text: string }
	/** A moment, as far as the server sent one. */
	| { readonly as: "time"; readonly text: string }
	| { readonly as: "resource"; readonly kind: string; readonly name: string };

export interface Section {
	readonly id: string;
	readonly title: string;
	readonly what: string;
	readonly heads: readonly string[];
	/** Rows that go on with the resource of the row above share its first cell. */
	readonly rows: readonly (readonly Cell[])[];
	/** A column that a narrow rendering can do without. */
	readonly spare?: number;
}

const words = (text: string): Cell => ({ as: "words", text });
const name = (text: string): Cell => ({ as: "name", text });
const time = (text: string): Cell => ({ as: "time", text });
const resource = (ref: Pick<ResourceRef, "kind" | "resource">): Cell => ({
	as: "resource",
	kind: ref.kind,
	name: ref.resource,
});

/** The report in the order in which it matters, for every rendering. */
export function sectionsOf(report: DriftReport): Section[] {
	const section = (
		id: string,
		title: string,
		what: string,
		heads: string[],
		rows: Cell[][],
		count: number,
	) => ({
		id,
		title: `${title} (${count})`,
		what,
		heads,
		rows,
	});
	const { changed, missing, twins, failed, unmanaged, unlisted, unchecked, checkedAt } = report;
	return [
		{
			...section(
				"changed",
				"Changed",
				"Differs from what was deployed.",
				["Resource", "Name", "Field", "Declared", "Live"],
				changed.flatMap(changedRows),
				changed.length,
			),
			spare: 1,
		},
		section(
			"missing",
			"Missing",
			"Deployed, but no longer on the service.",
			["Resource", "Name", "Id", "Team"],
			missing.map(refCells),
			missing.length,
		),
		section(
			"twins",
			"Twins",
			"Schedules that have the name of a managed one and are not managed. Delete or rename the ones that are not wanted.",
			["Name", "Managed id", "Twin's id", "Team", "Made by", "Made at", "What it does"],
			twins.map((twin) => [
				name(twin.name),
				name(twin.twinOf.id),
				name(twin.id),
				name(twin.team),
				name(creatorOf(twin)),
				time(momentAndAge(twin.createdAt, checkedAt)),
				words(twinWords(twin)),
			]),
			twins.length,
		),
		section(
			"failed",
			"Could not be checked",
			"Whether these are as declared, nobody can tell.",
			["What", "Name", "Team", "Why"],
			failed.map((each) => [failedCell(each), name(each.name ?? "all"), name(each.team), words(each.reason)]),
			failed.length,
		),
		section(
			"unmanaged",
			"Unmanaged",
			"On the service, but not in the stack.",
			["Kind", "Name", "Team", "Made by", "Made at"],
			unmanaged.map((each) => [
				words(each.kind),
				name(each.name),
				name(each.team),
				name(creatorOf(each)),
				time(moment(each.createdAt)),
			]),
			unmanaged.length,
		),
		section(
			"unlisted",
			"Not in the list",
			"A direct request shows them, the team's list does not: the list is cut short or behind. It may leave out twins and unmanaged objects too.",
			["Resource", "Name", "Id", "Team"],
			unlisted.map(refCells),
			unlisted.length,
		),
		section(
			"unchecked",
			"Unchecked",
			"Declared, but not shown by the service, so that nobody can tell.",
			["Resource", "Field", "Why"],
			unchecked.map((each) => [resource(each), name(each.field), words(each.reason)]),
			unchecked.length,
		),
	];
}

const refCells = (ref: ResourceRef): Cell[] => [resource(ref), name(ref.name), name(ref.id), name(ref.team)];

function changedRows(change: ChangedResource): Cell[][] {
	const [who, called] = [resource(change), name(change.name)];
	return change.fields.map((row) => {
		const { field, declared, live } = fieldWords(row);
		const value = row.hidden ? words : name;
		return [who, called, name(field), value(declared), value(live)];
	});
}

function failedCell({ what, kind, resource: known }: FailedCheck): Cell {
	if (known !== null) return resource({ kind, resource: known });
	return words(what === "list" ? `list of ${kind}s` : kind);
}
