import { readFileSync } from "node:fs";
import { type Command, InvalidArgumentError, Option } from "commander";
import { errorCode } from "../api/errors";
import { type Call, createContext } from "../provider/context";
import type { Props } from "../provider/handler";
import { handlerOf, hosted } from "../provider/hosting";
import { startJob } from "../provider/job";
import { redactedFor, timeoutOf, waitForJob } from "../provider/job-wait";
import { type PipelineArgs, triggerPipeline } from "../provider/pipeline";
import { waitForPipeline } from "../provider/pipeline-steps";
import { parseDuration } from "../schemas/duration";
import { formatInstant } from "../schemas/instant";
import { isFinishedJobStatus } from "../schemas/job";
import type { Kind } from "../schemas/kinds";
import { hasEnded } from "../schemas/pipeline-status";
import { requirementLines } from "../schemas/settings-args";
import type { Job } from "../schemas/wire/job";
import type { Pipeline } from "../schemas/wire/pipeline";
import { jobView, logText } from "./jobs";
import { pipelineView } from "./pipelines";
import { type Session, type TeamOptions, teamCommand, withSession } from "./session";
import { collect, explainFailure, progress, say, wholeNumber } from "./terminal";

interface RunOptions extends FollowOptions {
	name?: string;
	workers?: number;
	env?: string[];
	envFile?: string;
	req?: string[];
	reqFile?: string;
	python?: string;
	repository?: string;
	priority?: number;
	cluster?: string;
	credentials?: string;
	file?: string[];
	startTime?: string;
	cron?: string;
	ignoreCheckpoints?: boolean;
}

export const defineRun = (command: Command): Command =>
	followCommand(command)
		.option("--name <name>", "name of the job (default: the file's)")
		.option("--workers <number>", "number of workers", wholeNumber())
		.option("--env <name=value>", "environment variable; repeatable", collect)
		.option("--env-file <path>", "file with a variable NAME=VALUE on each line; --env comes first")
		.option("--req <package>", "package to install; repeatable", collect)
		.option("--req-file <path>", "requirements file, installed before --req")
		.option("--python <version>", "Python version, such as 3.12")
		.option("--repository <url>", "repository to clone, with an optional @revision")
		.option("--priority <number>", "0 to 5; lower runs sooner", wholeNumber())
		.option("--cluster <name>", "compute cluster")
		.option("--credentials <name>", "credential set stored in the service")
		.option("--file <path>", "file that the job sees; repeatable", collect)
		.option("--start-time <instant>", "run it at this time: ISO 8601, UTC unless it has an offset")
		.option("--cron <expression>", "run it on a schedule: five fields in UTC, or @daily and the like")
		.option("--ignore-checkpoints", "run it from the start, without the checkpoints of earlier runs")
		.addHelpText("after", RUN_EXAMPLES)
		.action(run);

const RUN_EXAMPLES = `
The request is never repeated: if the response is lost, the command searches the list of jobs. With --wait the job's log is the output.
With --start-time or --cron the job becomes a task that runs later; "cancel" ends it.

Exit codes: 0 the job was started, or with --wait succeeded; with --wait the job's own exit code if it fails (1 if
it has none), 124 after --timeout, 130 after Ctrl-C. After both the job goes on; with --on-interrupt cancel, Ctrl-C ends it.

Examples:
  $ pulumi-datachain run train.py --wait --timeout 30m --env EPOCHS=3
  $ pulumi-datachain run train.py --env-file job.env --req-file requirements.txt
  $ pulumi-datachain run report.py --cron "0 3 * * 1"
  $ id=$(pulumi-datachain run train.py) && pulumi-datachain logs "$id" --follow
`;

/** Starts a job from a file; with `--wait` its log is the output and its exit code the command's. */
async function run(path: string, options: RunOptions): Promise<void> {
	checkFollowed(options);
	const given = jobInputs(path, options, Date.now());
	return withCall(options, ["environment"], async (session, call) => {
		// First without the files: what cannot run must leave none of them on the service.
		const known = await checkInputs(call, "Job", given);
		const files = await uploaded(session, options.file ?? []);
		const inputs = files.length === 0 ? known : await checkInputs(call, "Job", { ...given, files });
		const made = await startJob(call, inputs);
		if (!options.wait) return session.print(jobView(made), () => `${made.id}\n`);
		tellStarted(`Job ${made.id}`, made.url ?? undefined);
		const target = {
			team: call.teamName,
			jobId: made.id,
			label: made.name ?? "job",
			clean: redactedFor(call, inputs),
			to: {
				text: (text: string) => {
					progress.clear();
					if (!options.json) process.stdout.write(logText(text));
				},
				status: progress.show,
			},
		};
		const {
			latest: job,
			problem,
			timedOut,
		} = await waitForJob(call, target, made, timeoutOf(options.timeout));
		await reportEnd(options, session.interrupt, {
			what: `Job ${job.id}`,
			hasEnded: isFinishedJobStatus(job.status),
			problem: problem?.split("\n")[0],
			timedOut: timedOut === true,
			exitCode: exitCodeOf(job),
			next: `"pulumi-datachain logs ${job.id} --follow" goes on.`,
			// The session's own client makes no calls after Ctrl-C.
			end: () => call.client.jobs.cancel({ job_id: job.id }),
			ended: "asked to end",
		});
		if (options.json) session.print(jobView(job), () => "");
	});
}

