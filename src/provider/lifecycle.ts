import { ApiError, isMissing } from "../api";
import { lookUntil } from "../api/read-back";
import { KINDS, type Kind } from "../schemas/kinds";
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
	compact,
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
import {
	type AnyTable,
	changes,
	checkFields,
	type Difference,
	describe,
	diffByTable,
	differences,
	liveInputs,
	stillUnconfirmed,
	type Table,
	unconfirmed,
	unconfirmedFields,
	unlessDrifted,
} from "./table";

/** What every kind has, with a slot or without. */
interface Framed {
	readonly kind: Kind;
	/** Called after the diff has kept or released the resource's object. */
	diffed?(call: Call, id: string, olds: Props, result: DiffResult): void;
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

	/** The inputs have their team already. */
	check(call: Call, olds: Props, inputs: Props): Promise<CheckResult>;
	diff(call: Call, olds: Props, news: Props): DiffResult;
	create(call: Call, inputs: Props): Promise<Created>;
	read(call: Call, id: string, outs: Props): Promise<ReadResult>;
	/** Answers the outputs. */
	update(call: Call, id: string, olds: Props, inputs: Props): Promise<Props>;
	remove(call: Call, id: string, outs: Props): Promise<void>;
}

/** A kind with a slot. The lifecycle below is the same for all of them. */
export interface Managed<Live> extends Framed {
	readonly fields: Table<Live>;
	/** The object is there before and after every claim, as a pipeline's settings are. */
	readonly persists: boolean;

	/** A name in the form in which two names are compared. Default: as it is. */
	folded?(name: string): string;
	/** The inputs with their defaults. */
	defaults(call: Call, news: Props): Props;
	/** Checks rules between fields and adds computed inputs; `wrong` are the problems of the schemas. */
	rules(call: Call, olds: Props, inputs: Props, wrong: Problem[]): Promise<CheckResult>;
	/** Problems and notices that need the service. The slot is known, the other inputs only if `knowsAll`. */
	checkLive(call: Call, inputs: Props, olds: Props, knowsAll: boolean): Promise<Problem[]>;

	/** Outputs that a preview can tell from checked inputs alone. */
	predict?(call: Call, inputs: Props): Props;

	idOf(live: Live, inputs: Props): string;
	list(call: Call, ask: Ask, how: "cached" | "fetched"): Promise<readonly Row<Live>[]>;
	detail(call: Call, ask: Ask, row: Row<Live>, how: "with retries" | "once"): Promise<Row<Live> | undefined>;
	/** The object from the shared lists, if they show all of it. */
	listed(call: Call, id: string, known: Props, how: "reading" | "updating"): Promise<Live | undefined>;
	/** Undefined if the service itself says that the object is gone. */
	get(call: Call, id: string, known: Props): Promise<Live | undefined>;
	/** One read, without retries. */
	getNow(call: Call, id: string, inputs: Props): Promise<Live>;
	/** Left out if the kind's objects always exist. */
	create?(call: Call, inputs: Props): Promise<Live>;
	/** Replaces the common way if a request carries more than fields. Answers the outputs. */
	reconcile?(call: Call, inputs: Props, live: Live, olds: Props, adopted: boolean): Promise<Props>;
	/** An import or a lookup: only the id is known. */
	imported?(call: Call, id: string): Promise<ReadResult>;
	/** Fails if a create cannot count as done. */
	confirm?(call: Call, inputs: Props): Promise<void>;
	write?(call: Call, id: string, inputs: Props, fields: ReadonlySet<string>, olds: Props): Promise<void>;
	/** Another way to write a field that the service does not show as written. */
	insist?(call: Call, inputs: Props, field: string): Promise<void>;
	remove(call: Call, id: string, outs: Props): Promise<void>;

	/** Notices of a refresh. Answers the inputs that the state declares. */
	refreshed(call: Call, id: string, outs: Props, live: Live): Promise<Props>;
	outs(call: Call, inputs: Props, live: Live, adopted: boolean, known: Props): Props;

	readonly words: Framed["words"] & {
		/** `Schedule "a" (id 7) in team "ml"`. */
		which(inputs: Props, id: string): string;
		/** The predicate of two resources that declare one slot. */
		duplicate(inputs: Props): string;
		gone(call: Call, inputs: Props, id: string): Promise<string>;
		refused(call: Call, ask: Ask, because: Refusal<Live>): Promise<string>;
		/** The service has the name in another spelling; only for a kind with `folded`. */
		respelled?(call: Call, inputs: Props, id: string, live: unknown): string;
		/** For a preview: another resource may still release the slot. */
		mayBeRefused(call: Call, ask: Ask, because: Refusal<Live>): string;
	};
}

