import type { ConflictError } from "../../../client";
import type { Schedule, ScheduleItem } from "../../../schemas/wire/schedule";
import { parseInstant } from "../../../text/instant";
import {
	agoText,
	ifForcedReplacement,
	ifInterrupted,
	ifRenamedResource,
	resourceName,
} from "../../model/messages";
import { described } from "../../model/table";
import type { Call } from "../../run/context";
import type { Candidate, NameRequest, Refusal } from "../../run/name-check";
import { type ListedSchedule, nameOf } from "../../run/team-lists";
import { SCHEDULE_FIELDS } from "./fields";

/** `id 7, created by ada 3 hours ago`. */
export function describeItem(call: Call, item: ScheduleItem): string {
	const at = item.created_at ? parseInstant(item.created_at) : undefined;
	const age = at === undefined ? "at an unknown time" : agoText(call.serviceNow() - at);
	const id = item.id < 0 ? "id unknown" : `id ${item.id}`;
	return `${id}, created by ${item.created_by?.username ?? "an unknown user"} ${age}`;
}

/** The name of its pipeline, which a list leaves out. */
export const pipelineOf = ({ pipeline }: Schedule): string =>
	pipeline?.name ?? "unknown";

/** As many as a message holds, for people. */
const listed = <T>(items: readonly T[], text: (item: T) => string): string =>
	items.slice(0, 10).map(text).join("; ");

/** Why a row of the list could not be read; undefined for one that was. */
export const unreadable = (live: Schedule & ListedSchedule): string | undefined =>
	live.unreadable;

/** Why a schedule cannot be created, adopted or renamed: what, which, why, and what to do next. */
export function refused(
	call: Call,
	request: NameRequest,
	refusal: Refusal<Schedule>,
): string {
	const { name, team } = request;
	const { live } = refusal.first;
	switch (refusal.why) {
		case "foreign":
			return otherForm(call, request, live) ?? foreign(call, request, refusal.first);
		case "several": {
			const list = listed(refusal.all, (each) => describeItem(call, each.live));
			return (
				`Team "${team}" has ${refusal.all.length} schedules named "${name}": ${list}. Nothing was changed. ` +
				'Names must be unique to be managed: delete or rename the others, then run "pulumi up" again.'
			);
		}
		case "unfit":
			return (
				otherForm(call, request, live) ??
				`Schedule "${name}" (id ${live.id}) in team "${team}" runs pipeline "${pipelineOf(live)}", not ` +
					`"${String(request.inputs.pipelineName)}", and the service cannot move a schedule to another pipeline. Set pipelineName ` +
					`to "${pipelineOf(live)}" to adopt it, or choose another scheduleName.`
			);
	}
}

function foreign(
	call: Call,
	request: NameRequest,
	candidate: Candidate<Schedule>,
): string {
	const { name, team, inputs } = request;
	const { live } = candidate;
	const exists = `already exists in team "${team}" (${describeItem(call, live)})`;
	if (request.to === "rename")
		return (
			`Another schedule named "${name}" ${exists}, so none was renamed to it. Choose another scheduleName, or rename or delete ` +
			`that one first. ${ifRenamedResource}`
		);
	const different = described(SCHEDULE_FIELDS, inputs, live, call).map(
		({ text }) => text,
	);
	const comparison =
		different.length === 0
			? "It is equal in every declared field"
			: `It differs: ${different.join("; ")}`;
	// What runs another pipeline is never adopted as equal.
	const interrupted = candidate.fits ? ` ${ifInterrupted("it")}` : "";
	const forced = candidate.equal ? ` ${ifForcedReplacement}` : "";
	return (
		`A schedule named "${name}" ${exists}. ${comparison}; it was not changed. ${ifRenamedResource} To manage it, set ` +
		`${toAdopt(request, candidate)}. Otherwise choose another scheduleName.${interrupted}${forced}`
	);
}

