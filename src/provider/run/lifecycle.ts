import { KINDS } from "../../schemas/kinds";
import { resourceName } from "../model/messages";
import { isUnknown, type Problem, type Props, problem } from "../model/props";
import { type Diff, differences } from "../model/table";
import type { Call } from "./context";
import type { DiffResult, ResourceHandler } from "./handler";
import type { Creation, KindBase, NamedKind, UnnamedKind } from "./kind";
import type { NameRequest, NameSearch } from "./name-check";
import type { ObjectRef } from "./owners";

export const withinSentence = (text: string): string =>
	`${text.charAt(0).toLowerCase()}${text.slice(1)}`;

export const teamOf = (call: Call, props: Props): string =>
	String(props.teamName ?? call.teamName);

export const refOf = (
	{ kind }: KindBase,
	call: Call,
	props: Props,
	id: string,
): ObjectRef => ({
	kind,
	team: teamOf(call, props),
	id,
});

/**
 * Fills in the connection's team if the program names none. A resource that lives in another team is not moved by a changed
 * environment variable or config value, because that would delete it there unasked.
 */
export function withTeam(
	call: Call,
	olds: Props,
	news: Props,
): { inputs: Props; problems: Problem[] } {
	if (news.teamName !== undefined && news.teamName !== null)
		return { inputs: news, problems: [] };
	const before = olds.teamName;
	if (typeof before !== "string" || isUnknown(before) || before === call.teamName)
		return { inputs: { ...news, teamName: call.teamName }, problems: [] };
	const text =
		`this resource is in team "${before}", but the connection now names team "${call.teamName}". ` +
		`Point the connection back to "${before}", or set teamName to "${call.teamName}" to move the resource there.`;
	return {
		inputs: { ...news, teamName: before },
		problems: [problem("teamName", text)],
	};
}

// ── Names ───────────────────────────────────────────────────────────────────────────────────────────────────────────

export const nameFieldOf = <Live>({ kind }: NamedKind<Live>): string =>
	KINDS[kind].nameField;

export const isRename = <Live>(
	kind: NamedKind<Live>,
	olds: Props,
	news: Props,
): boolean => olds[nameFieldOf(kind)] !== news[nameFieldOf(kind)];

export function nameRequest<Live>(
	kind: NamedKind<Live>,
	call: Call,
	inputs: Props,
	to: NameRequest["to"],
): NameRequest {
	return {
		urn: call.urn,
		to,
		kind: kind.kind,
		team: String(inputs.teamName),
		name: String(inputs[nameFieldOf(kind)]),
		inputs,
		adopts: inputs.adopt === true,
		adoptsEqual: call.adoptEqual,
	};
}

export function nameSearch<Live>(
	kind: NamedKind<Live>,
	call: Call,
	creation: Creation<Live>,
	olds: Props = {},
): NameSearch<Live> {
	const read = kind.fields[nameFieldOf(kind)]?.fromLive;
	const before = olds[nameFieldOf(kind)];
	return {
		// A check gets no id: the resource's own object is the one of the name that the state has.
		list: async (request, from) =>
			(await creation.list(call, request, from)).filter(
				({ live }) => before === undefined || read?.(live, olds) !== before,
			),
		detail: (request, candidate) => creation.detail(call, request, candidate),
	};
}

/**
 * If the program gives the resource another provider, its replacement comes without a diff, so nobody has told the id of the
 * object that it replaces. It is the one that equals the inputs in the state.
 */
export async function keepReplaced<Live>(
	kind: NamedKind<Live>,
	call: Call,
	creation: Creation<Live>,
	request: NameRequest,
): Promise<void> {
	const deployed = call.deployed.of(call.urn);
	if (deployed === undefined || deployed.id !== undefined) return;
	const listed = await creation.list(call, request, "recent");
	const [own, ...others] = listed.filter(
		({ live }) => differences(kind.fields, deployed.inputs, live).length === 0,
	);
	if (own === undefined || others.length > 0) return;
	call.owners.keep(call, refOf(kind, call, deployed.inputs, own.id));
}

// ── What all kinds share ────────────────────────────────────────────────────────────────────────────────────────────

/** Notes what the program declares and what the state has. The second check of a replacement has no olds. */
export function noteDeclared(call: Call, olds: Props, inputs: Props): void {
	call.declared.note(call.urn, inputs);
	if (Object.keys(olds).length > 0) call.deployed.note(call.urn, { inputs: olds });
}

/**
 * Rule 4: the diff keeps the resource's object, also if it will be replaced: its delete comes last. If another resource has
 * the object, this one gets its own by a replacement; the engine shows `identity` as the reason.
 */
