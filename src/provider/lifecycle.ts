import { ApiError, isMissing } from "../api";
import { lookUntil } from "../api/read-back";
import { KINDS, type Kind } from "../schemas/kinds";
import { messageOf } from "../schemas/wording";
import {
	type Ask,
	type Finder,
	type ObjectRef,
	obtain,
	predictVerdict,
	type Refusal,
	type Row,
	type Slot,
} from "./claims";
import type { Call } from "./context";
import {
	type CheckResult,
	containsUnknown,
	type DiffResult,
	isUnknown,
	PartialFailureError,
	type Problem,
	type Props,
	pick,
	problem,
	type ReadResult,
	type ResourceHandler,
} from "./handler";
import { resourceName } from "./messages";
import { pauseContradiction } from "./pauses";
import { secretsUntilDone } from "./secrets";
import {
	type AnyTable,
	changes,
	type Diff,
	described,
	diffByTable,
	differences,
	isSent,
	liveInputs,
	sentFor,
	stillUnconfirmed,
	type Table,
	unconfirmed,
	unconfirmedFields,
} from "./table";
import type { Freshness } from "./team-lists";

/** What every kind has, with a slot or without. */
interface Framed {
	readonly kind: Kind;
	/** Fills in defaults and computed inputs, and says what is wrong; the inputs have their team already. */
	check(call: Call, olds: Props, inputs: Props): Promise<CheckResult>;
	/** Called after the diff has kept or released the resource's object. */
	diffed?(call: Call, id: string, olds: Props, result: Diff): void;
	remove(call: Call, id: string, outs: Props): Promise<void>;
	readonly words: {
		/** A delete that did nothing, because another resource has the object; undefined if there is nothing to tell. */
		kept(call: Call, outs: Props, id: string, holder: string): string | undefined;
	};
}

/** A kind without a slot: its objects are not adopted by name, and no request changes a field of one. */
export interface Unslotted extends Framed {
	readonly fields: AnyTable;
	/** The input that the engine shows as the reason of a replacement if no input has changed. */
	readonly identity: string;

	diff(call: Call, olds: Props, news: Props): Diff;
	create(call: Call, inputs: Props): Promise<Created>;
	/** An import and a lookup know the team only. */
	read(call: Call, id: string, outs: Props): Promise<ReadResult>;
	/** Answers the outputs. */
	update(call: Call, id: string, olds: Props, inputs: Props): Promise<Props>;
}

/** A kind with a slot. The lifecycle below is the same for all of them. */
export interface Managed<Live> extends Framed {
	readonly fields: Table<Live>;

	/** Problems and notices that need the service. The slot is known, the other inputs only if `knowsAll`. */
	checkLive(call: Call, inputs: Props, olds: Props, knowsAll: boolean): Promise<Problem[]>;

	/** Outputs that a preview can tell from checked inputs alone. */
	predict?(call: Call, inputs: Props): Props;

	list(call: Call, ask: Ask, how: "recent" | "now"): Promise<readonly Row<Live>[]>;
	detail(call: Call, ask: Ask, row: Row<Live>, how: "with retries" | "once"): Promise<Row<Live> | undefined>;
	/** Left out if the kind's objects always exist, as a pipeline's settings do. */
	readonly creation?: Creation<Live>;

	/**
	 * The object: from a list, undefined if that does not show all of it; or asked for `now`, undefined if the service itself
	 * says that it is gone.
	 */
	get(call: Call, id: string, known: Props, from: Freshness): Promise<Live | undefined>;
	/** An import or a lookup: only the id is known. */
	imported?(call: Call, id: string): Promise<ReadResult>;

	/** Notices of a refresh. Answers the inputs that the state declares. */
	refreshed(call: Call, id: string, outs: Props, live: Live): Promise<Props>;
	outs(call: Call, inputs: Props, live: Live, adopted: boolean, known: Props): Props;

