import { tryDescribeCron } from "../cron";
import { agoText } from "../provider/model/messages";
import { kindEntry } from "../schemas/kinds";
import {
	type Cell,
	exactMoment,
	many,
	moment,
	name,
	plain,
	type Report,
	type Section,
	type Severity,
	sectionOf,
	shellWord,
	time,
	words,
} from "../text/report";
import { someOf } from "../text/wording";
import {
	type ChangedResource,
	type ClockChange,
	type DriftReport,
	type Duplicate,
	type FailedCheck,
	type FieldDrift,
	hasDrift,
	isIncomplete,
	lateChanges,
	type NotRunning,
	type ResourceRef,
} from "./drift-report";
import { isScheduleKind } from "./stack-state";

/** The report for every rendering. */
export function describeDrift(report: DriftReport): Report {
	const { text, severity, comment } = verdictOf(report);
	return {
		heading: { page: `Drift of ${subject(report)}`, comment },
		verdict: { text, severity },
		headline: `${subject(report)} against ${teamsOf(report)}: ${counts(report)}`,
		footnotes: footnotes(report),
		sections: sectionsOf(report),
		notes: [],
	};
}

function verdictOf(report: DriftReport): {
	text: string;
	severity: Severity;
	comment: string;
} {
	if (hasDrift(report, ["changed", "missing", "duplicate"]))
		return { text: "Drift", severity: "bad", comment: "DataChain drift" };
	if (isIncomplete(report)) {
		const text = "Not everything could be checked";
		return {
			text,
			severity: "bad",
			comment: "DataChain drift: not everything could be checked",
		};
	}
	if (report.unmanaged.length === 0)
		return { text: "No drift", severity: "good", comment: "No DataChain drift" };
	return {
		text: "No drift in managed resources",
		severity: "good",
		comment: "DataChain drift",
	};
}

/** `stack "dev" of project "images"`. */
function subject({ stack, project }: DriftReport): string {
	if (stack === null) return "this stack";
	return `stack "${plain(stack)}"${project === null ? "" : ` of project "${plain(project)}"`}`;
}

function teamsOf({ teams }: DriftReport): string {
	const names = teams.map((team) => `"${plain(team)}"`);
	return `team${names.length === 1 ? "" : "s"} ${names.join(", ")}`;
}

/** `2 changed, 1 missing, 3 unmanaged`, and what else there is. */
function counts(report: DriftReport): string {
	const {
		changed,
		missing,
		unmanaged,
		twins: duplicates,
		failed,
		unlisted,
		notRunning,
	} = report.summary;
	const late = lateChanges(report).length;
	return [
		`${changed} changed, ${missing} missing, ${unmanaged} unmanaged`,
		...(duplicates > 0 ? [many(duplicates, "duplicate")] : []),
		...(late > 0 ? [`${late} at a different local time than declared`] : []),
		...(failed > 0 ? [`${failed} could not be checked`] : []),
		...(unlisted > 0 ? [`${unlisted} left out of the team's list`] : []),
		...(notRunning > 0 ? [`${notRunning} managed but not running`] : []),
	].join(", ");
}

/** How it was found out, and what was left out. */
function footnotes({ summary, requests, checkedAt }: DriftReport): string[] {
	return [
		`Checked ${many(summary.managed, "managed resource")} with ${many(requests, "request")} at ${moment(checkedAt)}; ${summary.unchanged} as declared.`,
		...(summary.ignored > 0
			? [`${many(summary.ignored, "unmanaged object")} ignored by pattern.`]
			: []),
	];
}

/** The option by which a command means the stack of the report. */
export const onStack = ({ stack }: DriftReport): string =>
	stack === null ? "" : ` --stack ${shellWord(stack)}`;

