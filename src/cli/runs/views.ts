import Table from "cli-table3";
import { withoutUrlCredentials } from "../../schemas/url-credentials";
import type { Job } from "../../schemas/wire/job";
import type { Pipeline } from "../../schemas/wire/pipeline";
import { printable } from "../failure";

/** A job as the commands show it: without its query and its environment, which may hold secrets. */
export const jobView = (job: Job) => ({
	id: job.id,
	name: job.name ?? null,
	status: job.status,
	createdAt: job.created_at ?? null,
	createdBy: job.created_by ?? null,
	startedAt: job.started_at ?? null,
	finishedAt: job.finished_at ?? null,
	exitCode: job.exit_code ?? null,
	error: job.error_message ? withoutUrlCredentials(job.error_message) : null,
	workers: job.workers ?? null,
	cluster: job.compute_cluster_name ?? null,
	url: job.url ?? null,
});

/** The same of a pipeline: without its settings. */
export const pipelineView = (pipeline: Pipeline) => ({
	id: pipeline.pipeline_id,
	name: pipeline.name ?? null,
	status: pipeline.status ?? null,
	completed: pipeline.completed ?? null,
	total: pipeline.total ?? null,
	triggeredFrom: pipeline.triggered_from ?? null,
	schedule: pipeline.schedule_name ?? null,
	createdAt: pipeline.created_at ?? null,
	error: pipeline.error_message ? withoutUrlCredentials(pipeline.error_message) : null,
	jobs: (pipeline.job_runs ?? []).map((run) => ({
		id: run.created_job_id ?? run.job_id ?? null,
		name: run.name ?? null,
		status: run.status ?? null,
	})),
});

const PLAIN = { mid: "", "left-mid": "", "mid-mid": "", "right-mid": "" };
const NO_FRAME = Object.fromEntries(
	["top", "bottom"].flatMap((side) => ["", "-mid", "-left", "-right"].map((part) => [side + part, ""])),
);

/** Columns for people; what others wrote cannot move the cursor. */
export function table(heads: readonly string[], rows: readonly (readonly unknown[])[]): string {
	const made = new Table({
		head: heads.map((head) => head.toUpperCase()),
		style: { head: [], border: [], compact: true, "padding-left": 0, "padding-right": 2 },
		chars: { ...PLAIN, ...NO_FRAME, left: "", right: "", middle: "" },
	});
	for (const row of rows) made.push(row.map((cell) => printable(String(cell ?? "")).replace(/[\n\t]/g, " ")));
	return `${made.toString().replace(/ +$/gm, "")}\n`;
}

/** `2026-01-31 03:00`, in UTC as everything the service says. */
export const shortTime = (instant: string | null): string => (instant ?? "").slice(0, 16).replace("T", " ");
