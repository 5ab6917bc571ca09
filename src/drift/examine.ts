import { needlesFor } from "../api/redaction/needles";
import { takeOut } from "../api/redaction/take-out";
import type { ProviderContext } from "../provider/context";
import { handlerOf } from "../provider/handlers";
import { compact } from "../provider/shared/json";
import { describeChange, referTo, uncheckedFields } from "./compare";
import type { ChangedResource, ResourceRef, UncheckedField } from "./report";
import type { StateResource } from "./state";

/** What was found out about one managed resource. */
export interface Finding {
	readonly resource: StateResource;
	readonly ref: ResourceRef;
	readonly verdict:
		| { readonly is: "same" | "missing" }
		| { readonly is: "changed"; readonly change: ChangedResource }
		| { readonly is: "failed"; readonly reason: string };
	/** Its name in the program, and the one it has on the service now. */
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
	const declared = namesIn(inputs.scheduleName ?? outputs.scheduleName);
	const finding = { resource, ref, names: declared, unchecked: [] };
	const call = { ...context, urn, stateUrn, madeAt, preview: false, secrets: [], secretsMoved: false };
	try {
		const handler = handlerOf(resource.kind);
		const { state: live } = await handler.read(call, resource.id, outputs);
		if (live === undefined) return { ...finding, verdict: { is: "missing" } };
		const outs = compact(live.outs);
		const diff = await handler.diff(call, live.id, outs, inputs);
		const found = {
			...finding,
			names: [...declared, ...namesIn(outs.scheduleName)],
			unchecked: uncheckedFields(ref, outs),
		};
		if (!diff.changes) return { ...found, verdict: { is: "same" } };
		const change = describeChange(ref, handler.fields, resource, outs, diff.replaces.length > 0);
		return { ...found, verdict: { is: "changed", change } };
	} catch (error) {
		return { ...finding, verdict: { is: "failed", reason: reasonOf(error, resource) } };
	}
}

const namesIn = (name: unknown): string[] => (typeof name === "string" && name !== "" ? [name] : []);

/** Reports travel further than error messages, so names that the program keeps secret are taken out. */
function reasonOf(error: unknown, { inputs, outputs, secretPaths }: StateResource): string {
	const why = error instanceof Error ? error.message : String(error);
	const secrets = [inputs, outputs].flatMap((props) => secretTexts(props, "", false, secretPaths));
	return takeOut(why, [...new Set(secrets)].flatMap(needlesFor));
}

function secretTexts(
	value: unknown,
	path: string,
	inside: boolean,
	secretPaths: ReadonlySet<string>,
): string[] {
	const secret = inside || secretPaths.has(path);
	if (typeof value === "string") return secret ? [value] : [];
	if (typeof value !== "object" || value === null) return [];
	return Object.entries(value).flatMap(([key, item]) =>
		secretTexts(item, path === "" ? key : `${path}.${key}`, secret, secretPaths),
	);
}
