import type { Command } from "commander";
import type { Call } from "../provider/context";
import { type PipelineArgs, triggerPipeline } from "../provider/pipeline";
import { waitForPipeline } from "../provider/pipeline-steps";
import { hasEnded } from "../schemas/pipeline-status";
import { checkInputs, type FollowOptions, followCommand, reportEnd, tellStarted } from "./follow";
import { pipelineView } from "./pipelines";
import { withSession } from "./session";
import { progress } from "./terminal";

interface TriggerOptions extends FollowOptions {
	paused?: boolean;
}

/** `trigger`. */
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
async function trigger(datasets: readonly string[], options: TriggerOptions): Promise<void> {
	if (options.paused && options.wait)
		throw new Error("--paused and --wait: a paused pipeline never ends. Keep one of them.");
	return withSession(options, async (session) => {
		const call = session.call();
		const inputs = await checkInputs(call, "Pipeline", {
			datasets,
			start: options.paused !== true,
			wait: options.wait,
			timeout: options.timeout,
		});
		const args = inputs as unknown as PipelineArgs;
		const made = await triggerPipeline(call, args);
		if (!options.wait) return session.print(pipelineView(made), () => `${made.name}\n`);
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
		session.print(pipelineView(pipeline), () => `${made.name} ${pipeline.status}\n`);
	});
}