	/** How the object comes to what is declared. `olds` is what the state has, and empty for an adoption. */
	plan(call: Call, inputs: Props, live: Live, olds: Props, adopted: boolean): Promise<Plan<Live>>;

	readonly words: Framed["words"] & {
		/** `Schedule "a" (id 7) in team "ml"`. */
		which(inputs: Props, id: string): string;
		/** The predicate of two resources that declare one slot. */
		duplicate(inputs: Props): string;
		gone(call: Call, inputs: Props, id: string): Promise<string>;
		refused(call: Call, ask: Ask, because: Refusal<Live>): Promise<string>;
	};
}

/** Objects that a request creates under a name. */
interface Creation<Live> {
	/** A name in the form in which two names are compared. */
	folded(name: string): string;
	/** The new object. A `problem` says why it is not the declared one, though it is ours. */
	create(call: Call, inputs: Props): Promise<{ id: string; live: Live; problem?: string | undefined }>;
	/** Fails if a create cannot count as done. */
	confirm(call: Call, inputs: Props): Promise<void>;
	/** For a preview: another resource may still release the slot. */
	mayBeRefused(call: Call, ask: Ask, because: Refusal<Live>): string;
}

/** The requests by which an object comes to what is declared, before anything is sent. */
export interface Plan<Live> {
	/** False if there is nothing to send; then the object is not read again. */
	readonly writes: boolean;
	/** The fields that the requests carry. */
	readonly sent: ReadonlySet<string>;
	/** The inputs, with what the program has removed and the requests take away: until they are done, the state keeps it. */
	readonly untilDone: Props;
	/** Nothing was written if it fails with an ApiError that the service did not receive. */
	send(): Promise<void>;
	read(): Promise<Live>;
	/** What is not as declared, in words. */
	wrong(now: Live): readonly Wrong[];
	/** Called after each read that shows something wrong. */
	sendAgain?(wrong: readonly Wrong[]): Promise<void>;
	/** A reason why sending it again would not help; undefined if there is none. */
	explain?(wrong: readonly Wrong[], now: Live): string | undefined;
	outs(call: Call, inputs: Props, now: Live): Props;
}

export interface Wrong {
	/** Left out if it is none of ours. */
	readonly field?: string;
	readonly text: string;
}

interface Created {
	readonly id: string;
	readonly outs: Props;
}

/** What was refused is refused again until its reason is gone, which the refusal says how to reach. */
function againAfter(error: unknown): string {
	const failure = error instanceof Error && error.cause instanceof ApiError ? error.cause : error;
	const isRefused = failure instanceof ApiError && !failure.transient && (failure.status ?? 0) >= 400;
	return isRefused ? 'Then run "pulumi up", which sends it again.' : '"pulumi up" sends it again.';
}

const withinSentence = (text: string): string => `${text.charAt(0).toLowerCase()}${text.slice(1)}`;

const teamOf = (call: Call, props: Props): string => String(props.teamName ?? call.teamName);

const refOf = ({ kind }: Framed, call: Call, props: Props, id: string): ObjectRef => ({
	kind,
	team: teamOf(call, props),
	id,
});

/**
 * Fills in the connection's team if the program names none. A resource that lives in another team is not moved by a changed
 * environment variable or config value, because that would delete it there unasked.
 */
export function withTeam(call: Call, olds: Props, news: Props): { inputs: Props; problems: Problem[] } {
	if (news.teamName !== undefined && news.teamName !== null) return { inputs: news, problems: [] };
	const before = olds.teamName;
	if (typeof before !== "string" || isUnknown(before) || before === call.teamName)
		return { inputs: { ...news, teamName: call.teamName }, problems: [] };
	const text =
		`this resource is in team "${before}", but the connection now names team "${call.teamName}". ` +
		`Point the connection back to "${before}", or set teamName to "${call.teamName}" to move the resource there.`;
	return { inputs: { ...news, teamName: before }, problems: [problem("teamName", text)] };
}

// ── The frame of all kinds ──────────────────────────────────────────────────────────────────────────────────────────

