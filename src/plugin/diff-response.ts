import { DiffResponse, PropertyDiff } from "@pulumi/pulumi/proto/provider_pb";
import type { ResourceDiff } from "./provider";

const KINDS = {
	add: [PropertyDiff.Kind.ADD, PropertyDiff.Kind.ADD_REPLACE],
	update: [PropertyDiff.Kind.UPDATE, PropertyDiff.Kind.UPDATE_REPLACE],
	delete: [PropertyDiff.Kind.DELETE, PropertyDiff.Kind.DELETE_REPLACE],
} as const;

export function diffResponse(diff: ResourceDiff): DiffResponse {
	const { DIFF_SOME, DIFF_NONE } = DiffResponse.DiffChanges;
	const fields = Object.keys(diff.detailed).map((path) => path.split(/[.[]/)[0] ?? path);
	const answer = new DiffResponse()
		.setChanges(diff.changes ? DIFF_SOME : DIFF_NONE)
		.setReplacesList([...diff.replaces])
		.setDeletebeforereplace(diff.deleteBeforeReplace)
		.setDiffsList([...new Set(fields)])
		.setHasdetaileddiff(true);
	for (const [path, { kind, replaces }] of Object.entries(diff.detailed))
		answer.getDetaileddiffMap().set(path, new PropertyDiff().setKind(KINDS[kind][replaces ? 1 : 0]));
	return answer;
}
