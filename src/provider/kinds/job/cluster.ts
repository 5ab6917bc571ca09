import type { Cluster } from "../../../schemas/wire/cluster";
import { didYouMean } from "../../../text/suggest";
import { containsUnknown, type Problem, type Props, problem } from "../../model/props";
import type { Call } from "../../run/context";

/** The cluster must exist, be active and be large enough: a job that can never start would only wait. */
export async function clusterProblems(call: Call, inputs: Props): Promise<Problem[]> {
	const { teamName: team, clusterName: name, clusterId: id, workers } = inputs;
	if (containsUnknown([team, name, id])) return [];
	const isNamed = name !== undefined || id !== undefined;
	if (!isNamed && typeof workers !== "number") return [];
	const field = id === undefined ? "clusterName" : "clusterId";
	const clusters = await call.lists.clusters(String(team));
	const cluster = clusters.find((each) => {
		if (!isNamed) return each.default === true;
		return id === undefined ? each.name === name : isCluster(each, id);
	});
	if (cluster === undefined) {
		if (!isNamed) return [];
		const names =
			clusters.map((each) => `"${each.name}" (id ${each.id})`).join(", ") || "none";
		const wanted = JSON.stringify(name ?? id);
		const hint = clusterHint(clusters, { name, id });
		return [
			problem(
				field,
				`team "${String(team)}" has no compute cluster ${wanted}.${hint} It has ${names}.`,
			),
		];
	}
	if (!isActive(cluster)) {
		const status = cluster.status ?? "not active";
		return [
			problem(
				field,
				`compute cluster "${cluster.name}" is ${status}, so a job on it would not start.`,
			),
		];
	}
	if (typeof workers !== "number" || workers <= (cluster.max_workers ?? workers))
		return [];
	const text = `must be 1 to ${cluster.max_workers} on compute cluster "${cluster.name}", not ${workers}.`;
	return [problem("workers", text)];
}

/** An id under the name, or the other way round, is the usual mistake beside a misspelt name. */
function clusterHint(clusters: readonly Cluster[], { name, id }: Props): string {
	const byId = clusters.find((each) => isCluster(each, name));
	if (byId !== undefined)
		return ` "${String(name)}" is the id of "${byId.name}": set clusterId instead.`;
	const byName = clusters.find((each) => each.name === id);
	if (byName !== undefined)
		return ` "${byName.name}" is the name of ${byName.id}: set clusterName instead.`;
	return name === undefined
		? ""
		: didYouMean(
				String(name),
				clusters.map((each) => each.name),
			);
}

const isCluster = (cluster: Cluster, id: unknown): boolean =>
	String(cluster.id) === String(id);

/** The id in the form in which the service lists it, because it may take no other. */
export async function clusterIdOf(
	call: Call,
	{ teamName: team, clusterId }: Props,
): Promise<unknown> {
	if (clusterId === undefined) return undefined;
	const clusters = await call.lists.clusters(String(team));
	return clusters.find((cluster) => isCluster(cluster, clusterId))?.id ?? clusterId;
}

const isActive = ({ is_active, status }: Cluster): boolean =>
	is_active ?? (status ?? "ACTIVE").toUpperCase() === "ACTIVE";