/**
 * R3: the diff keeps the object or releases it. If another resource took it first, this one is replaced; the engine shows
 * `identity` as the reason.
 */
function keptOrReleased(
	kind: Framed,
	call: Call,
	id: string,
	olds: Props,
	result: Diff,
	identity: string,
): Diff {
	// A refresh asks too, also for resources that the program no longer has: that changes no claim.
	if (!call.declared.has(call.urn)) return result;
	const otherwise = { changes: true, replaces: [identity] };
	const object = refOf(kind, call, olds, id);
	const holder = call.claims.holder(object);
	if (holder !== undefined && holder !== call.urn) return otherwise;
	const claimed =
		result.replaces.length > 0 ? call.claims.release(call.urn, object) : call.claims.keep(call.urn, object);
	// Another provider process took it in the meantime.
	if (!claimed) return otherwise;
	kind.diffed?.(call, id, olds, result);
	return result;
}

const inOrder = ({ kind }: Framed, { changes, replaces }: Diff): DiffResult => ({
	changes,
	replaces,
	// The engine may make a replacement of any update (replaceOnChanges).
	deleteBeforeReplace: KINDS[kind].deleteFirst,
});

/** Claims what the resource has just created. Another provider process may have found it first, and adopted it with consent. */
export function claimMade(call: Call, object: ObjectRef, which: string): void {
	if (call.claims.take(call.urn, object)) return;
	throw new Error(
		`${which} was created, and at once adopted by resource ${resourceName(call.claims.holder(object) ?? "")} of this program, ` +
			`which manages it now. Declare it in one place, or run "pulumi up" again so that ${resourceName(call.urn)} gets its own.`,
	);
}

/** Only the create of a replacement shows that earlier deletes were its own: carries them out. */
async function finishReplaced(call: Call): Promise<void> {
	for (const finish of call.claims.replaced(call.urn)) await finish();
}

/** Deletes the object, unless another resource has it now, which is told. */
async function ended(
	kind: Framed,
	call: Call,
	id: string,
	outs: Props,
	mayBegin: (object: ObjectRef) => Promise<void> = async () => {},
): Promise<void> {
	const object = refOf(kind, call, outs, id);
	const known = { ...outs, teamName: object.team };
	const remove = () => kind.remove(call, id, known);
	const holder = await call.claims.end(object, remove, () => mayBegin(object));
	const claim = call.claims.of(object);
	// Its own replacement, which the engine has not asked for yet, carries the delete out.
	const isPutOff = claim.is === "held" && claim.by === call.urn && claim.since === "state";
	const told = holder && !isPutOff && kind.words.kept(call, known, id, holder);
	if (told) call.notice(told);
}

/** The lifecycle of a kind without a slot: what create and update do is the kind's own. */
export const frame = (kind: Unslotted): ResourceHandler => ({
	fields: kind.fields,
	async check(call, olds, news) {
		const { inputs: given, problems } = withTeam(call, olds, news);
		const checked = problems.length > 0 ? { inputs: given, problems } : await kind.check(call, olds, given);
		call.claims.declare(call.urn, undefined);
		call.declared.set(call.urn, checked.inputs);
		return checked;
	},
	async diff(call, id, olds, news) {
		const result = kind.diff(call, olds, news);
		return inOrder(kind, keptOrReleased(kind, call, id, olds, result, kind.identity));
	},
	async create(call, inputs) {
		await finishReplaced(call);
		return kind.create(call, inputs);
	},
	read: (call, id, outs) => kind.read(call, id, { ...outs, teamName: teamOf(call, outs) }),
	async update(call, id, olds, inputs) {
		call.claims.keep(call.urn, refOf(kind, call, inputs, id));
		return { outs: await kind.update(call, id, olds, inputs) };
	},
	delete: (call, id, outs) => ended(kind, call, id, outs),
});

// ── The lifecycle of a kind with a slot ─────────────────────────────────────────────────────────────────────────────

