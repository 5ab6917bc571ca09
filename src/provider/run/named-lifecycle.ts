import { ApiError, ConflictError, isMissing } from "../../client";
import { pollAfterWrite } from "../../client/read-back";
import { KINDS } from "../../schemas/kinds";
import { messageForState, resourceName } from "../model/messages";
import {
	type CheckResult,
	containsUnknown,
	type Problem,
	type Props,
	problem,
} from "../model/props";
import { secretsUntilDone } from "../model/secrets";
import {
	changes,
	diffByTable,
	differences,
	liveInputs,
	type Table,
} from "../model/table";
import type { Call } from "./context";
import {
	type DiffResult,
	PartialFailureError,
	type ReadResult,
	type ResourceHandler,
} from "./handler";
import type { Change, Created, Creation, NamedKind } from "./kind";
import {
	deleteUnlessTaken,
	isRename,
	keepOrReplace,
	keepReplaced,
	nameFieldOf,
	nameRequest,
	nameSearch,
	noteDeclared,
	oneAtATime,
	refOf,
	takeCreated,
	takeExisting,
	teamOf,
	withinSentence,
	withOrder,
	withTeam,
} from "./lifecycle";
import { type Candidate, checkName, type NameRequest } from "./name-check";
import { pauseContradiction } from "./pauses";
import { mayMove, notifyRestored, previewNameCheck } from "./preview";

/** A refusal's own text says what to do first, so the hint begins with "Then". */
function hintRetry(error: unknown): string {
	const failure =
		error instanceof Error && error.cause instanceof ApiError ? error.cause : error;
	const isRefused =
		failure instanceof ApiError && !failure.transient && (failure.status ?? 0) >= 400;
	return isRefused
		? 'Then run "pulumi up", which sends it again.'
		: '"pulumi up" sends it again.';
}

/** check, diff, create, read, update and delete, from the kind's table and its verbs. */
export const namedLifecycle = <Live>(kind: NamedKind<Live>): ResourceHandler =>
	new Lifecycle(kind);

class Lifecycle<Live> implements ResourceHandler {
	readonly fields: Table<Live>;
	readonly predict: ResourceHandler["predict"];
	private readonly nameField: string;

	constructor(private readonly kind: NamedKind<Live>) {
		this.fields = kind.fields;
		this.predict = kind.predict;
		this.nameField = nameFieldOf(kind);
	}

	// ── Check ──

	async check(call: Call, olds: Props, news: Props): Promise<CheckResult> {
		const { kind, fields, nameField } = this;
		const { inputs: given, problems } = withTeam(call, olds, news);
		const checked = await kind.check(call, olds, given);
		const { inputs } = checked;
		noteDeclared(call, olds, inputs);
		const all = [
			...problems,
			...checked.problems,
			...this.duplicateName(call, inputs),
			...pauseContradiction(call, inputs),
		];
		const isTouched = call.secretsMoved || changes(fields, olds, inputs).length > 0;
		const isNamed = !containsUnknown([inputs.teamName, inputs[nameField]]);
		if (all.length > 0 || !isTouched || !isNamed) return { inputs, problems: all };
		const knowsAll = !containsUnknown(inputs);
		const more = await kind.checkLive(call, inputs, olds, knowsAll);
		if (!knowsAll || more.length > 0) return { inputs, problems: more };
		return { inputs, problems: await previewNameCheck(kind, call, olds, inputs) };
	}

	/** Two resources of a program cannot declare one name. */
	private duplicateName(call: Call, inputs: Props): Problem[] {
		const { teamName: team, [this.nameField]: name } = inputs;
		if (
			typeof team !== "string" ||
			typeof name !== "string" ||
			containsUnknown([team, name])
		)
			return [];
		const other = call.owners.declare(call, {
			kind: this.kind.kind,
			team,
			folded: this.kind.folded(name),
		});
		if (other === undefined) return [];
		const text = `${resourceName(call.urn)} and ${resourceName(other)} ${this.kind.words.duplicate(inputs)}`;
		return [problem(this.nameField, text)];
	}

	// ── Diff ──

