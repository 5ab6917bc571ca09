import { checkDrift } from "../../../../src/drift/check";
import { deepEqual } from "../../../../src/provider/shared/field-table";
import type { LocalServer } from "../../../../src/server";
import type { Inputs } from "./case";
import { type Deployed, HANDLERS, inNewProcess } from "./deployed";

/** Names of what was found, by the resource's name in the program. */
export type Found = ReadonlyMap<string, readonly string[]>;

/** What `pulumi-datachain drift` reports. */
export async function foundByCommand(server: LocalServer, deployed: readonly Deployed[]): Promise<Found> {
	const state = { resources: deployed.map(({ resource }) => resource), leavingIds: [] };
	const report = await checkDrift({ state, sources: { env: server.environment }, ignore: [] });
	return new Map([
		...report.changed.map(({ resource, fields }): [string, string[]] => [
			resource,
			fields.map(({ field }) => field),
		]),
		...report.missing.map(({ resource }): [string, string[]] => [resource, ["(missing)"]]),
	]);
}

/** What a refresh shows: the provider's read and diff, and the inputs that differ after them. */
export async function foundByRefresh(server: LocalServer, deployed: readonly Deployed[]): Promise<Found> {
	return inNewProcess(server, async (context) => {
		const found = new Map<string, string[]>();
		for (const { each, resource } of deployed) {
			const handler = HANDLERS[each.kind];
			const { state } = await handler.read(context, resource.id, resource.outputs);
			if (state === undefined) {
				found.set(resource.name, ["(missing)"]);
				continue;
			}
			const { changes } = await handler.diff(context, resource.id, state.outs, resource.inputs);
			const names = differingNames(resource.inputs, state.inputs);
			if (changes || names.length > 0)
				found.set(resource.name, changes ? names : ["(changed without a diff)"]);
		}
		return found;
	});
}

/** Paths that differ: variables and storage parameters by their own names, everything else by the field. */
export function differingNames(declared: Inputs, live: Inputs): string[] {
	return differing(declared, live).flatMap((field) => {
		const parts = differing(recordOf(declared[field]), recordOf(live[field]));
		if (field === "environment") return parts.map((name) => `${field}.${name}`);
		if (field !== "storage") return [field];
		return parts.flatMap((kind) => {
			const [ours, theirs] = [recordOf(declared.storage)[kind], recordOf(live.storage)[kind]];
			return differing(recordOf(ours), recordOf(theirs)).map((name) => `storage.${kind}.${name}`);
		});
	});
}

const recordOf = (value: unknown): Inputs =>
	typeof value === "object" && value !== null ? (value as Inputs) : {};

const own = (props: Inputs, name: string): unknown => (Object.hasOwn(props, name) ? props[name] : undefined);

function differing(a: Inputs, b: Inputs): string[] {
	const names = [...new Set([...Object.keys(a), ...Object.keys(b)])].sort();
	return names.filter((name) => !deepEqual(own(a, name), own(b, name)));
}