/** The report in the order in which it matters, for every rendering. */
function sectionsOf(report: DriftReport): Section[] {
	const { changed, clockChanges, checkedAt } = report;
	const repair = `pulumi up --refresh${onStack(report)}`;
	return [
		sectionOf(
			{
				id: "changed",
				title: "Changed",
				severity: "odd",
				count: changed.length,
				spare: 1,
				repair,
			},
			"Differs from what was deployed.",
			changed.flatMap(changedRows),
			{
				Resource: ({ who }) => who,
				Name: ({ called }) => called,
				Field: ({ field }) => name(plain(field)),
				Declared: (row) => valueCell(row, "declared"),
				Live: (row) => valueCell(row, "live"),
				"Changed at": ({ changedAt }) => time(moment(changedAt)),
			},
		),
		sectionOf(
			{ id: "missing", title: "Missing", severity: "bad", repair },
			`Deployed, but no longer on the service.${takenNames(report)}`,
			report.missing,
			REF_CELLS,
		),
		sectionOf(
			{ id: "twins", title: "Duplicates", severity: "bad" },
			"Schedules that have the name of a managed one. Delete or rename the duplicates.",
			report.twins,
			{
				Name: (twin) => name(twin.name),
				"Managed id": ({ twinOf }) => name(twinOf.id),
				"Duplicate's id": ({ id }) => name(id),
				Team: ({ team }) => name(team),
				"Created by": ({ createdBy }) => creator(createdBy),
				"Created at": ({ createdAt }) => time(momentAndAge(createdAt, checkedAt)),
				Effect: (twin) => words(duplicateWords(twin)),
			},
		),
		sectionOf(
			{ id: "failed", title: "Could not be checked", severity: "bad" },
			"It is not known whether these match the declaration.",
			report.failed,
			{
				What: failedCell,
				Name: (check) => name(check.name ?? "all"),
				Team: ({ team }) => name(team),
				Why: ({ reason }) => words(reason),
			},
		),
		sectionOf(
			{ id: "unmanaged", title: "Unmanaged", severity: "info" },
			"On the service, but not in the stack.",
			report.unmanaged,
			{
				Kind: ({ kind }) => words(kind),
				Name: (object) => name(object.name),
				Team: ({ team }) => name(team),
				"Created by": ({ createdBy }) => creator(createdBy),
				"Created at": ({ createdAt }) => time(moment(createdAt)),
			},
		),
		sectionOf(
			{ id: "unlisted", title: "Not in the list", severity: "bad" },
			"A direct request returns them, but the team's list does not: the list is delayed or cut short. Duplicates and unmanaged objects may be missing too.",
			report.unlisted,
			REF_CELLS,
		),
		sectionOf(
			{ id: "not-running", title: "Managed, but not running", severity: "odd" },
			"These schedules match the program, but do not run. Declare paused or startAfter.",
			report.notRunning,
			{
				Resource: (row) => resource(row),
				Name: (row) => name(row.name),
				Team: ({ team }) => name(team),
				Why: (row) => words(notRunningWords(row)),
			},
		),
		sectionOf(
			{ id: "unmanaged-variables", title: "Unmanaged variables", severity: "quiet" },
			"Variables of managed pipelines that the program does not declare. They are not changed.",
			report.unmanagedVariables,
			{
				Resource: (row) => resource(row),
				Team: ({ team }) => name(team),
				Variables: ({ variables }) =>
					words(variables.map((each) => plain(each)).join(", ")),
			},
		),
		sectionOf(
			{ id: "unchecked", title: "Unchecked", severity: "quiet" },
			"Declared, but not returned by the API, so drift in them cannot be found.",
			report.unchecked,
			{
				Resource: resource,
				Field: ({ field }) => name(field),
				Why: ({ reason }) => words(reason),
			},
		),
		clockSection(clockChanges, { repair: `pulumi up${onStack(report)}` }),
	];
}

/** A repair cannot create a schedule whose name another one has got in the meantime. */
function takenNames({ missing, unmanaged }: DriftReport): string {
	const isTaken = (lost: ResourceRef) =>
		isScheduleKind(lost.kind) &&
		unmanaged.some(
			({ kind, team, name }) =>
				kind === "schedule" && team === lost.team && name === lost.name,
		);
	const names = missing.filter(isTaken).map((lost) => `"${plain(lost.name)}"`);
	if (names.length === 0) return "";
	return (
		` Unmanaged schedules have these names: ${someOf(names)}. Before the repair, delete or rename them, or ` +
		"set adopt to true to manage them."
	);
}