/** check, diff, create, read, update and delete, from the kind's table and its verbs. */
export const lifecycle = <Live>(kind: Managed<Live>): ResourceHandler => new Lifecycle(kind);

class Lifecycle<Live> implements ResourceHandler {
	readonly fields: Table<Live>;
	readonly predict: ResourceHandler["predict"];
	private readonly nameField: string;

	constructor(private readonly kind: Managed<Live>) {
		this.fields = kind.fields;
		this.predict = kind.predict;
		this.nameField = KINDS[kind.kind].nameField;
	}

	// ── Check ──

	async check(call: Call, olds: Props, news: Props): Promise<CheckResult> {
		const { kind, fields, nameField } = this;
		const { inputs: given, problems } = withTeam(call, olds, news);
		const checked = await kind.check(call, olds, given);
		const { inputs } = checked;
		const found = [...problems, ...checked.problems, ...this.declareSlot(call, inputs)];
		const touched = call.secretsMoved || changes(fields, olds, inputs).length > 0;
		const isPlaced = !containsUnknown([inputs.teamName, inputs[nameField]]);
		if (found.length > 0 || !touched || !isPlaced) return { inputs, problems: found };
		const knowsAll = !containsUnknown(inputs);
		const more = await kind.checkLive(call, inputs, olds, knowsAll);
		const isNew = olds[nameField] === undefined;
		if (kind.creation && knowsAll && more.length === 0 && (isNew || this.isRename(olds, inputs)))
			await this.tellVerdict(call, olds, inputs, kind.creation);
		return { inputs, problems: more };
	}

	/** One slot, one resource; one pipeline, one answer to whether it is paused. */
	private declareSlot(call: Call, inputs: Props): Problem[] {
		const { teamName: team, [this.nameField]: name } = inputs;
		const known = typeof team === "string" && typeof name === "string" && !containsUnknown([team, name]);
		const other = call.claims.declare(call.urn, known ? this.slotOf(inputs) : undefined);
		call.declared.set(call.urn, inputs);
		const contradiction = pauseContradiction(call, inputs);
		if (other === undefined) return contradiction;
		const text = `${resourceName(call.urn)} and ${resourceName(other)} ${this.kind.words.duplicate(inputs)}`;
		return [...contradiction, problem(this.nameField, text)];
	}

	private isRename(olds: Props, news: Props): boolean {
		return olds[this.nameField] !== news[this.nameField];
	}

	/** R9: tells what `up` will decide about the slot, as far as that is known. */
	private async tellVerdict(
		call: Call,
		olds: Props,
		inputs: Props,
		{ mayBeRefused }: Creation<Live>,
	): Promise<void> {
		const { kind, fields, nameField } = this;
		const isNew = olds[nameField] === undefined;
		const ask = this.askFor(call, inputs, { to: isNew ? "make" : "rename" });
		const find = this.finder(call);
		// The engine tells a check no id: its own object is the one of the name that the state has.
		const list: typeof find.list = async (...args) =>
			(await find.list(...args)).filter(
				({ live }) => fields[nameField]?.read?.(live, olds) !== olds[nameField],
			);
		const verdict = await predictVerdict(call.claims, ask, { ...find, list });
		if (verdict.do === "refuse" && ["foreign", "several", "unfit"].includes(verdict.because.why)) {
			// The diff of a rename to an equal object makes a replacement of it, which is checked as new.
			if (!isNew && call.adoptEqual && (await this.wouldAdoptEqual(call, inputs))) return;
			// The engine asks one resource after the other, in any order, so another one may still release the slot.
			if (call.preview) call.notice(mayBeRefused(call, ask, verdict.because));
		}
		if (verdict.do !== "adopt") return;
		// The resource that has it in the state is told by its diff, as in the deployment.
		if (call.preview) call.claims.take(call.urn, refOf(kind, call, inputs, verdict.of.id));
		const changed = described(fields, inputs, verdict.of.live, call).map(({ text }) => text);
		const what = changed.length === 0 ? ": nothing will change." : ` will change it: ${changed.join("; ")}.`;
		const which = withinSentence(kind.words.which(inputs, verdict.of.id)).replace(" in team", " of team");
		call.notice(`Adopting ${which}${what}`);
	}