interface Created {
	readonly id: string;
	readonly outs: Props;
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

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

/** The resource is replaced; the engine shows this field as the reason. */
const replacement = (kind: Kind, field: string = KINDS[kind].nameField): DiffResult => ({
	changes: true,
	replaces: [field],
	deleteBeforeReplace: KINDS[kind].deleteFirst,
});

/** R3: the diff keeps the object or releases it. If another resource took it first, this one is replaced: `otherwise`. */
function keptOrReleased(
	kind: Framed,
	call: Call,
	id: string,
	olds: Props,
	result: DiffResult,
	otherwise: DiffResult,
): DiffResult {
	// A refresh asks too, also for resources that the program no longer has: that changes no claim.
	if (!call.claims.isDeclared(call.urn)) return result;
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

/** A create of a resource that the state has is its replacement: carries out the deletes that waited for it. */
async function finishReplaced(call: Call): Promise<void> {
	for (const finish of call.claims.replaced(call.urn)) await finish();
}

/** Deletes the object, unless another resource has it now, which is told. */
async function ended(
	kind: Framed,
	call: Call,
	id: string,
	outs: Props,
	end: (known: Props, object: ObjectRef) => Promise<void>,
): Promise<void> {
	const object = refOf(kind, call, outs, id);
	const known = { ...outs, teamName: object.team };
	const holder = await call.claims.end(object, () => end(known, object));
	const told = holder && kind.words.kept(call, known, id, holder);
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
		return keptOrReleased(kind, call, id, olds, result, replacement(kind.kind, kind.identity));
	},
	async create(call, given) {
		const inputs = pick(given, Object.keys(kind.fields));
		await finishReplaced(call);
		return kind.create(call, inputs);
	},
	read: (call, id, outs) => kind.read(call, id, outs),
	async update(call, id, olds, given) {
		const inputs = pick(given, Object.keys(kind.fields));
		call.claims.keep(call.urn, refOf(kind, call, inputs, id));
		return { outs: await kind.update(call, id, olds, inputs) };
	},
	delete: (call, id, outs) =>
		ended(kind, call, id, outs, async (known, object) => {
			call.claims.ending(object);
			await kind.remove(call, id, known);
		}),
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

	async check(call: Call, olds: Props, news: Props): Promise<CheckResult> {
		const { kind, fields, nameField } = this;
		const { inputs: given, problems } = withTeam(call, olds, kind.defaults(call, news));
		const checked = await kind.rules(call, olds, given, checkFields(fields, olds, given));
		const { inputs } = checked;
		const found = [...problems, ...checked.problems, ...this.declareSlot(call, inputs)];
		const touched = call.secretsMoved || changes(fields, olds, inputs).length > 0;
		const isPlaced = !containsUnknown([inputs.teamName, inputs[nameField]]);
		if (found.length > 0 || !touched || !isPlaced) return { inputs, problems: found };
		const knowsAll = !containsUnknown(inputs);
		const more = await kind.checkLive(call, inputs, olds, knowsAll);
		const isNew = olds[nameField] === undefined;
		if (!kind.persists && knowsAll && more.length === 0 && (isNew || this.isRename(olds, inputs)))
			await this.tellVerdict(call, inputs, isNew);
		return { inputs, problems: more };
	}

	async diff(call: Call, id: string, olds: Props, news: Props): Promise<DiffResult> {
		const { kind } = this;
		const byTable = diffByTable(this.fields, olds, news);
		if (!call.claims.isDeclared(call.urn)) return byTable;
		const moves = byTable.replaces.length === 0 && (await this.movesToEqual(call, olds, news));
		tellUnconfirmed(call, olds);
		const replaced = replacement(kind.kind);
		const result = keptOrReleased(kind, call, id, olds, moves ? replaced : byTable, replaced);
		if (result.changes && result.replaces.length === 0 && !kind.persists)
			await this.tellRestored(call, id, olds, news);
		return result;
	}

	async create(call: Call, given: Props): Promise<Created> {
		const inputs = pick(given, Object.keys(this.fields));
		await finishReplaced(call);
		const ask = this.askFor(call, inputs, { to: "make" });
		return call.locks.run(lockOf(ask.slot), async () => {
			const verdict = await this.obtained(call, ask);
			if (verdict.do !== "adopt") return this.made(call, inputs);
			const { live, empty, id } = verdict.of;
			return { id, outs: await this.reconcile(call, inputs, live, {}, ask.adopts || !empty) };
		});
	}

	async read(call: Call, id: string, outs: Props): Promise<ReadResult> {
		const { kind, fields } = this;
		if (kind.imported && outs[this.nameField] === undefined) return kind.imported(call, id);
		const known = { ...outs, teamName: teamOf(call, outs) };
		const listed = await kind.listed(call, id, known, "reading");
		const live = unlessDrifted(fields, known, listed) ?? (await kind.get(call, id, known));
		if (live === undefined) return {};
		const declared = await kind.refreshed(call, id, known, live);
		const inputs = { ...pick(outs, ["paused"]), ...liveInputs(fields, declared, live) };
		const now = kind.outs(call, inputs, live, outs.adopted === true, outs);
		return { state: { id, inputs, outs: { ...now, ...stillUnconfirmed(fields, outs, live) } } };
	}

	async update(call: Call, id: string, olds: Props, given: Props): Promise<{ outs: Props }> {
		const { kind } = this;
		const inputs = pick(given, Object.keys(this.fields));
		const object = refOf(kind, call, inputs, id);
		call.claims.keep(call.urn, object);
		const renames = this.isRename(olds, inputs);
		const change = async () => {
			const known = { ...olds, ...pick(inputs, ["teamName", "pipelineName"]) };
			const live = (await kind.listed(call, id, known, "updating")) ?? (await kind.get(call, id, olds));
			if (live === undefined) throw new Error(await kind.words.gone(call, inputs, id));
			if (renames) await this.obtained(call, this.askFor(call, inputs, { to: "rename", own: id }));
			return { outs: await this.reconcile(call, inputs, live, olds, olds.adopted === true) };
		};
		try {
			return await (kind.persists ? call.locks.run(lockOf(this.slotOf(inputs)), change) : change());
		} catch (error) {
			// A resource that waits for the name which this one keeps must not create a duplicate.
			if (renames && !(error instanceof PartialFailureError)) call.claims.settle(object, "failed");
			// Another user deleted it after it was read.
			if (isMissing(error instanceof PartialFailureError ? error.cause : error))
				throw new Error(await kind.words.gone(call, inputs, id), { cause: error });
			throw error;
		}
	}

	delete(call: Call, id: string, outs: Props): Promise<void> {
		return ended(this.kind, call, id, outs, async (known, object) => {
			await this.refuseBeforeReplacing(call, object);
			call.claims.ending(object);
			await this.kind.remove(call, id, known);
		});
	}

	// ── The slot ──

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

	private slotOf(inputs: Props): Slot {
		const name = String(inputs[this.nameField]);
		const folded = this.kind.folded?.(name) ?? name;
		return { kind: this.kind.kind, team: String(inputs.teamName), name, folded };
	}

	private isRename(olds: Props, news: Props): boolean {
		return olds[this.nameField] !== news[this.nameField];
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
			persists: this.kind.persists,
			inputs,
			...more,
		};
	}

