import { isDeepStrictEqual } from "node:util";
import { type Kind, providerStub } from "../../../schemas/kinds";
import { isStorageKind, SECRET_PARAMETERS } from "../../../storage/rules";
import { holdsCredentials, URL_FIELDS } from "../../../text/credentials";
import { parseUrn } from "../../model/messages";
import {
	containsUnknown,
	isUnknown,
	type Path,
	type Props,
	pick,
} from "../../model/props";
import { concealAt } from "../../model/secrets";
import { type AnyTable, changes } from "../../model/table";
import type { Call, ProviderContext } from "../../run/context";
import type { DiffResult, ResourceHandler } from "../../run/handler";
import {
	handlerOf,
	hosted,
	MADE,
	madeAt,
	madeNow,
	ownProperties,
	PROVIDER,
	SECRET,
	secretPathsIn,
	stateRecord,
	stateUrn,
	storing,
	URN,
} from "../hosting";
import { conceal, dotted, type Revealed, reveal, samePath, union } from "./values";

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

export interface ResourceDiff extends DiffResult {
	readonly detailed: DetailedDiff;
}

const EMPTY: Revealed = { props: {}, secrets: [] };

/** Serves the handlers to the engine itself. Properties come and go with their secrets tagged. */
export class ResourceHost {
	constructor(private readonly context: ProviderContext) {}

	async check(
		resource: Which,
		olds: Props,
		news: Props,
	): Promise<{ inputs: Props; failures: string[] }> {
		const [before, now] = [reveal(olds), withNature(reveal(news))];
		const { handler, call } = this.operation(resource, before, now);
		const { inputs, problems } = await handler.check(call, before.props, now.props);
		return {
			inputs: conceal(inputs, union(now.secrets, naturalSecrets(inputs))),
			failures: problems.map(({ reason }) => reason),
		};
	}

	async diff(
		resource: Which,
		id: string,
		state: Deployed,
		news: Props,
	): Promise<ResourceDiff> {
		const [old, now] = [reveal(state.olds), reveal(news)];
		const before = { props: old.props, secrets: oldSecrets(state.oldInputs, now) };
		const { handler, call } = this.operation(resource, before, now);
		const result = await handler.diff(call, id, old.props, now.props);
		const moved = call.secretsMoved ? movedPaths(before.secrets, now.secrets) : [];
		const [olds, declared] = [ownProperties(old.props), ownProperties(now.props)];
		const secrets = union(before.secrets, now.secrets);
		return {
			...result,
			detailed: detailedDiff(handler.fields, result, olds, declared, moved, secrets),
		};
	}

	async create(
		resource: Which,
		inputs: Props,
		preview: boolean,
		limitMillis?: number,
	): Promise<{ id: string; properties: Props }> {
		const now = reveal(inputs);
		if (preview)
			return { id: "", properties: await this.predict(resource, EMPTY, now, inputs) };
		const { handler, call } = this.operation(resource, EMPTY, now, limitMillis);
		const record = recordFor(resource, call.secrets, madeNow(call));
		const made = await storing(
			call,
			record,
			() => handler.create(call, now.props),
			tagging(now.secrets),
		);
		return { id: made.id, properties: made.outs };
	}

	async update(
		resource: Which,
		id: string,
		state: Deployed,
		news: Props,
		preview: boolean,
		limitMillis?: number,
	): Promise<Props> {
		const [old, now] = [reveal(state.olds), reveal(news)];
		if (preview) return this.predict(resource, reveal(state.oldInputs), now, news);
		const before = { props: old.props, secrets: oldSecrets(state.oldInputs, now) };
		const { handler, call } = this.operation(resource, before, now, limitMillis);
		const record = recordFor(resource, call.secrets, madeAt(old.props));
		const update = () => handler.update(call, id, old.props, now.props);
		return (await storing(call, record, update, tagging(now.secrets))).outs;
	}

