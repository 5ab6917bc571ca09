import { asOutput } from "./as-output";
import type { LookupOptions } from "./connection";
import { type KeysOf, knownArgs } from "./keys";
import { lookUp, results } from "./lookup";

export interface ComputeCluster {
	id: number | string;
	name: string;
	/** Such as `ACTIVE`. */
	status?: string;
	/** Such as `AWS`. */
	cloudProvider?: string;
	/** Name of a set of credentials. */
	cloudCredentials?: string;
	isActive?: boolean;
	/** True of the team's default cluster. */
	default?: boolean;
	maxWorkers?: number;
	cloudRegion?: string;
	instanceType?: string;
	computeClass?: string;
	diskSize?: string;
	activeWorkers?: number;
	busyWorkers?: number;
}

export interface GetComputeClustersArgs {
	/** Exact name. */
	name?: string;
	/** Status, such as `ACTIVE`; case does not matter. */
	status?: string;
	isActive?: boolean;
	/** Cloud provider, such as `AWS`; case does not matter. */
	cloudProvider?: string;
}

const KEYS: KeysOf<GetComputeClustersArgs> = {
	name: true,
	status: true,
	isActive: true,
	cloudProvider: true,
};

/** The team's compute clusters, all of them or those that match every given filter. */
export async function getComputeClusters(
	args: GetComputeClustersArgs = {},
	options?: LookupOptions,
): Promise<ComputeCluster[]> {
	const asked = knownArgs("getComputeClusters", KEYS, args);
	const all = await lookUp("getComputeClusters", options, "clusters", (client) => client.clusters.list());
	return all.map(results().clusterResult).filter((cluster) => matches(cluster, asked));
}

export const getComputeClustersOutput = asOutput<GetComputeClustersArgs, ComputeCluster[]>(
	getComputeClusters,
	KEYS,
);

function matches(cluster: ComputeCluster, args: GetComputeClustersArgs): boolean {
	return (
		(args.name === undefined || cluster.name === args.name) &&
		(args.status === undefined || sameWord(cluster.status, args.status)) &&
		(args.isActive === undefined || (cluster.isActive ?? false) === args.isActive) &&
		(args.cloudProvider === undefined || sameWord(cluster.cloudProvider, args.cloudProvider))
	);
}

const sameWord = (found: string | undefined, asked: string): boolean =>
	found?.toLowerCase() === asked.toLowerCase();
