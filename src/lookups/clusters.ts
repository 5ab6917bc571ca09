import type { ComputeCluster } from "../schemas/wire/results";
import {
	asOutput,
	checkedArgs,
	exactlyOne,
	type KeysOf,
	lookUp,
	resultsModule,
} from "./lookup";
import type { LookupOptions } from "./place";

export interface GetComputeClustersArgs {
	/** Exact name. */
	name?: string;
	/** Status, such as `ACTIVE`; case does not matter. */
	status?: string;
	/** Whether the cluster accepts jobs. */
	isActive?: boolean;
	/** Cloud provider, such as `AWS`; case does not matter. */
	cloudProvider?: string;
}

const LIST_KEYS: KeysOf<GetComputeClustersArgs> = {
	name: true,
	status: true,
	isActive: true,
	cloudProvider: true,
};

export interface GetComputeClustersResult {
	/** The clusters that match. */
	computeClusters: ComputeCluster[];
}

/**
 * The team's compute clusters, all of them or those that match every given filter.
 *
 * ```ts
 * datachain.getComputeClustersOutput({ isActive: true }).computeClusters
 * ```
 */
export async function getComputeClusters(
	args: GetComputeClustersArgs = {},
	options?: LookupOptions,
): Promise<GetComputeClustersResult> {
	const asked = checkedArgs("getComputeClusters", LIST_KEYS, args);
	const all = await listed("getComputeClusters", options);
	return { computeClusters: all.filter((cluster) => matches(cluster, asked)) };
}

const listed = async (
	lookup: string,
	options: LookupOptions | undefined,
): Promise<ComputeCluster[]> => {
	const all = await lookUp(lookup, options, "clusters", (client) =>
		client.clusters.list(),
	);
	return all.map(resultsModule().clusterResult);
};

export const getComputeClustersOutput = asOutput<
	GetComputeClustersArgs,
	GetComputeClustersResult
>(getComputeClusters, LIST_KEYS);

function matches(cluster: ComputeCluster, args: GetComputeClusterArgs): boolean {
	return (
		(args.id === undefined || cluster.id === String(args.id)) &&
		(args.default === undefined || (cluster.default ?? false) === args.default) &&
		(args.name === undefined || cluster.name === args.name) &&
		(args.status === undefined || sameWord(cluster.status, args.status)) &&
		(args.isActive === undefined || (cluster.isActive ?? false) === args.isActive) &&
		(args.cloudProvider === undefined ||
			sameWord(cluster.cloudProvider, args.cloudProvider))
	);
}

const sameWord = (actual: string | undefined, asked: string): boolean =>
	actual?.toLowerCase() === asked.toLowerCase();

export interface GetComputeClusterArgs extends GetComputeClustersArgs {
	/** The service's id of the cluster. */
	id?: number | string;
	/** True asks for the team's default cluster. */
	default?: boolean;
}

const SINGLE_KEYS: KeysOf<GetComputeClusterArgs> = {
	id: true,
	name: true,
	default: true,
	status: true,
	isActive: true,
	cloudProvider: true,
};

/**
 * The one compute cluster that matches every filter. Fails unless exactly one matches; the error lists the candidates.
 *
 * ```ts
 * datachain.getComputeClusterOutput({ default: true }).maxWorkers
 * ```
 */
export async function getComputeCluster(
	args: GetComputeClusterArgs,
	options?: LookupOptions,
): Promise<ComputeCluster> {
	const asked = checkedArgs("getComputeCluster", SINGLE_KEYS, args);
	const all = await listed("getComputeCluster", options);
	const matching = all.filter((cluster) => matches(cluster, asked));
	const names = { asked: asked.name, all: all.map(({ name }) => name) };
	return exactlyOne("compute cluster", asked, matching, all, describe, names);
}

export const getComputeClusterOutput = asOutput<GetComputeClusterArgs, ComputeCluster>(
	getComputeCluster,
	SINGLE_KEYS,
);

const describe = (cluster: ComputeCluster): string =>
	`"${cluster.name}" (id ${cluster.id}, ${cluster.status ?? "status unknown"}${cluster.default ? ", default" : ""})`;
