/**
 * Everything the server knows, as plain JSON: what is in here survives a restart, nothing else does.
 * Instants are milliseconds since the epoch; the wire forms are made in `http/replies.ts`.
 * Tokens are not part of it, so that a data file opens no door.
 * What a record's field holds is replaced, never changed in place, so that a shallow copy keeps how a record was.
 */
export interface State {
	format: 1;
	nextFileId: number;
	nextScheduleId: number;
	teams: TeamState[];
}

export interface TeamState {
	name: string;
	clusters: ClusterRecord[];
	datasets: DatasetRecord[];
	files: FileRecord[];
	/** Oldest first, as are all lists here. */
	jobs: JobRecord[];
	pipelines: PipelineRecord[];
	schedules: ScheduleRecord[];
}

export interface ClusterRecord {
	id: number | string;
	name: string;
	status: string;
	cloudProvider: string;
	cloudCredentials: string | null;
	cloudRegion: string | null;
	instanceType: string | null;
	computeClass: string | null;
	diskSize: string | null;
	maxWorkers: number;
	activeWorkers: number;
	busyWorkers: number;
	isDefault: boolean;
}

export interface DatasetRecord {
	/** namespace.project.name; a user's namespace starts with @. */
	fullName: string;
	/** Full names of the datasets it is made from. */
	madeFrom: string[];
	query: string;
	/** Oldest first. */
	versions: { version: string; jobId: string }[];
}

export interface FileRecord {
	id: number;
	filename: string;
	size: number;
	sha256: string;
	state: "pending" | "uploaded" | "failed";
	error: string | null;
}

export interface JobStep {
	name: string;
	label: string;
	startedAt: number;
	finishedAt: number | null;
}

export interface JobRecord {
	id: string;
	name: string;
	query: string;
	queryType: string;
	status: string;
	createdAt: number;
	createdBy: string;
	startedAt: number | null;
	finishedAt: number | null;
	workers: number;
	pythonVersion: string;
	requirements: string;
	repository: string | null;
	environment: Record<string, string>;
	priority: number;
	exitCode: number | null;
	errorMessage: string | null;
	errorStack: string | null;
	parentJobId: string | null;
	rerunFromJobId: string | null;
	runGroupId: string | null;
	clusterId: number | string | null;
	files: string[];
	credentialsName: string | null;
	startAfter: number | null;
	cronExpression: string | null;
	/** A line's id is its place in here, counted from 1. */
	logs: string[];
	steps: JobStep[];
	/** How far a running job is. */
	progress: number;
	/** When the job changes by itself next; null where it waits for someone. */
	due: number | null;
	/** The pipeline it belongs to, and the dataset it makes a version of. */
	pipelineId: string | null;
	dataset: string | null;
	produced: { dataset: string; version: string }[];
}

export interface PipelineRunRecord {
	/** The job that made the dataset the last time; `parentJobIds` refer to it. */
	jobId: string;
	parentJobIds: string[];
	name: string;
	/** The job of this pipeline, made PENDING together with it. */
	createdJobId: string;
}

export interface PipelineRecord {
	id: string;
	name: string;
	paused: boolean;
	runs: PipelineRunRecord[];
	triggeredFrom: string;
	createdAt: number;
	createdBy: string;
	updatedAt: number;
	errorMessage: string | null;
	/** The schedule that fired it. */
	scheduleId: number | null;
	scheduleName: string | null;
	settings: PipelineSettings;
}

export interface PipelineSettings {
	pythonVersion: string | null;
	requirements: string | null;
	repository: string | null;
	workers: number | null;
	priority: number | null;
	environment: Record<string, string>;
	files: string[];
	credentialsNames: string[];
}

export interface ScheduleRecord {
	id: number;
	name: string;
	createdAt: number;
	createdBy: string;
	updatedAt: number;
	startAfter: number;
	cronExpression: string | null;
	nextRun: number | null;
	/** The template: each run is a copy of it. */
	pipelineId: string;
	latestRunId: string | null;
}

export function emptyTeam(name: string): TeamState {
	return { name, clusters: [], datasets: [], files: [], jobs: [], pipelines: [], schedules: [] };
}

export function emptyState(): State {
	return { format: 1, nextFileId: 1, nextScheduleId: 1, teams: [] };
}

const jobIndexes = new WeakMap<readonly JobRecord[], Map<string, JobRecord>>();

/** Jobs are looked up for every run of every listed pipeline; the index follows the list as it grows. */
export function jobById(team: TeamState, id: string): JobRecord | undefined {
	const index = jobIndexes.get(team.jobs) ?? new Map<string, JobRecord>();
	jobIndexes.set(team.jobs, index);
	for (const job of team.jobs.slice(index.size)) index.set(job.id, job);
	return index.get(id);
}

/** A job that is forgotten counts as canceled. */
export const runStatus = (team: TeamState, run: PipelineRunRecord): string =>
	jobById(team, run.createdJobId)?.status ?? "CANCELED";