/** Of a job that failed. A process can only say eight bits, and of 256 they would say success. */
export const exitCodeOf = ({ exit_code: code }: Pick<Job, "exit_code">): number => (code ?? 0) & 0xff || 1;

/** The options as inputs of a Job. Files that they name are read; nothing is sent. */
export function jobInputs(path: string, options: RunOptions, now: number): Props {
	const later = options.cron === undefined ? "--start-time" : "--cron";
	if (options.wait && (options.cron ?? options.startTime) !== undefined) {
		throw new Error(
			`--wait and ${later}: the job runs later, so there is nothing to wait for. Keep one of them.`,
		);
	}
	return {
		file: path,
		name: options.name,
		workers: options.workers,
		environment: variables(options),
		requirements: requirements(options),
		pythonVersion: options.python,
		repository: options.repository,
		priority: options.priority,
		clusterName: options.cluster,
		credentialsName: options.credentials,
		// The service's own client sends the present time with a cron expression.
		startAfter: options.startTime ?? (options.cron === undefined ? undefined : formatInstant(now)),
		cronExpression: options.cron,
		reset: options.ignoreCheckpoints,
		timeout: options.timeout,
	};
}

/** The file's variables, then those of the options. No message repeats a line, which may be a secret. */
function variables({ env = [], envFile }: RunOptions): Record<string, string> | undefined {
	const inFile = envFile === undefined ? [] : read("--env-file", envFile).split(/\r?\n/);
	const fromFile = inFile.flatMap((line, index) => {
		if (/^\s*(#|$)/.test(line)) return [];
		return [pair(line, `--env-file: line ${index + 1} of ${JSON.stringify(envFile)} is not NAME=VALUE.`)];
	});
	const fromOptions = env.map((text) =>
		pair(text, "--env takes NAME=VALUE; one of them has no name, or no equals sign."),
	);
	const all = [...fromFile, ...fromOptions];
	return all.length === 0 ? undefined : Object.fromEntries(all);
}

function pair(text: string, problem: string): [string, string] {
	const at = text.indexOf("=");
	if (at < 1) throw new Error(problem);
	return [text.slice(0, at), text.slice(at + 1)];
}

function requirements({ req = [], reqFile }: RunOptions): string | undefined {
	const inFile = reqFile === undefined ? [] : requirementLines(read("--req-file", reqFile));
	const all = [...inFile, ...req];
	return all.length === 0 ? undefined : all.join("\n");
}

function read(option: string, path: string): string {
	try {
		// Editors on Windows begin a file with a byte order mark.
		return readFileSync(path, "utf8").replace(/^\ufeff/, "");
	} catch (error) {
		throw new Error(`${option}: ${JSON.stringify(path)} cannot be read (${errorCode(error)}).`);
	}
}

async function uploaded({ client }: Session, paths: readonly string[]): Promise<string[]> {
	const ids: string[] = [];
	for (const path of paths) {
		const { file } = await client.jobs.uploadFile({ path });
		ids.push(String(file.id));
	}
	return ids;
}

interface TriggerOptions extends FollowOptions {
	paused?: boolean;
}

export const defineTrigger = (command: Command): Command =>
	followCommand(command)
		.option("--paused", "create it paused; nothing runs until it is resumed")
		.addHelpText("after", TRIGGER_EXAMPLES)
		.action(trigger);

const TRIGGER_EXAMPLES = `
The request is never repeated: if the response is lost, the command searches the list of pipelines. Prints the pipeline's name.

Exit codes: 0 triggered, or with --wait completed; with --wait 1 if it fails, 124 after --timeout, 130 after Ctrl-C.
--on-interrupt cancel pauses the pipeline then, because the API cannot end one.

Examples:
  $ pulumi-datachain trigger dev.images.final_result --wait
  $ pulumi-datachain trigger dev.images.raw dev.images.clean@1.0.3 --paused
`;

/** Triggers a pipeline from datasets; with `--wait` it is followed to its end. */
async function trigger(datasets: readonly string[], options: TriggerOptions): Promise<void> {
	if (options.paused && options.wait)
		throw new Error("--paused and --wait: a paused pipeline never ends. Keep one of them.");
	checkFollowed(options);
	return withCall(options, [], async (session, call) => {
		const inputs = await checkInputs(call, "Pipeline", {
			datasets,
			start: options.paused !== true,
			wait: options.wait,
			timeout: options.timeout,
		});
		const args = inputs as unknown as PipelineArgs;
		const made = await triggerPipeline(call, args);
		const print = async (pipeline: Pipeline, text: string) =>
			session.print(await pipelineView(session, pipeline), () => text);
		if (!options.wait) return print(made, `${made.name}\n`);
		tellStarted(`Pipeline ${made.name}`);
		const following: Call = { ...call, line: progress.show };
		const { latest: pipeline, problem, timedOut } = await waitForPipeline(following, args, made);
		await reportEnd(options, session.interrupt, {
			what: `Pipeline ${made.name}`,
			hasEnded: hasEnded(pipeline),
			problem,
			timedOut: timedOut === true,
			exitCode: 1,
			next: `"pulumi-datachain pipelines ${made.name}" shows how far it is.`,
			end: () => call.client.pipelines.pause({ pipeline_id: made.pipeline_id }),
			ended: "paused",
		});
		await print(pipeline, `${made.name} ${pipeline.status}\n`);
	});
}

// ── What they share ──

/** Options of the commands that start something and may follow it to its end. */
interface FollowOptions extends TeamOptions {
	wait?: boolean;
	timeout?: string;
	onInterrupt: "cancel" | "leave";
}

const followCommand = (command: Command): Command =>
	teamCommand(command)
		.option("--wait", "follow it to its end; the exit code says how it ended")
		.option("--timeout <time>", "with --wait: give up after 90s, 30m, 1h30m (default: 1h)", duration)
		.addOption(
			new Option("--on-interrupt <what>", "with --wait: what Ctrl-C does to it")
				.choices(["cancel", "leave"])
				.default("leave"),
		);

/** Refuses what only --wait uses: who gives it expects the command to wait. */
function checkFollowed({ wait, timeout, onInterrupt }: FollowOptions): void {
	const unused = timeout === undefined ? onInterrupt === "cancel" && "--on-interrupt cancel" : "--timeout";
	if (!wait && unused)
		throw new Error(`${unused} is only used together with --wait. Add --wait, or leave it out.`);
}

function duration(text: string): string {
	if (parseDuration(text) !== undefined) return text;
	throw new InvalidArgumentError("Write it as 90s, 30m or 1h30m.");
}

/** Calls the provider's own handlers, as a deployment does for one resource. `secrets` are inputs that no message repeats. */
export const withCall = (
	options: TeamOptions,
	secrets: readonly string[],
	work: (session: Session, call: Call) => Promise<void>,
): Promise<void> =>
	withSession(options, async (session) => {
		const { connection, interrupt } = session;
		const context = createContext({ explicit: connection }, say, { interrupt });
		const urn = `command ${process.pid} ${Date.now()}`;
		const now = { secrets, secretsBefore: [], secretsMoved: false };
		const call = { ...context, urn, stateUrn: undefined, preview: false, ...now };
		try {
			await work(session, call);
		} finally {
			await context.client.close();
		}
	});

/** What a shell says of a command that ran out of time, and of one that was interrupted. */
const [TIMED_OUT, INTERRUPTED] = [124, 130];

/** The checks of a deployment, before anything is sent. */
async function checkInputs(call: Call, kind: Kind, news: Props): Promise<Props> {
	const given = Object.fromEntries(Object.entries(news).filter(([, value]) => value !== undefined));
	const { inputs, problems } = await hosted(handlerOf(kind)).check(call, {}, given);
	// The input that a program would add has no option here.
	const unclear = `The name "${news.file}" does not say what it is. Rename it: .py for Python, .sh or .bash for a shell script.`;
	const reasons = problems.map(({ field, reason }) => (field === "queryType" ? unclear : reason));
	if (reasons.length > 0) throw new Error(reasons.join("\n"));
	return inputs;
}

/** How something that was followed stands when the command ends. */
interface Followed {
	/** `Job 6f96…`, as sentences begin. */
	readonly what: string;
	readonly hasEnded: boolean;
	/** Why it is no success; undefined if it is one. */
	readonly problem: string | undefined;
	readonly timedOut: boolean;
	readonly exitCode: number;
	/** What shows how it goes on, if it has not ended. */
	readonly next: string;
	/** What ends it after Ctrl-C, and what that does to it. */
	readonly end: () => Promise<unknown>;
	readonly ended: string;
}

/** Leaves in the exit code how it ended, and says why on stderr. After Ctrl-C it goes on or ends, as the flag says. */
async function reportEnd(
	{ onInterrupt }: FollowOptions,
	interrupt: AbortSignal,
	{ what, hasEnded, problem, timedOut, exitCode, next, end, ended }: Followed,
): Promise<void> {
	progress.clear();
	if (interrupt.aborted && !hasEnded) {
		process.exitCode = INTERRUPTED;
		if (onInterrupt === "leave") return say(`${what} was left running.`);
		return end().then(
			() => say(`${what} was ${ended}.`),
			(error: unknown) => say(explainFailure(error, false)),
		);
	}
	if (problem === undefined) return;
	process.exitCode = timedOut ? TIMED_OUT : exitCode;
	if (!interrupt.aborted) say(hasEnded ? problem : `${problem} ${next}`);
}

/** On a terminal: what was started. */
function tellStarted(what: string, url?: string): void {
	if (process.stderr.isTTY) say(url === undefined ? what : `${what} ${url}`);
	progress.show("…");
}
