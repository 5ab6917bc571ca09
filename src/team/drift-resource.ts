import { isDeepStrictEqual } from "node:util";
import { needlesFor, needlesForName, redact } from "../client/redaction";
import { handlerOf } from "../provider/hosts/hosting";
import { compact, type Props } from "../provider/model/props";
import { textsIn, valueAt } from "../provider/model/secrets";
import { type AnyTable, changes } from "../provider/model/table";
import type { ProviderContext } from "../provider/run/context";
import { kindEntry } from "../schemas/kinds";
import { messageOf } from "../text/wording";
import type {
	ChangedResource,
	FieldDrift,
	ResourceRef,
	Scalar,
	UncheckedField,
} from "./drift-report";
import { propertyOf, type StateResource } from "./stack-state";

/** How a resource differs. When it was changed, its list tells. */
type Change = Omit<ChangedResource, "changedAt">;

/** What was found out about one managed resource. */
export interface Finding {
	readonly resource: StateResource;
	readonly ref: ResourceRef;
	readonly is: "same" | "changed" | "missing" | "failed";
	/** How it changed. */
	readonly change?: Change;
	/** Why it could not be read. */
	readonly reason?: string;
	/** Its name on the service as declared, and the one that it has there now. */
	readonly names: readonly string[];
	readonly unchecked: readonly UncheckedField[];
}

/** The resource as `pulumi refresh` would judge it. One that cannot be read is a finding too: the others still count. */
export async function examine(
	context: ProviderContext,
	resource: StateResource,
	team: string,
): Promise<Finding> {
	const { urn, stateUrn, madeAt, inputs, outputs } = resource;
	const ref = referTo(resource, team);
	const nameField = nameFieldOf(resource);
	const declared = namesIn(propertyOf(resource, nameField));
	const finding = { resource, ref, names: declared, unchecked: [] };
	const secrets = { secrets: [], secretsBefore: [], secretsMoved: false };
	const call = { ...context, urn, stateUrn, madeAt, preview: false, ...secrets };
	try {
		const handler = handlerOf(resource.kind);
		const { state: live } = await handler.read(call, resource.id, outputs);
		if (live === undefined) return { ...finding, is: "missing" };
		const outs = compact(live.outs);
		const diff = await handler.diff(call, live.id, outs, inputs);
		const readFinding = {
			...finding,
			names: [...declared, ...namesIn(outs[nameField])],
			unchecked: uncheckedFields(ref, outs),
		};
		if (!diff.changes) return { ...readFinding, is: "same" };
		const change = describeChange(
			ref,
			handler.fields,
			resource,
			outs,
			diff.replaces.length > 0,
		);
		return { ...readFinding, is: "changed", change };
	} catch (error) {
		return { ...finding, is: "failed", reason: reasonOf(error, resource) };
	}
}

const namesIn = (name: unknown): string[] =>
	typeof name === "string" && name !== "" ? [name] : [];

/** Reports travel further than error messages, so names that the program keeps secret are redacted. */
function reasonOf(
	error: unknown,
	{ inputs, outputs, secretPaths }: StateResource,
): string {
	const secrets = [...secretPaths].flatMap((path) =>
		textsIn([valueAt(inputs, path), valueAt(outputs, path)]),
	);
	// A short name is a secret too, as far as its quotes tell it from a word.
	const needles = [...new Set(secrets)].flatMap((text) => [
		...needlesFor(text),
		...needlesForName(text),
	]);
	return redact(messageOf(error), needles);
}

export function referTo(resource: StateResource, team: string): ResourceRef {
	const { urn, kind, name, id, secretPaths } = resource;
	const field = nameFieldOf(resource);
	const declaredName = propertyOf(resource, field);
	const nameText =
		typeof declaredName === "string" && !secretPaths.has(field) ? declaredName : name;
	return { urn, kind, resource: name, name: nameText, id, team };
}

/** The field that names its object on the service. */
export const nameFieldOf = ({ kind }: StateResource): string =>
	kindEntry(kind)?.nameField ?? "name";

