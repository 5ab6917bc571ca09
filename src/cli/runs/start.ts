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
import { explainFailure } from "../failure";
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
		const files = [];
		for (const each of options.file ?? []) {
			const { file } = await session.client.jobs.uploadFile({ path: each }, { team_name: session.team });
			files.push(String(file.id));
		}
		const environment = variables(options.env ?? []);
		const call: Call = { ...session.call(), secrets: ["environment"] };
		const inputs = await checked(call, "Job", {
			file: path,
			name: options.name,
			workers: options.workers,
			environment,
			requirements: options.req,
			pythonVersion: options.python,
			repository: options.repository,
			priority: options.priority,
			clusterName: options.cluster,
			credentialsName: options.credentials,
			files: files.length > 0 ? files : undefined,
			timeout: options.timeout,
		});
		const made = await makeJob(call, inputs);
		if (!options.wait) return session.print(jobView(made), `${made.id}\n`);
		tell(session, `Job ${made.id}`, made.url ?? undefined);
		const target = {
			team: session.team,
			jobId: made.id,
			label: made.name ?? "job",
			clean: withoutSecrets(call, inputs),
			to: {
				line: (text: string) => {
					session.progress.clear();
					if (!options.json) process.stdout.write(`${logText(text)}\n`);
				},
				status: session.progress.show,
			},
		};
		const { job, problem } = await waitForJob(call, target, made, timeoutOf(options.timeout));
		const isEnded = isFinishedJobStatus(job.status);
		if (!isEnded && session.interrupt.aborted) {
			await interrupted(session, options, `Job ${job.id}`, () =>
				session.client.jobs.cancel({ team_name: session.team, job_id: job.id }),
			);
		} else if (!isEnded) process.exitCode = TIMED_OUT;
		else if (problem !== undefined) process.exitCode = job.exit_code || 1;
		if (problem !== undefined && !session.interrupt.aborted) say(problem.split("\n")[0] ?? "");
		if (options.json) session.print(jobView(job), "");
	});

/** Triggers a pipeline from datasets; with `--wait` it is followed to its end. */
export const trigger = (datasets: readonly string[], options: TriggerOptions): Promise<void> =>
	withSession(options, async (session) => {
		const call = session.call();
		const start = options.paused !== true;
		const inputs = await checked(call, "Pipeline", {
			datasets,
			start,
			wait: options.wait,
			timeout: options.timeout,
		});
		const args = inputs as unknown as PipelineArgs;
		const { live: made } = await makePipeline(call, args);
		if (!options.wait) return session.print(pipelineView(made), `${made.name}\n`);
		tell(session, `Pipeline ${made.name}`);
		const following: Call = { ...call, line: (text) => session.progress.show(text) };
		const { pipeline, problem } = await waitForPipeline(following, args, made);
		session.progress.clear();
		const isEnded = !["PENDING", "RUNNING", "PAUSED"].includes(String(pipeline.status));
		if (!isEnded && session.interrupt.aborted) {
			await interrupted(session, options, `Pipeline ${made.name}`, () =>
				session.client.pipelines.pause({ team_name: session.team, pipeline_id: made.pipeline_id }),
			);
		} else if (!isEnded) process.exitCode = TIMED_OUT;
		else if (problem !== undefined) process.exitCode = 1;
		if (problem !== undefined && !session.interrupt.aborted) say(problem);
		session.print(pipelineView(pipeline), `${made.name} ${pipeline.status}\n`);
	});

/** The same checks as a deployment makes, before anything is sent. */
async function checked(call: Call, kind: Kind, news: Props): Promise<Props> {
	const given = Object.fromEntries(Object.entries(news).filter(([, value]) => value !== undefined));
	const { inputs, problems } = await handlerOf(kind).check(call, {}, given);
	if (problems.length > 0) throw new Error(problems.map(({ reason }) => reason).join("\n"));
	return inputs;
}

function variables(given: readonly string[]): Record<string, string> | undefined {
	if (given.length === 0) return undefined;
	const pairs = given.map((text): [string, string] => {
		const at = text.indexOf("=");
		// The text may be a secret; only its name is repeated.
		if (at < 1) throw new Error("--env takes NAME=VALUE; one of them has no name.");
		return [text.slice(0, at), text.slice(at + 1)];
	});
	return Object.fromEntries(pairs);
}

/** Ctrl-C: what was started goes on or ends, as the flag says. */
async function interrupted(
	{ progress }: Session,
	{ onInterrupt }: WaitOptions,
	what: string,
	end: () => Promise<unknown>,
): Promise<void> {
	progress.clear();
	process.exitCode = INTERRUPTED;
	if (onInterrupt === "leave") return say(`${what} was left running.`);
	await end().then(
		() => say(`${what} was asked to end.`),
		(error: unknown) => say(explainFailure(error, false)),
	);
}

function tell({ progress }: Session, what: string, url?: string): void {
	if (process.stderr.isTTY) say(url === undefined ? what : `${what} ${url}`);
	progress.show("…");
}

const say = (text: string): void => void process.stderr.write(`${text}\n`);
