import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { errorCode } from "../client/errors";
import { checkedJob } from "../provider/hosts/command-inputs";
import { requirementLines } from "../schemas/settings-args";
import { formatInstant } from "../text/instant";
import { checkFollowed, type FollowOptions, followCommand } from "./follow";
import { followJob, startTagged } from "./follow-job";
import type { Session } from "./session";
import { collect, say, wholeNumber } from "./terminal";
import { withOperations } from "./with-operations";

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

export const define = (command: Command): Command =>
	followCommand(command)
		.option("--name <name>", "name of the job (default: the file's)")
		.option("--workers <number>", "number of workers", wholeNumber())
		.option("--env <name=value>", "environment variable; repeatable", collect)
		.option(
			"--env-file <path>",
			"file with a variable NAME=VALUE on each line; --env comes first",
		)
		.option("--req <package>", "package to install; repeatable", collect)
		.option("--req-file <path>", "requirements file, installed before --req")
		.option("--python <version>", "Python version, such as 3.12")
		.option("--repository <url>", "repository to clone, with an optional @revision")
		.option("--priority <number>", "0 to 5; lower runs sooner", wholeNumber())
		.option("--cluster <name>", "compute cluster")
		.option("--credentials <name>", "credential set stored in the service")
		.option("--file <path>", "file that the job sees; repeatable", collect)
		.option(
			"--start-time <instant>",
			"run it at this time: ISO 8601, UTC unless it has an offset",
		)
		.option(
			"--cron <expression>",
			"run it on a schedule: five fields in UTC, or @daily and the like",
		)
		.option(
			"--ignore-checkpoints",
			"run it from the start, without the checkpoints of earlier runs",
		)
		.addHelpText("after", EXAMPLES)
		.action(run);

const EXAMPLES = `
The request is never repeated: if the response is lost, the command searches the list of jobs. With --wait the job's log is the output.
With --start-time or --cron the job becomes a task that runs later; "cancel" ends it.

Exit codes: 0 the job was started, or with --wait succeeded; with --wait the job's own exit code if it fails (1 if
it has none), 124 after --timeout, 130 after Ctrl-C. After both the job continues; with --on-interrupt cancel, Ctrl-C ends it.

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
	return withOperations(options, async (session, context) => {
		// First without the files: what cannot run must leave none of them on the service.
		const checked = await checkedJob({ ...session, notice: say }, given);
		const files = await uploaded(session, options.file ?? []);
		const request = files.length === 0 ? checked : { ...checked, files };
		await followJob(
			session,
			context,
			options,
			request,
			await startTagged(context, request),
		);
	});
}

/** The options as inputs of a Job. Files that they name are read; nothing is sent. */
export function jobInputs(path: string, options: RunOptions, now: number) {
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
		startAfter:
			options.startTime ??
			(options.cron === undefined ? undefined : formatInstant(now)),
		cronExpression: options.cron,
		reset: options.ignoreCheckpoints,
	};
}

/** The file's variables, then those of the options. No message repeats a line, which may be a secret. */
function variables({
	env = [],
	envFile,
}: RunOptions): Record<string, string> | undefined {
	const inFile =
		envFile === undefined ? [] : read("--env-file", envFile).split(/\r?\n/);
	const fromFile = inFile.flatMap((line, index) => {
		if (/^\s*(#|$)/.test(line)) return [];
		return [
			pair(
				line,
				`--env-file: line ${index + 1} of ${JSON.stringify(envFile)} is not NAME=VALUE.`,
			),
		];
	});
	const fromOptions = env.map((text) =>
		pair(text, "--env takes NAME=VALUE; one of them has no name, or no equals sign."),
	);
	const all = [...fromFile, ...fromOptions];
	return all.length === 0 ? undefined : Object.fromEntries(all);
}

export function pair(text: string, problem: string): [string, string] {
	const at = text.indexOf("=");
	if (at < 1) throw new Error(problem);
	return [text.slice(0, at), text.slice(at + 1)];
}

function requirements({ req = [], reqFile }: RunOptions): string | undefined {
	const inFile =
		reqFile === undefined ? [] : requirementLines(read("--req-file", reqFile));
	const all = [...inFile, ...req];
	return all.length === 0 ? undefined : all.join("\n");
}

function read(option: string, path: string): string {
	try {
		// Editors on Windows begin a file with a byte order mark.
		return readFileSync(path, "utf8").replace(/^\ufeff/, "");
	} catch (error) {
		throw new Error(
			`${option}: ${JSON.stringify(path)} cannot be read (${errorCode(error)}).`,
		);
	}
}

async function uploaded(
	{ client }: Session,
	paths: readonly string[],
): Promise<string[]> {
	const ids: string[] = [];
	for (const path of paths) {
		const { file } = await client.jobs.uploadFile({ path });
		ids.push(String(file.id));
	}
	return ids;
}
