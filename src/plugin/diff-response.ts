import { DiffResponse, PropertyDiff } from "@pulumi/pulumi/proto/provider_pb";
import type { PropertyChange } from "./detailed-diff";
import type { ResourceDiff } from "./provider";

const KINDS = {
	add: [PropertyDiff.Kind.ADD, PropertyDiff.Kind.ADD_REPLACE],
	update: [PropertyDiff.Kind.UPDATE, PropertyDiff.Kind.UPDATE_REPLACE],
	delete: [PropertyDiff.Kind.DELETE, PropertyDiff.Kind.DELETE_REPLACE],
} as const;

export function diffResponse(diff: ResourceDiff): DiffResponse {
	const answer = new DiffResponse();
	const { DIFF_SOME, DIFF_NONE } = DiffResponse.DiffChanges;
	answer.setChanges(diff.changes ? DIFF_SOME : DIFF_NONE);
	answer.setReplacesList([...diff.replaces]);
	answer.setDeletebeforereplace(diff.deleteBeforeReplace);
	answer.setDiffsList([...new Set(Object.keys(diff.detailed).map((path) => path.split(/[.[]/)[0] ?? path))]);
	answer.setHasdetaileddiff(true);
	for (const [path, change] of Object.entries(diff.detailed))
		answer.getDetaileddiffMap().set(path, propertyDiff(change));
	return answer;
}

function propertyDiff({ kind, replaces }: PropertyChange): PropertyDiff {
	const answer = new PropertyDiff();
	answer.setKind(KINDS[kind][replaces ? 1 : 0]);
	return answer;
}
