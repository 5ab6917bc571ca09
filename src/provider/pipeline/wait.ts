import { hasEnded } from "../../schemas/pipeline-status";
import type { Pipeline } from "../../schemas/wire/pipeline";
import type { Call } from "../context";
import { findJob, unhurried } from "../runs/find-job";
import { lastLines } from "../runs/log-lines";
import { timeoutOf } from "../runs/wait-fields";
import { jobProblem, untilEnded } from "../runs/wait-for-job";
import { withoutSecrets } from "../runs/without-secrets";
import { parseUrn } from "../urn";
import type { PipelineArgs } from "./fields";
import { runId, runLabel, runName } from "./run-names";

/** The pipeline as it is now, and why that is not what was wanted. */
interface Waited {
	readonly pipeline: Pipeline;
	readonly problem: string | undefined;
	readonly timedOut: boolean;
}

/** Waits until the pipeline ends, shows how far it is meanwhile, and says how it ended. */
export async function waitForPipeline(call: Call, args: PipelineArgs, first: Pipeline): Promise<Waited> {
	const label = parseUrn(call.urn)?.name ?? "pipeline";
	const shown = new Map<string, string>();
	const show = (key: string, text: string) => {
		if (shown.get(key) === text) return;
		shown.set(key, text);
		call.line(`${label}: ${text}`);
	};
	const { latest, why, timedOut } = await untilEnded(
		call,
		timeoutOf(args.timeout),
		async () => {
			const now = await call.client.pipelines.status(
				{ team_name: args.teamName, name: String(first.name) },
				unhurried(),
			);
			if (now.pipeline_id !== first.pipeline_id) return undefined;
			for (const run of now.job_runs ?? [])
				show(`job ${runId(run)}`, `job ${runLabel(call, run)} is ${run.status}`);
			show("", `pipeline ${now.name} is ${now.status}, ${now.completed ?? 0} of ${now.total ?? 0} jobs done`);
			return now;
		},
		hasEnded,
	);
	const pipeline = latest ?? first;
	const name = `Pipeline "${pipeline.name ?? ""}" in team "${args.teamName}"`;
	if (why !== undefined) {
		const problem = `${name} is ${pipeline.status}, and ${why} It was left as it is.`;
		return { pipeline, problem, timedOut };
	}
	if (pipeline.status?.toUpperCase() === "COMPLETED") return { pipeline, problem: undefined, timedOut };
	const problem = `${name} ended as ${pipeline.status}. ${await failedJobs(call, args, pipeline)}`;
	return { pipeline, problem, timedOut };
}

/** The jobs that failed, each with its error and its last lines; at most three, as the first is what matters. */
async function failedJobs(call: Call, args: PipelineArgs, pipeline: Pipeline): Promise<string> {
	const clean = withoutSecrets(call, { ...args });
	const failed = (pipeline.job_runs ?? []).filter(({ status }) => status?.toUpperCase() === "FAILED");
	const texts: string[] = [];
	for (const run of failed.slice(0, 3)) {
		const id = runId(run);
		const target = { team: args.teamName, jobId: id, label: runLabel(call, run), clean };
		const job = await findJob(call, args.teamName, id, unhurried()).catch(() => undefined);
		const lines = await lastLines(call, target);
		const name = runName(call, { name: job?.name ?? run.name });
		texts.push(jobProblem({ id, status: "FAILED", ...job, name }, target, lines) ?? "");
	}
	if (texts.length > 0) return texts.join("\n");
	return pipeline.error_message ? clean(pipeline.error_message) : "None of its jobs says why.";
}
