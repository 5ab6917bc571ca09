import type { Command } from "commander";
import { runAgain } from "../operations/create-once";
import { cleanOf } from "../operations/job-log";
import { waitForPipeline } from "../operations/pipeline-wait";
import { triggerPipeline } from "../operations/trigger";
import { timeoutOf } from "../operations/wait";
import { checkPipeline } from "../provider/hosts/command-inputs";
import { hasEnded } from "../schemas/pipeline-status";
import type { Pipeline } from "../schemas/wire/pipeline";
import {
	announceStart,
	checkFollowed,
	type FollowOptions,
	followCommand,
	reportEnd,
} from "./follow";
import { pipelineView } from "./pipelines";
import { progress, say } from "./terminal";
import { withOperations } from "./with-operations";

interface TriggerOptions extends FollowOptions {
	paused?: boolean;
}

export const define = (command: Command): Command =>
	followCommand(command)
		.option("--paused", "create it paused; nothing runs until it is resumed")
		.addHelpText("after", EXAMPLES)
		.action(trigger);

const EXAMPLES = `
The request is never repeated: if the response is lost, the command searches the list of pipelines. Prints the pipeline's name.

Exit codes: 0 triggered, or with --wait completed; with --wait 1 if it fails, 124 after --timeout, 130 after Ctrl-C.
--on-interrupt cancel pauses the pipeline then, because the API cannot end one.

Examples:
  $ pulumi-datachain trigger dev.images.final_result --wait
  $ pulumi-datachain trigger dev.images.raw dev.images.clean@1.0.3 --paused
`;

/** Triggers a pipeline from datasets; with `--wait` it is followed to its end. */
async function trigger(
	datasets: readonly string[],
	options: TriggerOptions,
): Promise<void> {
	if (options.paused && options.wait)
		throw new Error(
			"--paused and --wait: a paused pipeline never ends. Keep one of them.",
		);
	checkFollowed(options);
	return withOperations(options, async (session, context) => {
		const team = session.client.teamName;
		await checkPipeline(
			{ ...session, notice: say },
			{
				datasets,
				start: options.paused !== true,
				wait: options.wait,
				timeout: options.timeout,
			},
		);
		const request = {
			team,
			datasets,
			startsAtOnce: options.paused !== true,
			isFree: () => true,
		};
		const all = await context.lists.pipelines(team, "now");
		const started = await triggerPipeline(
			context,
			{ ...request, advice: runAgain },
			all,
		);
		const print = async (pipeline: Pipeline, text: string) =>
			session.print(await pipelineView(session, pipeline), () => text);
		if (!options.wait) return print(started, `${started.name}\n`);
		announceStart(`Pipeline ${started.name}`);
		const wait = {
			team,
			timeoutMillis: timeoutOf(options.timeout),
			label: "pipeline",
			clean: cleanOf([]),
			hidesNames: false,
		};
		const showing = { ...context, line: progress.show };
		const {
			latest: pipeline,
			problem,
			timedOut,
		} = await waitForPipeline(showing, wait, started);
		await reportEnd(options, session.interrupt, {
			what: `Pipeline ${started.name}`,
			hasEnded: hasEnded(pipeline),
			problem,
			timedOut: timedOut === true,
			exitCode: 1,
			next: `"pulumi-datachain pipelines ${started.name}" shows its progress.`,
			end: () => context.client.pipelines.pause({ pipeline_id: started.pipeline_id }),
			consequence: "paused",
		});
		await print(pipeline, `${started.name} ${pipeline.status}\n`);
	});
}