export function keepOrReplace(
	kind: KindBase,
	call: Call,
	id: string,
	olds: Props,
	result: Diff,
	identity: string,
): Diff {
	const object = refOf(kind, call, olds, id);
	// A refresh asks too, also for resources that the program no longer has.
	if (!call.declared.has(call.urn)) {
		call.owners.noteInState(object);
		return result;
	}
	call.deployed.note(call.urn, { id, inputs: olds });
	if (call.owners.keep(call, object)) {
		kind.diffed?.(call, id, olds, result);
		return result;
	}
	call.notice(
		`${kind.words.label(olds, id)} belongs to resource ${resourceName(call.owners.of(object)?.urn ?? "")} in this deployment. ` +
			`Resource ${resourceName(call.urn)}, which has it in the state too, is replaced.`,
	);
	return { changes: true, replaces: [identity] };
}

export const withOrder = (
	{ kind }: KindBase,
	{ changes, replaces }: Diff,
): DiffResult => ({
	changes,
	replaces,
	// The engine may make a replacement of any update (replaceOnChanges).
	deleteBeforeReplace: KINDS[kind].deleteFirst,
});

/** The resource takes what it has just created. Another provider process may have been faster, and adopted it with consent. */
export function takeCreated(call: Call, object: ObjectRef, label: string): void {
	if (call.owners.take(call.urn, object)) return;
	throw new Error(
		`${label} was created, but resource ${resourceName(call.owners.of(object)?.urn ?? "")} of this program adopted it. ` +
			`Declare it in one place, or run "pulumi up" again so that ${resourceName(call.urn)} gets its own.`,
	);
}

/** Nothing has been sent yet. */
export function takeExisting(call: Call, object: ObjectRef, label: string): void {
	if (call.owners.take(call.urn, object)) return;
	throw new Error(
		`${label}: resource ${resourceName(call.owners.of(object)?.urn ?? "")} of this program already manages this object. Nothing was ` +
			"changed. Declare it in one place.",
	);
}

/** Rule 4: deletes the object unless a resource has taken it in this deployment. */
export function deleteUnlessTaken(
	kind: KindBase,
	call: Call,
	id: string,
	outs: Props,
): Promise<void> {
	return oneAtATime(call, refOf(kind, call, outs, id), () =>
		deleteNow(kind, call, id, outs),
	);
}

/** A create may take what a delete is about to reset: whoever comes second sees what the first one did. */
export const oneAtATime = <T>(
	call: Call,
	object: ObjectRef,
	work: () => Promise<T>,
): Promise<T> =>
	call.locks.run(JSON.stringify(["object", object.kind, object.team, object.id]), work);

async function deleteNow(
	kind: KindBase,
	call: Call,
	id: string,
	outs: Props,
): Promise<void> {
	const object = refOf(kind, call, outs, id);
	const recorded = { ...outs, teamName: object.team };
	const owner = call.owners.blocksDelete(call, object);
	if (owner === undefined) {
		await kind.remove(call, id, recorded);
		call.owners.release(object);
		// A replacement that deletes first comes without a diff if the user asked for it.
		call.deployed.note(call.urn, { id, inputs: recorded });
		return;
	}
	// A resource that was replaced by its own adoption need not be told of itself.
	if (owner.urn === call.urn || owner.urn === call.stateUrn) return;
	const declaredByOwner = call.declared.get(owner.urn);
	if (declaredByOwner !== undefined)
		await kind.removeRest?.(call, recorded, declaredByOwner);
	call.notice(
		`Resource ${resourceName(owner.urn)} of this program now manages ${withinSentence(kind.words.label(recorded, id))}, so nothing was deleted.`,
	);
}

/** The lifecycle of a kind without a name: what create and update do is the kind's own. */
export const unnamedLifecycle = (kind: UnnamedKind): ResourceHandler => ({
	fields: kind.fields,
	async check(call, olds, news) {
		const { inputs: given, problems } = withTeam(call, olds, news);
		const checked =
			problems.length > 0
				? { inputs: given, problems }
				: await kind.check(call, olds, given);
		noteDeclared(call, olds, checked.inputs);
		return checked;
	},
	async diff(call, id, olds, news) {
		const result = kind.diff(call, olds, news);
		return withOrder(kind, keepOrReplace(kind, call, id, olds, result, kind.identity));
	},
	create: (call, inputs) => kind.create(call, inputs),
	read: (call, id, outs) =>
		kind.read(call, id, { ...outs, teamName: teamOf(call, outs) }),
	async update(call, id, olds, inputs) {
		call.owners.keep(call, refOf(kind, call, inputs, id));
		return { outs: await kind.update(call, id, olds, inputs) };
	},
	delete: (call, id, outs) => deleteUnlessTaken(kind, call, id, outs),
});
