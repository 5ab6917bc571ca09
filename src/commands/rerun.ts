import type { Command } from "commander";
import { JOB_TAG } from "../operations/start-job";
import { checkedJob } from "../provider/hosts/command-inputs";
import { foreignVariableProblem } from "../schemas/environment";
import type { Job } from "../schemas/wire/job";
import { checkFollowed, type FollowOptions, followCommand } from "./follow";
import { followJob, startTagged } from "./follow-job";
import { findJob } from "./jobs";
import { pair } from "./run";
import { collect, notify, say } from "./terminal";
import { withOperations } from "./with-operations";

interface RerunOptions extends FollowOptions {
	env?: string[];
	ignoreCheckpoints?: boolean;
}

export const define = (command: Command): Command =>
	followCommand(command)
		.option("--env <name=value>", "variable to set or to replace; repeatable", collect)
		.option(
			"--ignore-checkpoints",
			"run it from the start, without the checkpoints of earlier runs",
		)
		.addHelpText("after", EXAMPLES)
		.action(rerun);

const EXAMPLES = `
Starts a new job with the script, name, variables, packages, Python version, repository, workers and cluster of the old
one, which is not changed. The API does not return the files, credentials and priority of a job: use "run" for a job
that needs them. Exit codes as for "run".

Examples:
  $ pulumi-datachain rerun 6f9619ff-8b86-4d01-b42d-00cf4fc964ff --wait
  $ pulumi-datachain rerun 6f9619ff-8b86-4d01-b42d-00cf4fc964ff --env BATCH_SIZE=16 --ignore-checkpoints
`;

async function rerun(id: string, options: RerunOptions): Promise<void> {
	checkFollowed(options);
	const replaced = Object.fromEntries(
		(options.env ?? []).map((text) =>
			pair(text, "--env takes NAME=VALUE; one of them has no name, or no equals sign."),
		),
	);
	return withOperations(options, async (session, context) => {
		const job = await findJob(session.client, id);
		const given = {
			query: queryOf(job),
			queryType: job.query_type,
			name: job.name ?? undefined,
			workers: job.workers ?? undefined,
			pythonVersion: job.python_version || undefined,
			requirements: job.requirements || undefined,
			repository: job.repository || undefined,
			clusterName: job.compute_cluster_name ?? undefined,
			environment: { ...variablesOf(job, replaced), ...replaced },
			rerunFrom: id,
			reset: options.ignoreCheckpoints,
		};
		const request = await checkedJob({ ...session, notice: say }, given);
		const started = await startTagged(context, request);
		notify(
			`Started again from job ${id}; its files, credentials and priority were not copied, because the API does not return them.`,
		);
		await followJob(session, context, options, request, started);
	});
}

function queryOf({ id, query }: Job): string {
	if (query) return query;
	throw new Error(
		`The service does not show the script of job ${id}. Start it with "pulumi-datachain run FILE".`,
	);
}

/** The variables of the old job, without those that are replaced. What the service masks would be written as the mask. */
function variablesOf(
	job: Job,
	replaced: Readonly<Record<string, string>>,
): Record<string, string> {
	const inherited = Object.entries(job.environment ?? {}).filter(
		([name]) => name !== JOB_TAG && !Object.hasOwn(replaced, name),
	);
	const [problem] = inherited.flatMap(([name, value]) => {
		const why = foreignVariableProblem(name, value);
		return why === undefined ? [] : [{ name, why }];
	});
	if (problem !== undefined)
		throw new Error(
			`Job ${job.id} cannot be repeated as it was: ${problem.why}. Give the value with --env ${problem.name}=VALUE.`,
		);
	return Object.fromEntries(inherited.map(([name, value]) => [name, value ?? ""]));
}