	// ── Diff ──

	async diff(call: Call, id: string, olds: Props, news: Props): Promise<DiffResult> {
		const { kind, nameField } = this;
		const byTable = diffByTable(this.fields, olds, news);
		if (!call.declared.has(call.urn)) return inOrder(kind, byTable);
		const moves = byTable.replaces.length === 0 && (await this.movesToEqual(call, olds, news));
		this.tellUnconfirmed(call, olds);
		const wanted = moves ? { changes: true, replaces: [nameField] } : byTable;
		const result = keptOrReleased(kind, call, id, olds, wanted, nameField);
		if (result.changes && result.replaces.length === 0 && kind.creation)
			await this.tellRestored(call, id, olds, news);
		return inOrder(kind, result);
	}

	/** R9: the engine shows no line for a field that is the same in the state and in the program. */
	private tellUnconfirmed(call: Call, olds: Props): void {
		const fields = unconfirmedFields(olds);
		if (fields.length === 0) return;
		call.notice(
			`${resourceName(call.urn)}: an earlier deployment sent ${fields.join(", ")}, and could not confirm the new value. ` +
				"The declared value is sent again.",
		);
	}

	/** A rename to the name of an equal object that the user consents to adopt: the resource moves there. */
	private async movesToEqual(call: Call, olds: Props, news: Props): Promise<boolean> {
		if (!this.kind.creation || !call.adoptEqual || !this.isRename(olds, news) || containsUnknown(news))
			return false;
		return this.wouldAdoptEqual(call, news);
	}

	private async wouldAdoptEqual(call: Call, inputs: Props): Promise<boolean> {
		const ask = this.askFor(call, inputs, { to: "make", adopts: false });
		return (await predictVerdict(call.claims, ask, this.finder(call))).do === "adopt";
	}

	/** R9: an update also restores declared fields that another user changed, which the engine's diff does not show. */
	private async tellRestored(call: Call, id: string, olds: Props, news: Props): Promise<void> {
		const { kind, fields } = this;
		// The update itself fails with the reason if the object cannot be read.
		const live = await kind
			.get(call, id, { ...olds, teamName: teamOf(call, olds) }, "recent")
			.catch(() => undefined);
		if (live === undefined) return;
		// The check has told of a pause.
		const changed = changes(fields, olds, news).map(({ field }) => field);
		// A change of one field may be sent as another one, which then differs for that reason alone.
		const sent = changed.filter((field) => isSent(fields, "update", field));
		const shown = new Set(["paused", ...changed, ...sent.map((field) => sentFor(fields, field, news))]);
		const restored = described(fields, news, live, call).filter(
			({ field }) => !shown.has(field) && isSent(fields, "update", field) && !containsUnknown(news[field]),
		);
		if (restored.length === 0) return;
		const list = restored.map(({ text }) => text).join("; ");
		call.notice(
			`${kind.words.which(olds, id)} was changed outside Pulumi. The update will restore it: ${list}.`,
		);
	}

	// ── Create ──

	async create(call: Call, inputs: Props): Promise<Created> {
		const { creation, words } = this.kind;
		await finishReplaced(call);
		const ask = this.askFor(call, inputs, { to: "make" });
		const verdict = await this.obtained(call, ask);
		if (verdict.do === "adopt") {
			const { live, empty, id } = verdict.of;
			return { id, outs: await this.reconcile(call, id, inputs, live, {}, !empty) };
		}
		if (creation === undefined) throw new Error(await words.gone(call, inputs, ""));
		return this.made(call, inputs, creation);
	}

	private askFor(
		call: Call,
		inputs: Props,
		more: Pick<Ask, "to"> & Partial<Pick<Ask, "urn" | "own" | "adopts">>,
	): Ask {
		return {
			urn: call.urn,
			slot: this.slotOf(inputs),
			adopts: inputs.adopt === true,
			adoptsEqual: call.adoptEqual,
			persists: this.kind.creation === undefined,
			inputs,
			...more,
		};
	}