	private finder(call: Call): Finder<Live> {
		return {
			list: (ask, how) => this.kind.list(call, ask, how),
			detail: (ask, row, how) => this.kind.detail(call, ask, row, how),
			askOf: (urn, to, own) => {
				const inputs = call.declared.get(urn);
				return inputs && this.askFor(call, inputs, { urn, to, own });
			},
		};
	}

	/** Obtains the slot, or throws the reason. */
	private async obtained(call: Call, ask: Ask) {
		const verdict = await obtain(call, ask, this.finder(call));
		if (verdict.do === "refuse") throw new Error(await this.kind.words.refused(call, ask, verdict.because));
		return verdict;
	}

	/** R9: tells what `up` will decide about the slot, as far as that is known. */
	private async tellVerdict(call: Call, inputs: Props, isNew: boolean): Promise<void> {
		const { kind, fields } = this;
		const ask = this.askFor(call, inputs, { to: isNew ? "make" : "rename" });
		const verdict = await predictVerdict(call.claims, ask, this.finder(call));
		if (verdict.do === "refuse" && ["foreign", "several", "unfit"].includes(verdict.because.why)) {
			// The diff of a rename to an equal object makes a replacement of it, which is checked as new.
			if (!isNew && call.adoptEqual && (await this.wouldAdoptEqual(call, inputs))) return;
			// The engine asks one resource after the other, in any order, so another one may still release the slot.
			if (call.preview) call.notice(kind.words.mayBeRefused(call, ask, verdict.because));
		}
		if (verdict.do !== "adopt") return;
		// The resource that has it in the state is told by its diff, as in the deployment.
		if (call.preview) call.claims.take(call.urn, refOf(kind, call, inputs, verdict.of.id));
		const list = differences(fields, inputs, verdict.of.live).map((row) => describe(fields, row, call));
		const what = list.length === 0 ? ": nothing will change." : ` will change it: ${list.join("; ")}.`;
		call.notice(
			`Adopting ${kind.words.which(inputs, verdict.of.id).replace(/^S/, "s").replace(" in team", " of team")}${what}`,
		);
	}

