import { agoText } from "../provider/pipeline-schedule/refusals";
import { exactMoment, moment, plain } from "../report/plain";
import { type Cell, name, type Section, time, words } from "../report/section";
import { tryDescribeCron } from "../schemas/cron";
import type { ChangedResource, DriftReport, FailedCheck, FieldDrift, ResourceRef, Twin } from "./report";

/** The report in the order in which it matters, for every rendering. */
export function sectionsOf(report: DriftReport): Section[] {
	const { changed, missing, twins, failed, unmanaged, unlisted, unchecked, clockChanges, checkedAt } = report;
	const repair = `pulumi up --refresh${report.stack === null ? "" : ` --stack ${report.stack}`}`;
	return [
		{
			id: "changed",
			title: "Changed",
			what: "Differs from what was deployed.",
			heads: ["Resource", "Name", "Field", "Declared", "Live"],
			rows: changed.flatMap(changedRows),
			count: changed.length,
			spare: 1,
			grouped: 2,
			repair,
		},
		{
			id: "missing",
			title: "Missing",
			what: "Deployed, but no longer on the service.",
			heads: ["Resource", "Name", "Id", "Team"],
			rows: missing.map(refCells),
			repair,
		},
		{
			id: "twins",
			title: "Twins",
			what: "Schedules that have the name of a managed one and are not managed. Delete or rename the ones that are not wanted.",
			heads: ["Name", "Managed id", "Twin's id", "Team", "Made by", "Made at", "What it does"],
			rows: twins.map((twin) => [
				name(twin.name),
				name(twin.twinOf.id),
				name(twin.id),
				name(twin.team),
				creator(twin.createdBy),
				time(momentAndAge(twin.createdAt, checkedAt)),
				words(twinWords(twin)),
			]),
		},
		{
			id: "failed",
			title: "Could not be checked",
			what: "Whether these are as declared, nobody can tell.",
			heads: ["What", "Name", "Team", "Why"],
			rows: failed.map(failedCells),
		},
		{
			id: "unmanaged",
			title: "Unmanaged",
			what: "On the service, but not in the stack.",
			heads: ["Kind", "Name", "Team", "Made by", "Made at"],
			rows: unmanaged.map((each) => [
				words(each.kind),
				name(each.name),
				name(each.team),
				creator(each.createdBy),
				time(moment(each.createdAt)),
			]),
		},
		{
			id: "unlisted",
			title: "Not in the list",
			what: "A direct request shows them, the team's list does not: the list is cut short or behind. It may leave out twins and unmanaged objects too.",
			heads: ["Resource", "Name", "Id", "Team"],
			rows: unlisted.map(refCells),
		},
		{
			id: "unchecked",
			title: "Unchecked",
			what: "Declared, but not shown by the service, so that nobody can tell.",
			heads: ["Resource", "Field", "Why"],
			rows: unchecked.map((each) => [resource(each), name(each.field), words(each.reason)]),
		},
		{
			id: "clocks",
			title: "Changes of clocks",
			what: "No drift: from then on these run at another local time, until the next deployment updates them.",
			heads: ["Resource", "Name", "Time zone", "When", "Cron in UTC", "Becomes"],
			rows: clockChanges.map((each) => [
				resource(each),
				name(each.name),
				name(each.timeZone),
				time(`${moment(each.at)}${each.isPast ? " (past)" : ""}`),
				cron(each.from),
				cron(each.to),
			]),
		},
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
	return [declared, live].map((value) => valueCell(field, value));
}

/** As people read it: expressions with their meaning, instants in one notation, texts in quotes, so that an empty one shows. */
function valueCell(field: string, value: FieldDrift["live"]): Cell {
	if (value === undefined || value === null) return name("not set");
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

function failedCells({ what, kind, resource: known, name: called, team, reason }: FailedCheck): Cell[] {
	const unnamed = words(what === "list" ? `list of ${kind}s` : kind);
	const who = known === null ? unnamed : resource({ kind, resource: known });
	return [who, name(called ?? "all"), name(team), words(reason)];
}

const creator = (who: string | null): Cell => name(plain(who ?? "unknown"));

/** `2026-01-31 03:00 UTC, 3 days ago`, as seen from another moment. */
function momentAndAge(timestamp: string | null, seenFrom: string): string {
	const age = Date.parse(seenFrom) - Date.parse(timestamp ?? "");
	return Number.isNaN(age) ? moment(timestamp) : `${moment(timestamp)}, ${agoText(age)}`;
}

function twinWords({ pipeline, samePipeline }: Twin): string {
	if (pipeline === null) return "has the same name; which pipeline it runs could not be read";
	if (samePipeline) return `runs the pipeline a second time ("${plain(pipeline)}")`;
	return `runs another pipeline under the same name ("${plain(pipeline)}")`;
}