	private slotOf(inputs: Props): Slot {
		const name = String(inputs[this.nameField]);
		const folded = this.kind.creation?.folded(name) ?? name;
		return { kind: this.kind.kind, team: String(inputs.teamName), name, folded };
	}

	/** Obtains the slot, or throws the reason. */
	private async obtained(call: Call, ask: Ask) {
		const verdict = await obtain(call, ask, this.finder(call));
		if (verdict.do === "refuse") throw new Error(await this.kind.words.refused(call, ask, verdict.because));
		return verdict;
	}

	private finder(call: Call): Finder<Live> {
		return {
			list: async (ask, how) => (await this.kind.list(call, ask, how)).filter(({ id }) => id !== ask.own),
			detail: (ask, row, how) => this.kind.detail(call, ask, row, how),
			askOf: (urn, to, own) => {
				const inputs = call.declared.get(urn);
				return inputs && this.askFor(call, inputs, { urn, to, own });
			},
		};
	}

	private async made(call: Call, inputs: Props, { create, confirm }: Creation<Live>): Promise<Created> {
		const { kind, fields } = this;
		const { id, live, problem: wrong } = await create(call, inputs);
		const which = kind.words.which(inputs, id);
		claimMade(call, refOf(kind, call, inputs, id), which);
		const failed = (known: Props, reason: string) =>
			new PartialFailureError(id, kind.outs(call, known, live, false, {}), reason);
		if (wrong !== undefined) throw failed(liveInputs(fields, inputs, live), wrong);
		try {
			const outs = await this.reconcile(call, id, inputs, live, inputs, false);
			await confirm(call, inputs);
			return { id, outs };
		} catch (error) {
			if (error instanceof PartialFailureError) throw error;
			throw failed(inputs, `${which.replace(" in team", " was created in team")}, but: ${messageOf(error)}`);
		}
	}

	/**
	 * The one way in which an object comes to what is declared: sends what differs, then reads back until the service shows
	 * it. What was sent and not seen goes into the state.
	 */
	private async reconcile(
		call: Call,
		id: string,
		inputs: Props,
		live: Live,
		olds: Props,
		wasAdopted: boolean,
	): Promise<Props> {
		const { kind, fields } = this;
		const plan = await kind.plan(call, inputs, live, olds, wasAdopted);
		let now = live;
		let isSendDone = false;
		/** The state must show what is there, or the next deployment would see nothing to do. */
		const failed = (reason: string, unseen: readonly string[], cause?: unknown) => {
			// What is there may be an earlier secret, and outputs that are made of it are as secret.
			const wary = { ...call, secrets: secretsUntilDone(call) };
			const outs = plan.outs(wary, liveInputs(fields, plan.untilDone, now, unseen), now);
			const record = unconfirmed(fields, unseen, inputs);
			return new PartialFailureError(id, { ...outs, ...record }, reason, { cause });
		};
		const settle = (unseen: readonly string[]) =>
			call.claims.settle(refOf(kind, call, inputs, id), unseen.includes(this.nameField) ? "failed" : "done");
		const look = async () => {
			if (plan.writes) now = await plan.read();
			const wrong = plan.wrong(now);
			if (wrong.length > 0) await plan.sendAgain?.(wrong);
			return wrong;
		};
		try {
			await plan.send();
			isSendDone = true;
			const wrong = await lookUntil(call, look, ({ length }) => length === 0);
			const unseen = [...plan.sent].filter((sent) => wrong.some(({ field }) => field === sent));
			settle(unseen);
			if (wrong.length === 0) return plan.outs(call, inputs, now);
			const explained = plan.explain?.(wrong, now);
			if (explained !== undefined) throw failed(explained, []);
			const list = wrong.map(({ text }) => text).join("; ");
			throw failed(
				`The service accepted ${withinSentence(kind.words.which(inputs, id))}, but shows other values: ${list}. Run ` +
					`"pulumi up" again; if that does not help, compare the ${withinSentence(KINDS[kind.kind].called)} in the web UI.`,
				unseen,
			);
		} catch (error) {
			const isUnsent = !isSendDone && error instanceof ApiError && error.received === false;
			if (error instanceof PartialFailureError || !plan.writes || isUnsent) throw error;
			settle([...plan.sent]);
			throw failed(`${messageOf(error)} ${againAfter(error)}`, [...plan.sent], error);
		}
	}