	/** R9: an update also restores declared fields that another user changed, which the engine's diff does not show. */
	private async tellRestored(call: Call, id: string, olds: Props, news: Props): Promise<void> {
		const { kind, fields } = this;
		// The update itself fails with the reason if the object cannot be read.
		const live = await kind
			.listed(call, id, { ...olds, teamName: teamOf(call, olds) }, "updating")
			.catch(() => undefined);
		if (live === undefined) return;
		// The check has told of a pause.
		const shown = new Set(["paused", ...changes(fields, olds, news).map(({ field }) => field)]);
		const restored = differences(fields, news, live).filter(
			({ field, declared }) => !shown.has(field) && this.isWritable(field) && !containsUnknown(declared),
		);
		if (restored.length === 0) return;
		const list = restored.map((row) => describe(fields, row, call)).join("; ");
		call.notice(
			`${kind.words.which(olds, id)} was changed outside Pulumi. The update will restore it: ${list}.`,
		);
	}

	/** A rename to the name of an equal object that the user consents to adopt: the resource moves there. */
	private async movesToEqual(call: Call, olds: Props, news: Props): Promise<boolean> {
		if (this.kind.persists || !call.adoptEqual || !this.isRename(olds, news) || containsUnknown(news))
			return false;
		return this.wouldAdoptEqual(call, news);
	}