	/** Without a state it is an import, or a read of something that is not managed. Undefined: it is gone. */
	async read(
		resource: Which,
		id: string,
		properties: Props,
		inputs: Props,
	): Promise<{ id: string; properties: Props; inputs: Props } | undefined> {
		const [outs, declaredInputs] = [reveal(properties), reveal(inputs)];
		// An output may be secret by additionalSecretOutputs alone, which says nothing of the input.
		const declared =
			Object.keys(declaredInputs.props).length > 0
				? declaredInputs.secrets
				: outs.secrets;
		const { handler, call } = this.operation(resource, outs, {
			props: outs.props,
			secrets: declared,
		});
		// An update that was not done left secrets that the inputs do not have.
		const inputSecrets = [...new Set([...call.secrets, ...secretPathsIn(outs.props)])];
		const { state } = await handler.read(
			{ ...call, secrets: inputSecrets },
			id,
			outs.props,
		);
		if (state === undefined) return undefined;
		const natural = naturalSecrets(state.inputs);
		const secrets = union(outs.secrets, declaredInputs.secrets, natural);
		const isOld = stateUrn(outs.props) !== undefined;
		const record = isOld
			? pick(outs.props, STATE_KEYS)
			: recordFor(resource, dotted(natural));
		return {
			id: state.id,
			properties: { ...tagging(secrets)(state.outs), ...record },
			inputs: concealAt(conceal(state.inputs, natural), inputSecrets),
		};
	}

	async delete(
		resource: Which,
		id: string,
		properties: Props,
		limitMillis?: number,
	): Promise<void> {
		const outs = reveal(properties);
		const { handler, call } = this.operation(resource, outs, outs, limitMillis);
		await handler.delete(call, id, outs.props);
	}

	/** Checks once more: only here it is certain to be a preview, and some notices are for previews only. */
	private async predict(
		resource: Which,
		before: Revealed,
		now: Revealed,
		inputs: Props,
	): Promise<Props> {
		const { handler, call } = this.operation(resource, before, now);
		const step: Call = { ...call, preview: true, previewsStep: true };
		const { problems } = await handler.check(step, before.props, now.props);
		if (problems.length > 0)
			throw new Error(problems.map(({ reason }) => reason).join("\n"));
		return { ...inputs, ...handler.predict?.(call, now.props) };
	}

	private operation(
		{ kind, urn }: Which,
		before: Revealed,
		now: Revealed,
		limitMillis?: number,
	): { readonly handler: ResourceHandler; readonly call: Call } {
		const isOld = Object.keys(before.props).length > 0;
		const { context } = this;
		const call: Call = {
			...context,
			// What is said about a resource is shown with it.
			notice: (text) => context.notice(text, urn),
			line: (text) => context.line(text, urn),
			urn,
			program: parseUrn(urn)?.program,
			stateUrn: isOld ? (stateUrn(before.props) ?? urn) : undefined,
			madeAt: madeAt(before.props),
			preview: false,
			limitMillis,
			secrets: dotted(now.secrets),
			// An update that was not done leaves more secrets in the outputs than the program had.
			secretsBefore: [...dotted(before.secrets), ...secretPathsIn(before.props)],
			secretsMoved: isOld && movedPaths(before.secrets, now.secrets).length > 0,
		};
		return { handler: hosted(handlerOf(kind)), call };
	}
}

/** What the state has beside the user's properties. */
const STATE_KEYS = [URN, MADE, SECRET, PROVIDER];

const recordFor = (
	{ urn, kind }: Which,
	secrets: readonly string[],
	made?: number,
): Props => stateRecord(urn, providerStub(kind), secrets, made);

const withNature = ({ props, secrets }: Revealed): Revealed => ({
	props,
	secrets: union(secrets, naturalSecrets(props)),
});

/** An engine that sends no old inputs cannot say what was secret; then nothing moved. */
const oldSecrets = (oldInputs: Props, now: Revealed): readonly Path[] =>
	Object.keys(oldInputs).length > 0 ? reveal(oldInputs).secrets : now.secrets;

const without = (paths: readonly Path[], others: readonly Path[]): Path[] =>
	paths.filter(
		(path) =>
			!path[0]?.startsWith("__") && !others.some((other) => samePath(path, other)),
	);

/** Inputs that are secret on one side only. */
const movedPaths = (before: readonly Path[], now: readonly Path[]): Path[] => [
	...without(before, now),
	...without(now, before),
];