	// ── Update, read and delete ──

	async update(call: Call, id: string, olds: Props, inputs: Props): Promise<{ outs: Props }> {
		const { kind } = this;
		const object = refOf(kind, call, inputs, id);
		call.claims.keep(call.urn, object);
		const renames = this.isRename(olds, inputs);
		try {
			const live = (await kind.get(call, id, olds, "recent")) ?? (await kind.get(call, id, olds, "now"));
			if (live === undefined) throw new Error(await kind.words.gone(call, inputs, id));
			if (renames) await this.obtained(call, this.askFor(call, inputs, { to: "rename", own: id }));
			return { outs: await this.reconcile(call, id, inputs, live, olds, olds.adopted === true) };
		} catch (error) {
			// The old name stays taken: whoever waits for it must not create a duplicate.
			if (renames && !(error instanceof PartialFailureError)) call.claims.settle(object, "failed");
			// Another user may have deleted it after it was read; but a reply that lags behind misses it too.
			const isPartial = error instanceof PartialFailureError;
			if (!isMissing(isPartial ? error.cause : error) || !(await this.isGone(call, id, olds))) throw error;
			const gone = await kind.words.gone(call, inputs, id);
			throw isPartial
				? new PartialFailureError(id, error.outs, gone, { cause: error })
				: new Error(gone, { cause: error });
		}
	}

	private isGone(call: Call, id: string, known: Props): Promise<boolean> {
		return this.kind.get(call, id, known, "now").then(
			(live) => live === undefined,
			() => false,
		);
	}

	async read(call: Call, id: string, outs: Props): Promise<ReadResult> {
		const { kind, fields } = this;
		if (kind.imported && outs[this.nameField] === undefined) return kind.imported(call, id);
		const known = { ...outs, teamName: teamOf(call, outs) };
		const listed = await kind.get(call, id, known, "shared");
		// A list may lag behind our own writes, so drift is confirmed by a direct request.
		const isAsKnown = listed !== undefined && differences(fields, known, listed).length === 0;
		const live = isAsKnown ? listed : await kind.get(call, id, known, "now");
		if (live === undefined) return {};
		const declared = await kind.refreshed(call, id, known, live);
		const inputs = { ...pick(outs, ["paused"]), ...liveInputs(fields, declared, live) };
		const now = kind.outs(call, inputs, live, outs.adopted === true, outs);
		return { state: { id, inputs, outs: { ...now, ...stillUnconfirmed(fields, outs, live) } } };
	}

	delete(call: Call, id: string, outs: Props): Promise<void> {
		return ended(this.kind, call, id, outs, (object) => this.refuseBeforeReplacing(call, object));
	}

	/** A replacement that cannot obtain its slot must not begin with a delete. */
	private async refuseBeforeReplacing(call: Call, object: ObjectRef): Promise<void> {
		const claim = call.claims.of(object);
		if (claim.is === "releasing" && claim.started) return;
		// With `--replace` there is no diff: the program declares the resource, which has no object so far. If it has one, the
		// delete is that of an earlier replacement.
		const by = claim.is === "releasing" ? claim.by : call.stateUrn;
		const inputs = by === undefined || call.claims.holdsAny(by) ? undefined : call.declared.get(by);
		if (by !== undefined && inputs !== undefined)
			await this.obtained(call, this.askFor(call, inputs, { urn: by, to: "replace", own: object.id }));
	}
}
