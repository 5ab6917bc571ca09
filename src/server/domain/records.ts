import { randomUUID } from "node:crypto";
import type { ClusterRecord, JobRecord, PipelineRecord, PipelineSettings } from "../state";

/** What is given, and the rest as it is where nobody has said anything. */
type Given<R, Needed extends keyof R> = Pick<R, Needed> & Partial<R>;

export function newJob(values: Given<JobRecord, "name" | "query" | "createdAt" | "createdBy">): JobRecord {
	return {
		id: randomUUID(),
		queryType: "PYTHON",
		status: "CREATED",
		startedAt: null,
		finishedAt: null,
		workers: 1,
		pythonVersion: "3.12",
		requirements: "",
		repository: null,
		environment: {},
		priority: 5,
		exitCode: null,
		errorMessage: null,
		errorStack: null,
		parentJobId: null,
		rerunFromJobId: null,
		runGroupId: null,
		clusterId: null,
		files: [],
		credentialsName: null,
		startAfter: null,
		cronExpression: null,
		logs: [],
		steps: [],
		progress: 0,
		due: null,
		pipelineId: null,
		dataset: null,
		produced: [],
		...values,
	};
}

export function newPipeline(
	values: Given<PipelineRecord, "name" | "createdAt" | "createdBy" | "triggeredFrom">,
): PipelineRecord {
	return {
		id: randomUUID(),
		paused: false,
		runs: [],
		updatedAt: values.createdAt,
		errorMessage: null,
		scheduleId: null,
		scheduleName: null,
		settings: newSettings(),
		...values,
	};
}

export function newSettings(values: Partial<PipelineSettings> = {}): PipelineSettings {
	return {
		pythonVersion: null,
		requirements: null,
		repository: null,
		workers: null,
		priority: null,
		environment: {},
		files: [],
		credentialsNames: [],
		...values,
	};
}

export function newCluster(values: Given<ClusterRecord, "id" | "name" | "maxWorkers">): ClusterRecord {
	return {
		status: "ACTIVE",
		cloudProvider: "AWS",
		cloudCredentials: null,
		cloudRegion: null,
		instanceType: null,
		computeClass: null,
		diskSize: null,
		activeWorkers: 0,
		busyWorkers: 0,
		isDefault: false,
		...values,
	};
}