/** The changed resource with a row for each field that differs. Only called where the provider's diff says so. */
export function describeChange(
	ref: ResourceRef,
	table: AnyTable,
	resource: StateResource,
	live: Props,
	replaces: boolean,
): Change {
	const fields = changes(table, live, resource.inputs).flatMap(({ field }) =>
		fieldRows(table, field, resource.inputs[field], live[field], resource.secretPaths),
	);
	// A job or pipeline that was waited for and failed, and a cancelled task, have every input as declared and run again all the same.
	const wanted = kindEntry(ref.kind)?.expectedStatus?.(resource.inputs);
	const rows =
		fields.length > 0
			? fields
			: fieldRows(table, "status", wanted, live.status, resource.secretPaths);
	return { ...ref, repair: replaces ? "replace" : "update", fields: rows };
}

/** The rows of one field. Values that the table hides may hold credentials even if nobody marked them as secret. */
export function fieldRows(
	table: AnyTable,
	field: string,
	declared: unknown,
	live: unknown,
	secretPaths: ReadonlySet<string>,
): FieldDrift[] {
	if (secretPaths.has(field)) return [hiddenRow(field, declared, live)];
	if (isRecord(declared) || isRecord(live)) return partRows(field, declared, live);
	const secret = [...secretPaths].some((path) => path.startsWith(`${field}.`));
	if (secret || table[field]?.hidden) return [hiddenRow(field, declared, live)];
	return [
		{
			field,
			how: howOf(declared, live),
			hidden: false,
			declared: scalarOf(declared),
			live: scalarOf(live),
		},
	];
}

function howOf(declared: unknown, live: unknown): FieldDrift["how"] {
	if (declared === undefined) return "added";
	return live === undefined ? "removed" : "changed";
}

function hiddenRow(field: string, declared: unknown, live: unknown): FieldDrift {
	return { field, how: howOf(declared, live), hidden: true };
}

/** One row for each variable or parameter that differs, by its name. */
function partRows(field: string, declared: unknown, live: unknown): FieldDrift[] {
	const [ours, theirs] = [partsOf(declared), partsOf(live)];
	const names = [...new Set([...Object.keys(ours), ...Object.keys(theirs)])].sort();
	const rows = names
		.filter((name) => !isDeepStrictEqual(own(ours, name), own(theirs, name)))
		.map((name) => hiddenRow(`${field}.${name}`, own(ours, name), own(theirs, name)));
	// `environment: {}` against nothing differs as a whole.
	return rows.length > 0 ? rows : [hiddenRow(field, declared, live)];
}

const isRecord = (value: unknown): value is Props =>
	typeof value === "object" && value !== null && !Array.isArray(value);

const own = (props: Props, name: string): unknown =>
	Object.hasOwn(props, name) ? props[name] : undefined;

/** `{ A: "1" }` as it is, `{ s3: { key } }` → `{ "s3.key": … }`. */
function partsOf(value: unknown): Props {
	const entries = isRecord(value) ? Object.entries(value) : [];
	return Object.fromEntries(
		entries.flatMap(([name, part]) =>
			isRecord(part)
				? Object.entries(part).map(([inner, each]) => [`${name}.${inner}`, each])
				: [[name, part]],
		),
	);
}

function scalarOf(value: unknown): Scalar {
	if (value === undefined || value === null) return null;
	if (
		typeof value === "string" ||
		typeof value === "number" ||
		typeof value === "boolean"
	)
		return value;
	return JSON.stringify(value);
}

/** What nobody can compare, because the service does not show it. */
export function uncheckedFields(ref: ResourceRef, live: Props): UncheckedField[] {
	const keys = Array.isArray(live.uncheckedKeys) ? live.uncheckedKeys.map(String) : [];
	const notShown = keys.map(
		(field) =>
			[field, `The service does not show the ${field} of a pipeline.`] as const,
	);
	return [...Object.entries(kindEntry(ref.kind)?.notReadBack ?? {}), ...notShown].map(
		([field, reason]) => ({
			...ref,
			field,
			reason,
		}),
	);
}