/** Daylight-saving changes; a forecast shows them too, in its own time zone. `repair` is for those that are past. */
export function clockSection(
	changes: readonly (Omit<ClockChange, keyof ResourceRef> & {
		readonly name: string;
	})[],
	{
		repair,
		timeText = moment,
	}: { repair?: string; timeText?: (instant: string) => string } = {},
): Section {
	const isLate = changes.some(({ isPast }) => isPast);
	const finding = isLate
		? "After a change, the schedule runs at a different local time than declared until the next deployment."
		: "After the change, these run at a different local time than declared until the next deployment.";
	const severity: Severity = isLate ? "odd" : "quiet";
	const fix = isLate && repair !== undefined ? { repair } : {};
	const about = { id: "clocks", title: "Daylight-saving changes", severity, ...fix };
	return sectionOf(about, finding, changes, {
		Schedule: (change) => name(change.name),
		"Time zone": ({ timeZone }) => name(timeZone),
		When: ({ at, isPast }) => time(`${timeText(at)}${isPast ? " (past)" : ""}`),
		"Cron in UTC": ({ from }) => cron(from),
		Becomes: ({ to }) => cron(to),
	});
}

const REF_CELLS: Readonly<Record<string, (ref: ResourceRef) => Cell>> = {
	Resource: (ref) => resource(ref),
	Name: (ref) => name(ref.name),
	Id: ({ id }) => name(id),
	Team: ({ team }) => name(team),
};

/** The rows of one resource share the cells that name it. */
function changedRows(change: ChangedResource) {
	const [who, called] = [resource(change), name(change.name)];
	return change.fields.map((row) => ({
		...row,
		who,
		called,
		changedAt: change.changedAt,
	}));
}

function notRunningWords({ why, pipeline, startAfter }: NotRunning): string {
	if (why === "paused") return `Its pipeline "${plain(pipeline ?? "")}" is paused.`;
	return `It does not run before ${exactMoment(startAfter ?? "")}.`;
}

/** Hidden values say only that they differ, or on which side there is one. */
const HIDDEN_WORDS = {
	added: { declared: "not set", live: "differs: set outside Pulumi" },
	removed: { declared: "set", live: "differs: not there" },
	changed: { declared: "set", live: "differs" },
} as const satisfies Record<FieldDrift["how"], object>;

/** As people read it: expressions with their meaning, instants in one notation, texts in quotes, so that an empty one shows. */
function valueCell(
	{ field, how, hidden, ...values }: FieldDrift,
	side: "declared" | "live",
): Cell {
	if (hidden) return words(HIDDEN_WORDS[how][side]);
	const value = values[side];
	if (value === undefined || value === null) return name("not set");
	if (typeof value !== "string") return name(String(value));
	if (field === "cronExpression" || field === "utcCron") return cron(value);
	return field === "startAfter" ? time(exactMoment(value)) : name(`"${plain(value)}"`);
}

const cron = (text: string): Cell => ({
	as: "cron",
	text,
	meaning: tryDescribeCron(text),
});

const resource = ({
	kind,
	resource: called,
}: Pick<ResourceRef, "kind" | "resource">): Cell => ({
	as: "resource",
	kind: kindEntry(kind)?.label ?? kind,
	name: called,
});

function failedCell({ what: checkName, kind, resource: managed }: FailedCheck): Cell {
	if (managed !== null) return resource({ kind, resource: managed });
	return words(checkName === "list" ? `list of ${kind}s` : kind);
}

const creator = (who: string | null): Cell => name(plain(who ?? "unknown"));

/** `2026-01-31 03:00 UTC, 3 days ago`, as seen from another moment. */
function momentAndAge(timestamp: string | null, seenFrom: string): string {
	const age = Date.parse(seenFrom) - Date.parse(timestamp ?? "");
	return Number.isNaN(age)
		? moment(timestamp)
		: `${moment(timestamp)}, ${agoText(age)}`;
}

function duplicateWords({ pipeline, samePipeline }: Duplicate): string {
	if (pipeline === null)
		return "has the same name; which pipeline it runs could not be read";
	if (samePipeline) return `runs the pipeline a second time ("${plain(pipeline)}")`;
	return `runs another pipeline under the same name ("${plain(pipeline)}")`;
}