/** What makes the schedule one that can be adopted: it stays on its pipeline. */
function toAdopt(
	{ name, inputs }: NameRequest,
	{ fits, live }: Candidate<Schedule>,
): string {
	const there = live.pipeline?.name;
	const isElsewhere =
		!fits && live.schedule_name === name && there && there !== inputs.pipelineName;
	return isElsewhere ? `pipelineName to "${there}" and adopt to true` : "adopt to true";
}

/** A schedule that takes the name, and cannot be adopted under it: of another spelling, or unreadable. */
function otherForm(
	call: Call,
	{ name, team, to }: NameRequest,
	live: Schedule,
): string | undefined {
	const there = nameOf(live);
	const conflictText = `A schedule named "${there}" already exists in team "${team}" (${describeItem(call, live)})`;
	const why = unreadable(live);
	if (why !== undefined)
		return (
			`${conflictText}, and the service describes it in a form that cannot be read (${why}). It was not changed. Choose another ` +
			"scheduleName, or rename or delete that one in the web UI."
		);
	if (there === name) return undefined;
	return (
		`${conflictText}. "${name}" differs from it only in case, Unicode form, spaces or invisible characters, and some services take the two for one name. It was ` +
		`not changed. Set scheduleName to "${there}"${to === "rename" ? "" : " with adopt set to true to manage it"}, or choose another ` +
		"scheduleName."
	);
}

/** The service refuses a second schedule of a name, though the other one may be ours. */
export function conflict({ summary }: ConflictError, to: NameRequest["to"]): string {
	const replaced =
		to === "create"
			? "If this resource is replaced, set its resource option deleteBeforeReplace to true. "
			: "";
	return (
		`${summary} If the service requires unique names, another schedule has this name. ${replaced}If another resource of this stack releases ` +
		"the name, rename that one first, in a separate deployment. Otherwise choose another scheduleName."
	);
}

/** For a preview: the resource that has the name may still have its turn. */
export function mayBeRefused(
	call: Call,
	request: NameRequest,
	refusal: Refusal<Schedule>,
): string {
	const { name, team } = request;
	const list = listed(refusal.all, ({ live }) => {
		const there = nameOf(live);
		return `${there === name ? "" : `as "${there}", `}${describeItem(call, live)}`;
	});
	const mayAdopt = request.to === "create" && refusal.why === "foreign";
	const adopt = mayAdopt
		? `set ${toAdopt(request, refusal.first)} to manage it, or `
		: "";
	return (
		`${resourceName(call.urn)}: the name "${name}" is in use in team "${team}" (${list}). Unless a ` +
		`resource of this program has it, the deployment will fail: ${adopt}choose another scheduleName. ${ifRenamedResource}`
	);
}

/** The service stores the name in a form of its own. */
export function respelled(
	{ secrets }: Call,
	{
		scheduleName: declared,
		teamName: team,
	}: { readonly scheduleName: string; readonly teamName: string },
	made: ScheduleItem,
): string {
	const label = `Schedule (id ${made.id}) in team "${team}"`;
	const live = nameOf(made);
	// The service's spelling of a secret is as secret.
	if (secrets.includes("scheduleName"))
		return (
			`${label} exists, and the service stores its name in another spelling. Set scheduleName to the spelling that the web UI ` +
			'shows, then run "pulumi up" again.'
		);
	// They look alike: only the form tells them apart. Their code points are not shown, because the name may be a secret.
	const isSameText = live.normalize() === declared.normalize();
	const note = isSameText
		? ` The service stores Unicode ${formOf(live)}; the program has ${formOf(declared)}.`
		: "";
	return (
		`${label} exists, and the service calls it "${live}". Set scheduleName to "${live}" instead of "${declared}", then run ` +
		`"pulumi up" again.${note}`
	);
}

const formOf = (text: string): string =>
	["NFC", "NFD"].find((form) => text === text.normalize(form)) ??
	"text in a mixed form";
