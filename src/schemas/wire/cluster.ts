// Made from the schemas by `npm run schema`; a test compares them.

export interface Cluster {
	[field: string]: unknown;
	id: number | string;
	name: string;
	status?: string | null | undefined;
	cloud_provider?: string | null | undefined;
	/** Name of a credentials set. */
	cloud_credentials?: string | null | undefined;
	is_active?: boolean | null | undefined;
	default?: boolean | null | undefined;
	max_workers?: number | null | undefined;
	cloud_region?: string | null | undefined;
	instance_type?: string | null | undefined;
	compute_class?: string | null | undefined;
	disk_size?: string | null | undefined;
	active_workers?: number | null | undefined;
	busy_workers?: number | null | undefined;
}