	async diff(call: Call, id: string, olds: Props, news: Props): Promise<DiffResult> {
		const { kind, nameField } = this;
		const byTable = diffByTable(this.fields, olds, news);
		// A refresh also asks for resources that the program no longer has. None was checked; their objects are only noted.
		if (!call.declared.has(call.urn)) {
			call.owners.noteInState(refOf(kind, call, olds, id));
			return withOrder(kind, byTable);
		}
		const isReplacedByAdoption =
			byTable.replaces.length === 0 &&
			isRename(kind, olds, news) &&
			call.adoptEqual &&
			(await mayMove(kind, call, news));
		const wanted = isReplacedByAdoption
			? { changes: true, replaces: [nameField] }
			: byTable;
		// A replacement of settings acts on another pipeline. This one is not kept, so that another resource may take its
		// settings in this deployment.
		if (kind.existing !== undefined && wanted.replaces.length > 0) {
			call.deployed.note(call.urn, { id, inputs: olds });
			return withOrder(kind, wanted);
		}
		const result = keepOrReplace(kind, call, id, olds, wanted, nameField);
		if (result.changes && result.replaces.length === 0)
			await notifyRestored(kind, call, id, olds, news);
		return withOrder(kind, result);
	}

	// ── Create ──

	async create(call: Call, inputs: Props): Promise<Created> {
		const { creation } = this.kind;
		if (creation === undefined) return this.manageExisting(call, inputs);
		const object = await this.checkedName(call, creation, inputs, "create");
		if (object === undefined)
			return this.createNew(call, inputs, creation).finally(() =>
				creation.afterCreate(call, inputs),
			);
		const { id, live } = object;
		const change = { inputs, olds: {}, isUpdate: false, adopted: true };
		return { id, outs: await this.reconcile(call, id, live, change) };
	}

	/** The object to adopt, or undefined if the name is free; throws the reason of a refusal. */
	private async checkedName(
		call: Call,
		creation: Creation<Live>,
		inputs: Props,
		to: NameRequest["to"],
	): Promise<Candidate<Live> | undefined> {
		const request = nameRequest(this.kind, call, inputs, to);
		if (to === "create") await keepReplaced(this.kind, call, creation, request);
		const verdict = await checkName(
			call,
			request,
			nameSearch(this.kind, call, creation),
		);
		if (verdict.do === "refuse")
			throw new Error(creation.refused(call, request, verdict));
		return verdict.do === "adopt" ? verdict.object : undefined;
	}

	private async createNew(
		call: Call,
		inputs: Props,
		{ create, confirm }: Creation<Live>,
	): Promise<Created> {
		const { kind, fields } = this;
		const { id, live, problem: whyNotDeclared } = await create(call, inputs);
		const label = kind.words.label(inputs, id);
		takeCreated(call, refOf(kind, call, inputs, id), label);
		const partialFailure = (recorded: Props, reason: string) =>
			new PartialFailureError(id, kind.outs(call, recorded, live, false, {}), reason);
		if (whyNotDeclared !== undefined)
			throw partialFailure(liveInputs(fields, inputs, live), whyNotDeclared);
		try {
			const change = { inputs, olds: inputs, isUpdate: false, adopted: false };
			const outs = await this.reconcile(call, id, live, change);
			await confirm(call, inputs);
			return { id, outs };
		} catch (error) {
			if (error instanceof PartialFailureError) throw error;
			const why = messageForState(error);
			throw partialFailure(inputs, `${label} was created, but: ${why}`);
		}
	}

	/** A kind whose objects always exist: the plan refuses what other users own there. */
	private async manageExisting(call: Call, inputs: Props): Promise<Created> {
		const { kind } = this;
		const { existing } = kind;
		if (existing === undefined)
			throw new Error(`${kind.kind} has neither creation nor existing.`);
		const id = existing.idOf(inputs);
		return oneAtATime(call, refOf(kind, call, inputs, id), async () =>
			this.manage(call, id, await existing.get(call, inputs), inputs),
		);
	}

	private async manage(
		call: Call,
		id: string,
		live: Live,
		inputs: Props,
	): Promise<Created> {
		// A replacement on the same object goes on with what the state has there.
		const deployed = call.deployed.of(call.urn)?.inputs ?? {};
		const isSame =
			deployed.teamName === inputs.teamName && !isRename(this.kind, deployed, inputs);
		const change = {
			inputs,
			olds: isSame ? deployed : {},
			isUpdate: false,
			adopted: inputs.adopt === true,
		};
		return { id, outs: await this.reconcile(call, id, live, change) };
	}

