import { exactMoment, moment, plain } from "../report/plain";
import { type Cell, name, type Section, countedSection as section, time, words } from "../report/section";
import { tryDescribeCron } from "../schemas/cron";
import type { ChangedResource, DriftReport, FailedCheck, FieldDrift, ResourceRef, Scalar } from "./report";
import { creatorOf, momentAndAge, twinWords } from "./wording";

/** The report in the order in which it matters, for every rendering. */
export function sectionsOf(report: DriftReport): Section[] {
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
		),
		section(
			"failed",
			"Could not be checked",
			"Whether these are as declared, nobody can tell.",
			["What", "Name", "Team", "Why"],
			failed.map((each) => [failedCell(each), name(each.name ?? "all"), name(each.team), words(each.reason)]),
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
		),
		section(
			"unlisted",
			"Not in the list",
			"A direct request shows them, the team's list does not: the list is cut short or behind. It may leave out twins and unmanaged objects too.",
			["Resource", "Name", "Id", "Team"],
			unlisted.map(refCells),
		),
		section(
			"unchecked",
			"Unchecked",
			"Declared, but not shown by the service, so that nobody can tell.",
			["Resource", "Field", "Why"],
			unchecked.map((each) => [resource(each), name(each.field), words(each.reason)]),
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
		),
	];
}

const refCells = (ref: ResourceRef): Cell[] => [resource(ref), name(ref.name), name(ref.id), name(ref.team)];

function changedRows(change: ChangedResource): Cell[][] {
	const [who, called] = [resource(change), name(change.name)];
	return change.fields.map((row) => [who, called, name(plain(row.field)), ...valueCells(row)]);
}

/** Hidden values say only that they differ, or on which side there is one. */
const HIDDEN_WORDS = {
	added: ["not set", "differs: set outside Pulumi"],
	removed: ["set", "differs: not there"],
	changed: ["set", "differs"],
} as const satisfies Record<FieldDrift["how"], readonly string[]>;

function valueCells({ field, how, hidden, declared, live }: FieldDrift): Cell[] {
	if (hidden) return HIDDEN_WORDS[how].map(words);
	return [declared, live].map((value) => valueCell(field, value ?? null));
}

/** As people read it: expressions with their meaning, instants in one notation, texts in quotes, so that an empty one shows. */
function valueCell(field: string, value: Scalar): Cell {
	if (value === null) return name("not set");
	if (typeof value !== "string") return name(String(value));
	if (field === "cronExpression" || field === "utcCron") return cron(value);
	return field === "startAfter" ? time(exactMoment(value)) : name(`"${plain(value)}"`);
}

const cron = (text: string): Cell => ({ as: "cron", text, meaning: tryDescribeCron(text) });

/** Kinds as people call them. */
const KIND_WORDS: Readonly<Record<string, string>> = {
	PipelineSchedule: "Schedule",
	PipelineSettings: "Settings",
	JobFile: "File",
};

const resource = ({ kind, resource: called }: Pick<ResourceRef, "kind" | "resource">): Cell => ({
	as: "resource",
	kind: KIND_WORDS[kind] ?? kind,
	name: called,
});

function failedCell({ what, kind, resource: known }: FailedCheck): Cell {
	if (known !== null) return resource({ kind, resource: known });
	return words(what === "list" ? `list of ${kind}s` : kind);
}
