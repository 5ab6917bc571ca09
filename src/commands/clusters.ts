import type { Command } from "commander";
import { table } from "../report/table";
import type { Cluster } from "../schemas/wire/cluster";
import { type Session, type TeamOptions, teamCommand, withSession } from "./session";

/** `clusters`. */
export const define = (command: Command): Command =>
	teamCommand(command).action((options: TeamOptions) => withSession(options, listClusters));

export async function listClusters({ client, print }: Session): Promise<void> {
	const found = (await client.clusters.list()).map(clusterView);
	print(found, () =>
		table(found, "No compute clusters.", {
			id: ({ id }) => id,
			name: ({ name }) => name,
			status: ({ status }) => status,
			default: (one) => (one.default ? "yes" : ""),
			"workers (busy/active/max)": ({ busyWorkers, activeWorkers, maxWorkers }) =>
				[busyWorkers, activeWorkers, maxWorkers].map((workers) => workers ?? "?").join("/"),
			provider: ({ provider }) => provider,
			region: ({ region }) => region,
			instance: ({ instanceType }) => instanceType,
		}),
	);
}

const clusterView = (cluster: Cluster) => ({
	id: cluster.id,
	name: cluster.name,
	status: cluster.status ?? null,
	isActive: cluster.is_active ?? null,
	default: cluster.default ?? null,
	maxWorkers: cluster.max_workers ?? null,
	activeWorkers: cluster.active_workers ?? null,
	busyWorkers: cluster.busy_workers ?? null,
	provider: cluster.cloud_provider ?? null,
	region: cluster.cloud_region ?? null,
	instanceType: cluster.instance_type ?? null,
	computeClass: cluster.compute_class ?? null,
	diskSize: cluster.disk_size ?? null,
	credentials: cluster.cloud_credentials ?? null,
});