/** Outputs as the state may have them: what is secret stays so under the same key. */
const tagging =
	(secrets: readonly Path[]) =>
	(outs: Props): Props =>
		conceal(outs, union(secrets, naturalSecrets(outs)));

/**
 * What is secret by nature, whether or not the program says so: URLs with a password, the credentials of storages.
 * In TypeScript the classes declare it; other languages have no classes of ours.
 */
function naturalSecrets(props: Props): Path[] {
	const urls = URL_FIELDS.filter((field) => holdsCredentials(props[field])).map(
		(field) => [field],
	);
	return [...urls, ...storageCredentials(props.storage)];
}

function storageCredentials(storage: unknown): Path[] {
	if (typeof storage !== "object" || storage === null) return [];
	if (Array.isArray(storage)) return [["storage"]];
	return Object.entries(storage).flatMap(([kind, parameters]) => {
		// Nobody can say which values of an unknown kind are credentials; it is refused, and kept secret until then.
		if (!isStorageKind(kind)) return [["storage", kind]];
		if (typeof parameters !== "object" || parameters === null) return [];
		return SECRET_PARAMETERS[kind]
			.filter((name) => name in parameters)
			.map((name) => ["storage", kind, name]);
	});
}

export interface PropertyChange {
	readonly kind: "add" | "update" | "delete";
	readonly replaces: boolean;
}

export type DetailedDiff = Readonly<Record<string, PropertyChange>>;

/**
 * What a change does, down to the nested key, in the form in which the engine shows it: the fields that differ in
 * meaning are the table's to say, and within each the leaves that differ.
 */
export function detailedDiff(
	table: AnyTable,
	result: DiffResult,
	olds: Props,
	news: Props,
	movedSecrets: readonly Path[],
	secrets: readonly Path[] = [],
): DetailedDiff {
	const differences: Record<string, PropertyChange> = {};
	for (const { field } of changes(table, olds, news)) {
		const replaces = result.replaces.includes(field);
		// Of a field that is a secret as a whole, the keys are part of the secret.
		const isSecret = secrets.some(
			([first, ...rest]) => first === field && rest.length === 0,
		);
		const depth = isSecret ? "field" : "leaves";
		for (const [path, kind] of leaves(
			olds[field],
			news[field],
			propertyPath([field]),
			depth,
		))
			differences[path] = { kind, replaces };
	}
	// A handler may decide on more than the table says, such as that another resource holds the object now.
	for (const field of result.replaces) {
		const isNamed = Object.entries(differences).some(
			([path, { replaces }]) => replaces && isWithin(path, field),
		);
		if (!isNamed) differences[field] = { kind: "update", replaces: true };
	}
	for (const path of movedSecrets)
		differences[propertyPath(path)] ??= { kind: "update", replaces: false };
	return differences;
}

const isWithin = (path: string, field: string): boolean =>
	path === field || path.startsWith(`${field}.`) || path.startsWith(`${field}[`);

function leaves(
	old: unknown,
	now: unknown,
	path: string,
	depth: "field" | "leaves" = "leaves",
): [string, PropertyChange["kind"]][] {
	const [before, after] = [old ?? undefined, now ?? undefined];
	if (before === undefined) return [[path, "add"]];
	if (after === undefined) return [[path, "delete"]];
	if (depth === "field" || !isTree(before) || !isTree(after) || isUnknown(after))
		return [[path, "update"]];
	const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
	const inside = keys.flatMap((key) => {
		const [a, b] = [before[key], after[key]];
		if (isDeepStrictEqual(a, b) && !containsUnknown(b)) return [];
		return leaves(a, b, `${path}${segment(key)}`);
	});
	// The values differ, but in no single key.
	return inside.length > 0 ? inside : [[path, "update"]];
}

/** Lists are compared as a whole: what moved in one says less than the list. */
const isTree = (value: unknown): value is Props =>
	typeof value === "object" && value !== null && !Array.isArray(value);

const propertyPath = ([first = "", ...rest]: Path): string =>
	first + rest.map(segment).join("");

/** The engine's own spelling: `a.b`, and `a["b.c"]` if the key is more than a word. */
const segment = (key: string): string =>
	/^[A-Za-z_$][\w$]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
