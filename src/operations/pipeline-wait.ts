import { redactor } from "../client/redaction";
import { hasEnded } from "../schemas/pipeline-status";
import type { JobRun, Pipeline } from "../schemas/wire/pipeline";
import type { OperationContext } from "./context";
import { type Clean, oneLine } from "./job-log";
import { problemOfEnded } from "./job-wait";
import { findJob } from "./jobs";
import { jobIdOf, nameOrId } from "./pipelines";
import { unhurried, type Waited, waitFor } from "./wait";

export interface PipelineWait {
	readonly team: string;
	readonly timeoutMillis: number;
	/** How its lines are marked: the resource's name. */
	readonly label: string;
	/** Takes secrets out of what its jobs wrote. */
	readonly clean: Clean;
	/** Whether the names of its jobs, which are those of its datasets, are secrets. */
	readonly hidesNames: boolean;
}

/** Waits until the pipeline ends, shows its progress meanwhile, and says how it ended. */
export function waitForPipeline(
	context: OperationContext,
	wait: PipelineWait,
	first: Pipeline,
): Promise<Waited<Pipeline>> {
	const lastTexts = new Map<string, string>();
	const show = (key: string, text: string) => {
		if (lastTexts.get(key) === text) return;
		lastTexts.set(key, text);
		context.line(`${wait.label}: ${text}`);
	};
	const nameInTeam = (now: Pipeline) =>
		`Pipeline "${nameOrId(now)}" in team "${wait.team}"`;
	return waitFor<Pipeline>(context, first, wait.timeoutMillis, {
		describe: nameInTeam,
		look: async () => {
			const now = await context.client.pipelines.status(
				{ team_name: wait.team, name: String(first.name) },
				unhurried(),
			);
			if (now.pipeline_id !== first.pipeline_id) return undefined;
			for (const job of now.job_runs ?? [])
				show(`job ${jobIdOf(job)}`, `job ${jobLabel(wait, job)} is ${job.status}`);
			show(
				"",
				`pipeline ${now.name} is ${now.status}, ${now.completed ?? 0} of ${now.total ?? 0} jobs done`,
			);
			return now;
		},
		isEnded: hasEnded,
		problem: async (pipeline) =>
			pipeline.status?.toUpperCase() === "COMPLETED"
				? undefined
				: `${nameInTeam(pipeline)} ended as ${pipeline.status}. ${await failedJobs(context, wait, pipeline)}`,
	});
}

const jobName = (
	{ hidesNames }: PipelineWait,
	{ name }: Pick<JobRun, "name">,
): string | undefined => (hidesNames ? undefined : (name ?? undefined));

const jobLabel = (wait: PipelineWait, job: JobRun): string =>
	jobName(wait, job) ?? jobIdOf(job);

/** The jobs that failed, each with its error and its last lines; at most three, as the first is what matters. */
async function failedJobs(
	context: OperationContext,
	wait: PipelineWait,
	{ job_runs, error_message }: Pipeline,
): Promise<string> {
	const { team, clean } = wait;
	const failed = (job_runs ?? []).filter(
		({ status }) => status?.toUpperCase() === "FAILED",
	);
	const texts: string[] = [];
	for (const job of failed.slice(0, 3)) {
		const id = jobIdOf(job);
		const live = await findJob(context, team, id, unhurried()).catch(() => undefined);
		// Its variables are the settings' and need not be inputs of the pipeline.
		const ownClean = (text: string) => clean(redactor(live?.environment)(text));
		const target = { team, jobId: id, label: jobLabel(wait, job), clean: ownClean };
		const name = jobName(wait, { name: live?.name ?? job.name });
		// The list of jobs may be behind the pipeline, which says that the job has failed.
		texts.push(
			(await problemOfEnded(context, target, {
				...live,
				id,
				status: "FAILED",
				name,
			})) ?? "",
		);
	}
	if (texts.length > 0) return texts.join("\n");
	return error_message ? oneLine(clean(error_message)) : "None of its jobs says why.";
}
