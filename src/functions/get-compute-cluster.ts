import { exactlyOne } from "./exactly-one";
import { type ComputeCluster, type GetComputeClustersArgs, getComputeClusters } from "./get-compute-clusters";
import { asOutput, type LookupOptions } from "./lookup";

export interface GetComputeClusterArgs extends GetComputeClustersArgs {
	id?: number | string;
	/** True asks for the team's default cluster. */
	default?: boolean;
}

/** The one compute cluster that matches; none or several is an error that lists what there is. */
export async function getComputeCluster(
	args: GetComputeClusterArgs,
	options?: LookupOptions,
): Promise<ComputeCluster> {
	const { id, default: isDefault, ...filters } = args;
	const [candidates, all] = await Promise.all([
		getComputeClusters(filters, options),
		getComputeClusters({}, options),
	]);
	const found = candidates.filter(
		(cluster) =>
			(id === undefined || String(cluster.id) === String(id)) &&
			(isDefault === undefined || (cluster.default ?? false) === isDefault),
	);
	return exactlyOne("compute cluster", args, found, all, describe);
}

export const getComputeClusterOutput = asOutput<GetComputeClusterArgs, ComputeCluster>(getComputeCluster);

const describe = (cluster: ComputeCluster): string =>
	`"${cluster.name}" (id ${cluster.id}, ${cluster.status ?? "status unknown"}${cluster.default ? ", default" : ""})`;
