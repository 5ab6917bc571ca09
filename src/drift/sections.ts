import { exactMoment, moment } from "../report/plain";
import {
	type Cell,
	countedTitle,
	name,
	resource as resourceCell,
	type Section,
	time,
	words,
} from "../report/section";
import { tryDescribeCron } from "../schemas/cron";
import type { ChangedResource, DriftReport, FailedCheck, FieldDrift, ResourceRef, Scalar } from "./report";
import { creatorOf, fieldWords, momentAndAge, twinWords } from "./wording";

/** The report in the order in which it matters, for every rendering. */
export function sectionsOf(report: DriftReport): Section[] {
	const section = (
		id: string,
		title: string,
		what: string,
		heads: string[],
		rows: Cell[][],
		count: number,
	): Section => ({
		id,
		title: countedTitle(title, count),
		what,
		heads,
		rows,
	});
	const { changed, missing, twins, failed, unmanaged, unlisted, unchecked, clockChanges, checkedAt } = report;
	const repair = `pulumi up --refresh${report.stack === null ? "" : ` --stack ${report.stack}`}`;
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
			grouped: 2,
			repair,
		},
		{
			...section(
				"missing",
				"Missing",
				"Deployed, but no longer on the service.",
				["Resource", "Name", "Id", "Team"],
				missing.map(refCells),
				missing.length,
			),
			repair,
		},
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
		section(
			"clocks",
			"Changes of clocks",
			"No drift: from then on these run at another local time, until the next deployment updates them.",
			["Resource", "Name", "Time zone", "When", "Cron in UTC", "Becomes"],
			clockChanges.map((each) => [
				resource(each),
				name(each.name),
				name(each.timeZone),
				time(`${moment(each.at)}${each.isPast ? " (past)" : ""}`),
				cron(each.from),
				cron(each.to),
			]),
			clockChanges.length,
		),
	];
}

const refCells = (ref: ResourceRef): Cell[] => [resource(ref), name(ref.name), name(ref.id), name(ref.team)];

function changedRows(change: ChangedResource): Cell[][] {
	const [who, called] = [resource(change), name(change.name)];
	return change.fields.map((row) => {
		const { field, declared, live } = fieldWords(row);
		return [who, called, name(field), valueCell(row, row.declared, declared), valueCell(row, row.live, live)];
	});
}

/** A value as people read it: expressions with their meaning, instants all in one notation. */
function valueCell({ field, hidden }: FieldDrift, value: Scalar | undefined, shown: string): Cell {
	if (hidden) return words(shown);
	if (typeof value !== "string") return name(shown);
	if (field === "cronExpression" || field === "utcCron") return cron(value);
	return field === "startAfter" ? time(exactMoment(value)) : name(shown);
}

const cron = (text: string): Cell => ({ as: "cron", text, meaning: tryDescribeCron(text) });

/** Kinds as people call them. */
const KIND_WORDS: Readonly<Record<string, string>> = {
	PipelineSchedule: "Schedule",
	PipelineSettings: "Settings",
	JobFile: "File",
};

const resource = (ref: Pick<ResourceRef, "kind" | "resource">): Cell =>
	resourceCell({ ...ref, kind: KIND_WORDS[ref.kind] ?? ref.kind });

function failedCell({ what, kind, resource: known }: FailedCheck): Cell {
	if (known !== null) return resource({ kind, resource: known });
	return words(what === "list" ? `list of ${kind}s` : kind);
}
