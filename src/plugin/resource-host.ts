import type { Call, ProviderContext } from "../provider/context";
import { type DiffResult, PartlyDoneError, type Props, type ResourceHandler } from "../provider/handler";
import { handlerOf } from "../provider/handlers";
import { withinTime } from "../provider/host/operation";
import { ownProperties } from "../provider/host/state-keys";
import { compact } from "../provider/shared/json";
import { changedSecrets } from "../provider/shared/secrets";
import { parseUrn } from "../provider/urn";
import type { Kind } from "../schemas/kinds";
import { type DetailedDiff, detailedDiff } from "./detailed-diff";
import { naturalSecrets } from "./natural-secrets";
import { declaredProperties, handedThrough, isFrom010, keptInState, madeAt, stateUrn } from "./state";
import { conceal, dotted, type Path, type Revealed, reveal, samePath, union } from "./values";

/** Which resource the engine asks about. */
export interface Which {
	readonly kind: Kind;
	readonly urn: string;
}

/** What the state has of it: its outputs, and the inputs that it was deployed with. */
interface Deployed {
	readonly olds: Props;
	readonly oldInputs: Props;
}

/** The object exists, and something about it is not as declared: what the engine shall keep all the same. */
export class PartlyDone extends Error {
	constructor(
		message: string,
		readonly id: string,
		readonly properties: Props,
	) {
		super(message);
	}
}

export interface ResourceDiff extends DiffResult {
	readonly detailed: DetailedDiff;
}

const EMPTY: Revealed = { props: {}, secrets: [] };

/** Serves the handlers to the engine itself. Properties come and go with their secrets marked. */
export class ResourceHost {
	constructor(private readonly context: ProviderContext) {}

	async check(which: Which, olds: Props, news: Props): Promise<{ inputs: Props; failures: string[] }> {
		const [before, now] = [reveal(olds), withNature(which, reveal(news))];
		const { inputs, problems } = await this.operate(which, { before, now }, async (call, handler) => {
			for (const text of changedSecrets(call, ownProperties(before.props), ownProperties(now.props)))
				call.notice(text);
			return handler.check(call, declaredProperties(before.props), ownProperties(now.props));
		});
		const checked = compact(inputs);
		return {
			inputs: conceal(checked, union(now.secrets, naturalSecrets(which.kind, checked))),
			failures: problems.map(({ reason }) => reason),
		};
	}

	async diff(which: Which, id: string, state: Deployed, news: Props): Promise<ResourceDiff> {
		const [old, now] = [reveal(state.olds), reveal(news)];
		const before = { props: old.props, secrets: oldSecrets(state.oldInputs, now) };
		const [olds, declared] = [declaredProperties(old.props), declaredProperties(now.props)];
		return this.operate(which, { before, now }, async (call, handler) => {
			const result = await handler.diff(call, id, olds, declared);
			// A value that only became a secret is the same value, but its copy in the outputs is still in clear.
			const moved = call.secretsMoved ? movedPaths(before.secrets, now.secrets) : [];
			return {
				...result,
				changes: result.changes || moved.length > 0,
				detailed: detailedDiff(handler.fields, result, olds, declared, moved),
			};
		});
	}

	async create(which: Which, inputs: Props, preview: boolean): Promise<{ id: string; properties: Props }> {
		const now = reveal(inputs);
		if (preview) return { id: "", properties: await this.foretell(which, EMPTY, now, inputs) };
		return this.operate(which, { now }, async (call, handler) => {
			const kept = keptInState(which, call.secrets, Math.round(call.time.now()));
			const stored = storing(which, now.secrets, kept);
			const made = await keepingPart(stored, () => handler.create(call, ownProperties(now.props)));
			return { id: String(made.id), properties: stored(made.outs) };
		});
	}

	async update(which: Which, id: string, state: Deployed, news: Props, preview: boolean): Promise<Props> {
		const [old, now] = [reveal(state.olds), reveal(news)];
		if (preview) return this.foretell(which, reveal(state.oldInputs), now, news);
		const before = { props: old.props, secrets: oldSecrets(state.oldInputs, now) };
		return this.operate(which, { before, now }, async (call, handler) => {
			const kept = keptInState(which, call.secrets, madeAt(old.props));
			const stored = storing(which, now.secrets, kept);
			const { outs } = await keepingPart(stored, () =>
				handler.update(call, id, declaredProperties(old.props), ownProperties(now.props)),
			);
			return stored(outs);
		});
	}

