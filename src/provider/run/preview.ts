import { containsUnknown, type Problem, type Props } from "../model/props";
import { changes, described, fieldCarrying, isSent } from "../model/table";
import type { Call } from "./context";
import type { NamedKind } from "./kind";
import {
	isRename,
	keepReplaced,
	nameFieldOf,
	nameRequest,
	nameSearch,
	teamOf,
	withinSentence,
} from "./lifecycle";
import {
	type Candidate,
	isCertain,
	previewName,
	previewNameOfStep,
} from "./name-check";

/** Tells what `up` will decide about the name, by the same function. A problem is what it will refuse for certain. */
export async function previewNameCheck<Live>(
	kind: NamedKind<Live>,
	call: Call,
	olds: Props,
	inputs: Props,
): Promise<Problem[]> {
	const { creation } = kind;
	const isNew = olds[nameFieldOf(kind)] === undefined;
	if (creation === undefined || !(isNew || isRename(kind, olds, inputs))) return [];
	const request = nameRequest(kind, call, inputs, isNew ? "create" : "rename");
	if (call.previewsStep && isNew) await keepReplaced(kind, call, creation, request);
	const preview = call.previewsStep ? previewNameOfStep : previewName;
	const verdict = await preview(call, request, nameSearch(kind, call, creation, olds));
	// The diff of a rename to an equal object makes a replacement of it, which is checked as new.
	const moves =
		!isNew &&
		call.adoptEqual &&
		verdict.do === "refuse" &&
		(await mayMove(kind, call, inputs));
	if (verdict.do === "adopt") notifyAdoption(kind, call, inputs, verdict.object);
	if (verdict.do !== "refuse" || !call.preview || moves) return [];
	if (call.previewsStep && isCertain(call, request, verdict))
		return [
			{ field: nameFieldOf(kind), reason: creation.refused(call, request, verdict) },
		];
	call.notice(creation.mayBeRefused(call, request, verdict));
	return [];
}

/** What an adoption changes, which the engine's diff does not show. */
function notifyAdoption<Live>(
	kind: NamedKind<Live>,
	call: Call,
	inputs: Props,
	{ id, live }: Candidate<Live>,
): void {
	const changed = described(kind.fields, inputs, live, call).map(({ text }) => text);
	const effect =
		changed.length === 0
			? ": nothing will change."
			: ` will change it: ${changed.join("; ")}.`;
	const label = withinSentence(kind.words.label(inputs, id)).replace(
		" in team",
		" of team",
	);
	call.notice(`Adopting ${label}${effect}`);
}

/** A rename to the name of an equal object that the user consents to adopt: the resource moves there. */
export async function mayMove<Live>(
	kind: NamedKind<Live>,
	call: Call,
	inputs: Props,
): Promise<boolean> {
	const { creation } = kind;
	if (creation === undefined || containsUnknown(inputs)) return false;
	const request = { ...nameRequest(kind, call, inputs, "create"), adopts: false };
	const verdict = await previewName(call, request, nameSearch(kind, call, creation));
	return verdict.do === "adopt";
}

/** An update also restores declared fields that another user changed, which the engine's diff does not show. */
export async function notifyRestored<Live>(
	kind: NamedKind<Live>,
	call: Call,
	id: string,
	olds: Props,
	news: Props,
): Promise<void> {
	const { fields } = kind;
	if (kind.creation === undefined) return;
	// The update itself fails with the reason if the object cannot be read.
	const live = await kind
		.get(call, id, { ...olds, teamName: teamOf(call, olds) }, "recent")
		.catch(() => undefined);
	if (live === undefined) return;
	// The check has told of a pause.
	const changed = changes(fields, olds, news).map(({ field }) => field);
	// A change of one field may be sent as another one, which then differs for that reason alone.
	const sent = changed.filter((field) => isSent(fields, "update", field));
	const reported = new Set([
		"paused",
		...changed,
		...sent.map((field) => fieldCarrying(fields, field, news)),
	]);
	const restored = described(fields, news, live, call).filter(
		({ field }) =>
			!reported.has(field) &&
			isSent(fields, "update", field) &&
			!containsUnknown(news[field]),
	);
	if (restored.length === 0) return;
	const list = restored.map(({ text }) => text).join("; ");
	call.notice(
		`${kind.words.label(olds, id)} was changed outside Pulumi. The update will restore it: ${list}.`,
	);
}
