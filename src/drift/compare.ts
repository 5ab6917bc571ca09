import type { Props } from "../provider/handler";
import { type AnyTable, changes, deepEqual } from "../provider/shared/table";
import { isKind, KINDS } from "../schemas/kinds";
import type { ChangedResource, FieldDrift, ResourceRef, Scalar, UncheckedField } from "./report";
import type { StateResource } from "./state";

/** Values of these may hold credentials even where nobody marked them as secret. */
const NEVER_SHOWN = ["environment", "storage", "requirements", "repository", "query"];

export function referTo(resource: StateResource, team: string): ResourceRef {
	const { urn, kind, name, id, inputs, outputs, secretPaths } = resource;
	const field = isKind(kind) ? KINDS[kind].nameField : "name";
	const known = inputs[field] ?? outputs[field];
	const shown = typeof known === "string" && !secretPaths.has(field) ? known : name;
	return { urn, kind, resource: name, name: shown, id, team };
}

/** The changed resource with a row for each field that differs. Only called where the provider's diff says so. */
export function describeChange(
	ref: ResourceRef,
	table: AnyTable,
	resource: StateResource,
	live: Props,
	replaces: boolean,
): ChangedResource {
	const fields = changes(table, live, resource.inputs).flatMap(({ field }) =>
		fieldRows(field, resource.inputs[field], live[field], resource.secretPaths),
	);
	// A job or pipeline that was waited for and failed has every input as declared; it is run again all the same.
	const success = ref.kind === "Pipeline" ? "COMPLETED" : "COMPLETE";
	const rows = fields.length > 0 ? fields : fieldRows("status", success, live.status, resource.secretPaths);
	return { ...ref, repair: replaces ? "replace" : "update", fields: rows };
}

export function fieldRows(
	field: string,
	declared: unknown,
	live: unknown,
	secretPaths: ReadonlySet<string>,
): FieldDrift[] {
	if (secretPaths.has(field)) return [hiddenRow(field, declared, live)];
	if (field === "environment") return partRows(field, declared, live);
	if (field === "storage") return partRows(field, storageParts(declared), storageParts(live));
	const secret = [...secretPaths].some((path) => path.startsWith(`${field}.`));
	if (secret || NEVER_SHOWN.includes(field)) return [hiddenRow(field, declared, live)];
	return [
		{ field, how: howOf(declared, live), hidden: false, declared: scalarOf(declared), live: scalarOf(live) },
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
	const [ours, theirs] = [recordOf(declared), recordOf(live)];
	const names = [...new Set([...Object.keys(ours), ...Object.keys(theirs)])].sort();
	const rows = names
		.filter((name) => !deepEqual(own(ours, name), own(theirs, name)))
		.map((name) => hiddenRow(`${field}.${name}`, own(ours, name), own(theirs, name)));
	// `environment: {}` against nothing differs as a whole.
	return rows.length > 0 ? rows : [hiddenRow(field, declared, live)];
}

const recordOf = (value: unknown): Props =>
	typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Props) : {};

const own = (props: Props, name: string): unknown => (Object.hasOwn(props, name) ? props[name] : undefined);

/** `{ s3: { key } }` → `{ "s3.key": … }`. */
function storageParts(byKind: unknown): Props {
	return Object.fromEntries(
		Object.entries(recordOf(byKind)).flatMap(([kind, parameters]) =>
			Object.entries(recordOf(parameters)).map(([name, value]) => [`${kind}.${name}`, value]),
		),
	);
}

function scalarOf(value: unknown): Scalar {
	if (value === undefined || value === null) return null;
	if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
	return JSON.stringify(value);
}

/** What nobody can compare, because the service does not show it. */
export function uncheckedFields(ref: ResourceRef, live: Props): UncheckedField[] {
	if (ref.kind === "JobFile") {
		const reason = "The service has no request that reads an uploaded file back.";
		return [{ ...ref, field: "content", reason }];
	}
	const keys = Array.isArray(live.uncheckedKeys) ? live.uncheckedKeys.map(String) : [];
	return keys.map((field) => ({
		...ref,
		field,
		reason: `The service does not show the ${field} of a pipeline.`,
	}));
}
