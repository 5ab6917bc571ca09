import type { Reply } from "./fields";

interface ClusterFields {
	status: string;
	cloud_provider: string;
	/** Name of a set of credentials. */
	cloud_credentials: string;
	is_active: boolean;
	default: boolean;
	max_workers: number;
	cloud_region: string;
	instance_type: string;
	compute_class: string;
	disk_size: string;
	active_workers: number;
	busy_workers: number;
}

export interface Cluster extends Reply<ClusterFields> {
	id: number | string;
	name: string;
}
