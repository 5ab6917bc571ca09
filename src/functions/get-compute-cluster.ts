import { asOutput } from "./as-output";
import type { LookupOptions } from "./connection";
import { exactlyOne } from "./exactly-one";
import { type ComputeCluster, type GetComputeClustersArgs, getComputeClusters } from "./get-compute-clusters";
import { checkOptions, type KeysOf, knownArgs } from "./keys";

export interface GetComputeClusterArgs extends GetComputeClustersArgs {
	id?: number | string;
	/** True asks for the team's default cluster. */
	default?: boolean;
}

const KEYS: KeysOf<GetComputeClusterArgs> = {
	id: true,
	name: true,
	default: true,
	status: true,
	isActive: true,
	cloudProvider: true,
};

/** The one compute cluster that matches; none or several is an error that lists what there is. */
export async function getComputeCluster(
	args: GetComputeClusterArgs,
	options?: LookupOptions,
): Promise<ComputeCluster> {
	const asked = knownArgs("getComputeCluster", KEYS, args);
	checkOptions("getComputeCluster", options);
	const { id, default: isDefault, ...filters } = asked;
	const [candidates, all] = await Promise.all([
		getComputeClusters(filters, options),
		getComputeClusters({}, options),
	]);
	const found = candidates.filter(
		(cluster) =>
			(id === undefined || String(cluster.id) === String(id)) &&
			(isDefault === undefined || (cluster.default ?? false) === isDefault),
	);
	return exactlyOne("compute cluster", asked, found, all, describe);
}

export const getComputeClusterOutput = asOutput<GetComputeClusterArgs, ComputeCluster>(
	getComputeCluster,
	KEYS,
);

const describe = (cluster: ComputeCluster): string =>
	`"${cluster.name}" (id ${cluster.id}, ${cluster.status ?? "status unknown"}${cluster.default ? ", default" : ""})`;