	/** The one way in which an object comes to what is declared: sends it, then reads back until the service shows it. */
	private async reconcile(
		call: Call,
		id: string,
		live: Live,
		change: Change,
	): Promise<Props> {
		const { kind, fields } = this;
		const { inputs, adopted } = change;
		const plan = await kind.plan(call, id, live, change);
		// Settings are taken only now: a refused create must not keep the resource that has them from its delete.
		if (!change.isUpdate)
			takeExisting(call, refOf(kind, call, inputs, id), kind.words.label(inputs, id));
		let now = live;
		let isSent = false;
		/** The state must show what is there, or the next deployment would see nothing to do. */
		const partialFailure = (reason: string, cause?: unknown) => {
			// What is there may be an earlier secret, and outputs that are derived from it are as secret.
			const stillSecret = { ...call, secrets: secretsUntilDone(call) };
			const outs = kind.outs(
				stillSecret,
				liveInputs(fields, plan.untilDone, now, "partial"),
				now,
				adopted,
				change.olds,
			);
			return new PartialFailureError(id, outs, reason, { cause });
		};
		const look = async () => {
			if (plan.writes) now = await plan.read();
			const wrong = plan.wrong(now);
			if (wrong.length > 0) await plan.sendAgain?.(wrong);
			return wrong;
		};
		try {
			await plan.send();
			isSent = true;
			const wrong = await pollAfterWrite(
				call,
				kind.kind,
				look,
				({ length }) => length === 0,
			);
			if (wrong.length === 0) return kind.outs(call, inputs, now, adopted, change.olds);
			const label = withinSentence(kind.words.label(inputs, id));
			const list = wrong.map(({ text }) => text).join("; ");
			throw partialFailure(
				plan.explain?.(wrong, now) ??
					`The service accepted ${label}, but still returns other values: ${list}. Run "pulumi up" again; if that does not help, ` +
						`compare the ${withinSentence(KINDS[kind.kind].label)} in the web UI.`,
			);
		} catch (error) {
			const isUnsent = !isSent && error instanceof ApiError && error.received === false;
			if (error instanceof PartialFailureError || !plan.writes || isUnsent) throw error;
			throw partialFailure(`${messageForState(error)} ${hintRetry(error)}`, error);
		}
	}

	// ── Update, read and delete ──

	async update(
		call: Call,
		id: string,
		olds: Props,
		inputs: Props,
	): Promise<{ outs: Props }> {
		const { kind } = this;
		call.owners.keep(call, refOf(kind, call, inputs, id));
		try {
			const live =
				(await kind.get(call, id, olds, "recent")) ??
				(await kind.get(call, id, olds, "now"));
			if (live === undefined) throw new Error(await kind.words.gone(call, inputs, id));
			if (kind.creation && isRename(this.kind, olds, inputs))
				await this.checkedName(call, kind.creation, inputs, "rename");
			const change = { inputs, olds, isUpdate: true, adopted: olds.adopted === true };
			return { outs: await this.reconcile(call, id, live, change) };
		} catch (error) {
			if (
				error instanceof ConflictError &&
				kind.creation &&
				isRename(this.kind, olds, inputs)
			)
				throw new Error(kind.creation.conflict(error), { cause: error });
			// Another user may have deleted it after it was read; but a reply that lags behind misses it too.
			const isPartial = error instanceof PartialFailureError;
			if (
				!isMissing(isPartial ? error.cause : error) ||
				!(await this.isGone(call, id, olds))
			)
				throw error;
			const gone = await kind.words.gone(call, inputs, id);
			throw isPartial
				? new PartialFailureError(id, error.outs, gone, { cause: error })
				: new Error(gone, { cause: error });
		}
	}

	private isGone(call: Call, id: string, recorded: Props): Promise<boolean> {
		return this.kind.get(call, id, recorded, "now").then(
			(live) => live === undefined,
			() => false,
		);
	}

	async read(call: Call, id: string, outs: Props): Promise<ReadResult> {
		const { kind, fields } = this;
		if (kind.imported && outs[this.nameField] === undefined)
			return kind.imported(call, id);
		const recorded = { ...outs, teamName: teamOf(call, outs) };
		const listed = await kind.get(call, id, recorded, "shared");
		// A list may lag behind our own writes, so drift is confirmed by a direct request.
		const isAsKnown =
			listed !== undefined && differences(fields, recorded, listed).length === 0;
		const live = isAsKnown ? listed : await kind.get(call, id, recorded, "now");
		if (live === undefined) return {};
		const declared = await kind.refreshed(call, id, recorded, live);
		const inputs = liveInputs(fields, declared, live);
		return {
			state: {
				id,
				inputs,
				outs: kind.outs(call, inputs, live, outs.adopted === true, outs),
			},
		};
	}

	delete(call: Call, id: string, outs: Props): Promise<void> {
		return deleteUnlessTaken(this.kind, call, id, outs);
	}
}
