import type { Call } from "../../provider/context";
import type { Props } from "../../provider/handler";
import { handlerOf } from "../../provider/handlers";
import { makeJob } from "../../provider/job/create";
import type { PipelineArgs } from "../../provider/pipeline/fields";
import { makePipeline } from "../../provider/pipeline/trigger";
import { waitForPipeline } from "../../provider/pipeline/wait";
import { timeoutOf } from "../../provider/runs/wait-fields";
import { waitForJob } from "../../provider/runs/wait-for-job";
import { withoutSecrets } from "../../provider/runs/without-secrets";
import { isFinishedJobStatus } from "../../schemas/job";
import type { Kind } from "../../schemas/kinds";
import { hasEnded } from "../../schemas/pipeline-status";
import { explainFailure } from "../failure";
import { progress, say } from "../terminal";
import { logText } from "./logs";
import { type RunsOptions, type Session, withSession } from "./session";
import { jobView, pipelineView } from "./views";

interface WaitOptions extends RunsOptions {
	wait?: boolean;
	timeout?: string;
	onInterrupt: "cancel" | "leave";
}

export interface RunOptions extends WaitOptions {
	name?: string;
	workers?: number;
	env?: string[];
	req?: string[];
	python?: string;
	repository?: string;
	priority?: number;
	cluster?: string;
	credentials?: string;
	file?: string[];
}

export interface TriggerOptions extends WaitOptions {
	paused?: boolean;
}

/** What a shell says of a command that ran out of time, and of one that was interrupted. */
const [TIMED_OUT, INTERRUPTED] = [124, 130];

/** Starts a job from a file; with `--wait` its log is the output and its exit code the command's. */
export const run = (path: string, options: RunOptions): Promise<void> =>
	withSession(options, async (session) => {
		const call: Call = { ...session.call(), secrets: ["environment"] };
		const given: Props = {
			file: path,
			name: options.name,
			workers: options.workers,
			environment: variables(options.env ?? []),
			requirements: options.req,
			pythonVersion: options.python,
			repository: options.repository,
			priority: options.priority,
			clusterName: options.cluster,
			credentialsName: options.credentials,
			timeout: options.timeout,
		};
		// First without the files: what cannot run must leave none of them on the service.
		const known = await checked(call, "Job", given);
		const files = await uploaded(session, options.file ?? []);
		const inputs = files.length === 0 ? known : await checked(call, "Job", { ...given, files });
		const made = await makeJob(call, inputs);
		if (!options.wait) return session.print(jobView(made), `${made.id}\n`);
		tell(`Job ${made.id}`, made.url ?? undefined);
		const target = {
			team: call.teamName,
			jobId: made.id,
			label: made.name ?? "job",
			clean: withoutSecrets(call, inputs),
			to: {
				line: (text: string) => {
					progress.clear();
					if (!options.json) process.stdout.write(`${logText(text)}\n`);
				},
				status: progress.show,
			},
		};
		const { job, problem, timedOut } = await waitForJob(call, target, made, timeoutOf(options.timeout));
		const isEnded = isFinishedJobStatus(job.status);
		if (!isEnded && session.interrupt.aborted) {
			await interrupted(options, `Job ${job.id}`, "asked to end", () =>
				call.client.jobs.cancel({ job_id: job.id }),
			);
		} else if (timedOut) process.exitCode = TIMED_OUT;
		else if (problem !== undefined) process.exitCode = job.exit_code || 1;
		const next = isEnded ? "" : ` "pulumi-datachain logs ${job.id} --follow" goes on.`;
		if (problem !== undefined && !session.interrupt.aborted) say(`${problem.split("\n")[0]}${next}`);
		if (options.json) session.print(jobView(job), "");
	});

/** Triggers a pipeline from datasets; with `--wait` it is followed to its end. */
export async function trigger(datasets: readonly string[], options: TriggerOptions): Promise<void> {
	if (options.paused && options.wait)
		throw new Error("--paused and --wait: a paused pipeline never ends. Keep one of them.");
	return withSession(options, async (session) => {
		const call = session.call();
		const inputs = await checked(call, "Pipeline", {
			datasets,
			start: options.paused !== true,
			wait: options.wait,
			timeout: options.timeout,
		});
		const args = inputs as unknown as PipelineArgs;
		const made = await makePipeline(call, args);
		if (!options.wait) return session.print(pipelineView(made), `${made.name}\n`);
		tell(`Pipeline ${made.name}`);
		const following: Call = { ...call, line: progress.show };
		const { pipeline, problem, timedOut } = await waitForPipeline(following, args, made);
		progress.clear();
		const isEnded = hasEnded(pipeline);
		if (!isEnded && session.interrupt.aborted) {
			await interrupted(options, `Pipeline ${made.name}`, "paused", () =>
				call.client.pipelines.pause({ pipeline_id: made.pipeline_id }),
			);
		} else if (timedOut) process.exitCode = TIMED_OUT;
		else if (problem !== undefined) process.exitCode = 1;
		const next = isEnded ? "" : ` "pulumi-datachain pipelines ${made.name}" shows how far it is.`;
		if (problem !== undefined && !session.interrupt.aborted) say(`${problem}${next}`);
		session.print(pipelineView(pipeline), `${made.name} ${pipeline.status}\n`);
	});
}

/** The same checks as a deployment makes, before anything is sent. */
async function checked(call: Call, kind: Kind, news: Props): Promise<Props> {
	const given = Object.fromEntries(Object.entries(news).filter(([, value]) => value !== undefined));
	const { inputs, problems } = await handlerOf(kind).check(call, {}, given);
	// The input that a program would add has no option here.
	const unclear = `The name "${news.file}" does not say what it is. Rename it: .py for Python, .sh or .bash for a shell script.`;
	const reasons = problems.map(({ field, reason }) => (field === "queryType" ? unclear : reason));
	if (reasons.length > 0) throw new Error(reasons.join("\n"));
	return inputs;
}

async function uploaded({ client }: Session, paths: readonly string[]): Promise<string[]> {
	const ids: string[] = [];
	for (const path of paths) {
		const { file } = await client.jobs.uploadFile({ path });
		ids.push(String(file.id));
	}
	return ids;
}

function variables(given: readonly string[]): Record<string, string> | undefined {
	if (given.length === 0) return undefined;
	const pairs = given.map((text): [string, string] => {
		const at = text.indexOf("=");
		// The text may be a secret, so it is not repeated.
		if (at < 1) throw new Error("--env takes NAME=VALUE; one of them has no name, or no equals sign.");
		return [text.slice(0, at), text.slice(at + 1)];
	});
	return Object.fromEntries(pairs);
}

/** Ctrl-C: what was started goes on or ends, as the flag says. The session's own client makes no calls any more. */
async function interrupted(
	{ onInterrupt }: WaitOptions,
	what: string,
	ended: string,
	end: () => Promise<unknown>,
): Promise<void> {
	progress.clear();
	process.exitCode = INTERRUPTED;
	if (onInterrupt === "leave") return say(`${what} was left running.`);
	await end().then(
		() => say(`${what} was ${ended}.`),
		(error: unknown) => say(explainFailure(error, false)),
	);
}

function tell(what: string, url?: string): void {
	if (process.stderr.isTTY) say(url === undefined ? what : `${what} ${url}`);
	progress.show("…");
}