	private async wouldAdoptEqual(call: Call, inputs: Props): Promise<boolean> {
		const ask = this.askFor(call, inputs, { to: "make", adopts: false });
		return (await predictVerdict(call.claims, ask, this.finder(call))).do === "adopt";
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

	// ── From the declaration to the object ──

	private async made(call: Call, inputs: Props): Promise<Created> {
		const { kind, fields } = this;
		if (kind.create === undefined) throw new Error(await kind.words.gone(call, inputs, ""));
		const live = await kind.create(call, inputs);
		const id = kind.idOf(live, inputs);
		call.claims.take(call.urn, refOf(kind, call, inputs, id));
		// A new object never had another name: the service stores names in a form of its own.
		const named = differences(fields, inputs, live).find(({ field }) => field === this.nameField);
		if (named !== undefined && kind.words.respelled !== undefined) {
			const outs = compact(kind.outs(call, liveInputs(fields, inputs, live), live, false, {}));
			throw new PartialFailureError(id, outs, kind.words.respelled(call, inputs, id, named.live));
		}
		try {
			const outs = await this.reconcile(call, inputs, live, inputs, false);
			await kind.confirm?.(call, inputs);
			return { id, outs };
		} catch (error) {
			if (error instanceof PartialFailureError) throw error;
			const which = kind.words.which(inputs, id).replace(" in team", " was created in team");
			const outs = compact(kind.outs(call, inputs, live, false, {}));
			throw new PartialFailureError(id, outs, `${which}, but: ${reasonOf(error)}`);
		}
	}

	/** The one way in which an object comes to what is declared. What was sent and not seen goes into the state. */
	private async reconcile(
		call: Call,
		inputs: Props,
		live: Live,
		olds: Props,
		adopted: boolean,
	): Promise<Props> {
		const { kind } = this;
		try {
			return await (kind.reconcile
				? kind.reconcile(call, inputs, live, olds, adopted)
				: this.sendAndReadBack(call, inputs, live, olds, adopted));
		} catch (error) {
			if (!(error instanceof PartialFailureError)) throw error;
			const { id, message, sent, cause } = error;
			const outs = { ...error.outs, ...unconfirmed(this.fields, sent, inputs) };
			throw new PartialFailureError(id, outs, message, sent, { cause });
		}
	}

	/**
	 * Sends what differs from the state or from the service, then reads back until the service shows it. `olds` is what the
	 * state has, and empty for an adoption.
	 */
	private async sendAndReadBack(
		call: Call,
		inputs: Props,
		live: Live,
		olds: Props,
		adopted: boolean,
	): Promise<Props> {
		const { kind, fields } = this;
		const id = kind.idOf(live, inputs);
		const fromState = Object.keys(olds).length > 0 ? changes(fields, olds, inputs) : [];
		const sent = new Set([...fromState, ...differences(fields, inputs, live)].map(({ field }) => field));
		const insisted = new Set<string>();
		let now = live;
		let mayBeWritten = false;
		const write = async (which: ReadonlySet<string>, from: Props) => {
			const isSent = [...which].some((field) => this.isWritable(field));
			await kind.write?.(call, id, inputs, which, from).catch((error: unknown) => {
				if (!(error instanceof ApiError && error.received === false)) mayBeWritten ||= isSent;
				throw error;
			});
			mayBeWritten ||= isSent;
		};
		const compareAndInsist = async (): Promise<Difference[]> => {
			// An object that was just read, and needed no write, is not read again.
			if (sent.size > 0) now = await kind.getNow(call, id, inputs);
			const different = differences(fields, inputs, now);
			if (different.length === 0) return different;
			for (const { field } of different.filter((row) => !insisted.has(row.field))) {
				insisted.add(field);
				await kind.insist?.(call, inputs, field);
			}
			// Another user changed it since it was compared.
			const missed = new Set(different.map(({ field }) => field).filter((field) => !sent.has(field)));
			for (const field of missed) sent.add(field);
			await write(missed, {});
			return different;
		};
		/** The state must show what is there, or the next deployment would see nothing to do. */
		const failed = (reason: string, which: readonly string[], cause?: unknown) => {
			const outs = kind.outs(call, liveInputs(fields, inputs, now), now, adopted, olds);
			const unseen = which.filter((field) => this.isWritable(field));
			return new PartialFailureError(id, outs, reason, unseen, { cause });
		};
		const settle = (unseen: readonly string[]) =>
			call.claims.settle(refOf(kind, call, inputs, id), unseen.includes(this.nameField) ? "failed" : "done");
		try {
			await write(sent, olds);
			const different = await lookUntil(call, compareAndInsist, ({ length }) => length === 0);
			const unseen = different.map(({ field }) => field);
			settle(unseen);
			if (different.length === 0) return kind.outs(call, inputs, now, adopted, olds);
			const spelling = this.respelledAs(inputs, now);
			if (different.length === 1 && spelling !== undefined)
				throw failed(kind.words.respelled?.(call, inputs, id, spelling) ?? "", []);
			const list = different.map((row) => describe(fields, row, call)).join("; ");
			const which = kind.words.which(inputs, id);
			throw failed(
				`The service accepted ${which.charAt(0).toLowerCase()}${which.slice(1)}, but shows other values: ` +
					`${list}. Run "pulumi up" again; if that does not help, compare the ${which.split(" ")[0]?.toLowerCase()} in the web UI.`,
				unseen,
			);
		} catch (error) {
			if (error instanceof PartialFailureError || !mayBeWritten) throw error;
			settle([...sent]);
			throw failed(`${reasonOf(error)} "pulumi up" sends it again.`, [...sent], error);
		} finally {
			call.lists.drop(String(inputs.teamName));
		}
	}

	/** The name as the service has it, if only the spelling is not the declared one. */
	private respelledAs(inputs: Props, live: Live): string | undefined {
		const { folded } = this.kind;
		const row = differences(this.fields, inputs, live).find(({ field }) => field === this.nameField);
		if (row === undefined || folded === undefined) return undefined;
		return folded(String(row.live)) === folded(String(row.declared)) ? String(row.live) : undefined;
	}

	/** Whether an update can carry the field. */
	private isWritable(field: string): boolean {
		const { wire, sent } = this.fields[field] ?? {};
		return wire !== undefined && sent?.includes("update") !== false;
	}
}

const lockOf = ({ kind, team, folded }: Slot): string => JSON.stringify([kind, team, folded]);

/** R9: the engine shows no line for a field that is the same in the state and in the program. */
function tellUnconfirmed(call: Call, olds: Props): void {
	const fields = unconfirmedFields(olds);
	if (fields.length === 0) return;
	call.notice(
		`${resourceName(call.urn)}: an earlier deployment wrote ${fields.join(", ")}, and the service never showed the new value. ` +
			"The declared value is sent again.",
	);
}
