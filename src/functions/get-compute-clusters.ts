import { type CamelKeys, camelKeys } from "../schemas/camel";
import { type Cluster, clusterSchema } from "../schemas/cluster";
import { asOutput, type LookupOptions, lookUp } from "./lookup";

export type ComputeCluster = CamelKeys<Cluster>;

export interface GetComputeClustersArgs {
	/** Exact name. */
	name?: string;
	/** Status, such as `ACTIVE`; case does not matter. */
	status?: string;
	isActive?: boolean;
	/** Cloud provider, such as `AWS`; case does not matter. */
	cloudProvider?: string;
}

/** The team's compute clusters, all of them or those that match every given filter. */
export async function getComputeClusters(
	args: GetComputeClustersArgs = {},
	options?: LookupOptions,
): Promise<ComputeCluster[]> {
	const all = await lookUp(options, "clusters", (client) => client.clusters.list());
	return all.map((cluster) => camelKeys(clusterSchema, cluster)).filter((cluster) => matches(cluster, args));
}

export const getComputeClustersOutput = asOutput<GetComputeClustersArgs, ComputeCluster[]>(
	getComputeClusters,
);

export function matches(cluster: ComputeCluster, args: GetComputeClustersArgs): boolean {
	return (
		(args.name === undefined || cluster.name === args.name) &&
		(args.status === undefined || sameWord(cluster.status, args.status)) &&
		(args.isActive === undefined || (cluster.isActive ?? false) === args.isActive) &&
		(args.cloudProvider === undefined || sameWord(cluster.cloudProvider, args.cloudProvider))
	);
}

const sameWord = (found: string | undefined, asked: string): boolean =>
	found?.toLowerCase() === asked.toLowerCase();