	/** Without a state it is an import, or a read of something that is not managed. Undefined: it is gone. */
	async read(
		which: Which,
		id: string,
		properties: Props,
		inputs: Props,
	): Promise<{ id: string; properties: Props; inputs: Props } | undefined> {
		const [outs, known] = [reveal(properties), reveal(inputs)];
		const { state } = await this.operate(which, { before: outs, now: outs }, (call, handler) =>
			handler.read(call, id, ownProperties(outs.props)),
		);
		if (state === undefined) return undefined;
		const live = compact(state.inputs);
		const secrets = union(outs.secrets, known.secrets, naturalSecrets(which.kind, live));
		const kept =
			stateUrn(outs.props) === undefined && !isFrom010(outs.props)
				? keptInState(which, dotted(naturalSecrets(which.kind, live)))
				: handedThrough(outs.props);
		return {
			id: state.id,
			properties: storing(which, secrets, kept)(state.outs),
			// The mark of a state of version 0.1.0 stays with it: what it stored beside the user's words is no declaration.
			inputs: { ...conceal(live, secrets), ...(isFrom010(outs.props) && handedThrough(outs.props)) },
		};
	}

	async delete(which: Which, id: string, properties: Props): Promise<void> {
		const outs = reveal(properties);
		await this.operate(which, { before: outs, now: outs }, (call, handler) =>
			handler.delete(call, id, ownProperties(outs.props)),
		);
	}

	/** The handlers' check once more, now that it is sure to be a preview: it says what only a preview may say. */
	private async foretell(which: Which, before: Revealed, now: Revealed, inputs: Props): Promise<Props> {
		const { problems } = await this.operate(which, { before, now, preview: true }, (call, handler) =>
			handler.check(call, declaredProperties(before.props), ownProperties(now.props)),
		);
		if (problems.length > 0) throw new Error(problems.map(({ reason }) => reason).join("\n"));
		return inputs;
	}

	private operate<T>(
		{ kind, urn }: Which,
		{ before = EMPTY, now, preview = false }: { before?: Revealed; now: Revealed; preview?: boolean },
		work: (call: Call, handler: ResourceHandler) => Promise<T>,
	): Promise<T> {
		const isOld = Object.keys(before.props).length > 0;
		const from010 = isFrom010(before.props);
		const call: Call = {
			...this.context,
			urn,
			program: parseUrn(urn)?.program,
			stateUrn: isOld && !from010 ? (stateUrn(before.props) ?? urn) : undefined,
			madeAt: madeAt(before.props),
			preview,
			secrets: dotted(now.secrets),
			// States of version 0.1.0 do not say what was secret; an upgrade alone must not update everything.
			secretsMoved: isOld && !from010 && movedPaths(before.secrets, now.secrets).length > 0,
		};
		return withinTime(call, (timed) => work(timed, handlerOf(kind)));
	}
}

const withNature = ({ kind }: Which, { props, secrets }: Revealed): Revealed => ({
	props,
	secrets: union(
		secrets,
		naturalSecrets(kind, props).filter((path) => path[0] !== undefined && path[0] in props),
	),
});

/** An engine that sends no old inputs cannot say what was secret; then nothing moved. */
const oldSecrets = (oldInputs: Props, now: Revealed): readonly Path[] =>
	Object.keys(oldInputs).length > 0 ? reveal(oldInputs).secrets : now.secrets;

const without = (paths: readonly Path[], others: readonly Path[]): Path[] =>
	paths.filter((path) => !path[0]?.startsWith("__") && !others.some((other) => samePath(path, other)));

/** Inputs that are secret on one side only. */
const movedPaths = (before: readonly Path[], now: readonly Path[]): Path[] => [
	...without(before, now),
	...without(now, before),
];

/** Outputs as the state may have them: what is secret stays so under the same key. */
const storing =
	({ kind }: Which, secrets: readonly Path[], kept: Props) =>
	(outs: Props): Props => {
		const plain = compact(outs);
		return { ...conceal(plain, union(secrets, naturalSecrets(kind, plain))), ...kept };
	};

async function keepingPart<T>(stored: (outs: Props) => Props, work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (error) {
		if (!(error instanceof PartlyDoneError)) throw error;
		throw new PartlyDone(error.message, error.id, stored(error.outs));
	}
}
