import { compareRuns } from "../forecast/compare";
import { schedulesOfPreview } from "../forecast/from-preview";
import { schedulesByUrn } from "../forecast/from-state";
import { comparisonHtml, comparisonMarkdown, comparisonText } from "../forecast/render-comparison";
import type { ForecastWindow } from "../forecast/window";
import type { ForecastOptions } from "./forecast";
import { askFacts, readDeployment } from "./forecast-read";
import { askPulumi } from "./pulumi-cli";
import { makeProgress, wantsColor } from "./terminal";
import { writeReport } from "./write-report";

/** Prints what a deployment of the program would do to the runs in the window. */
export async function compareForecast(
	options: ForecastOptions,
	window: ForecastWindow,
	signal: AbortSignal,
): Promise<void> {
	const progress = makeProgress();
	const { stack } = options;
	try {
		const { state, sources, teamName, ...found } = await readDeployment({
			stack,
			signal,
			show: progress.show,
		});
		progress.show("Asking for a preview…");
		const preview = await askPulumi(["preview", "--json"], { stack, signal }).catch((error: Error) => {
			throw new Error(`${error.message} Run \`pulumi preview\` to see all of it.`);
		});
		const deployed = schedulesByUrn(state, teamName);
		const declared = schedulesOfPreview(preview, deployed, teamName);
		const { pipelines, unread } = await askFacts(
			sources,
			[...deployed.values(), ...declared.values()],
			signal,
		);
		const comparison = compareRuns({
			deployed,
			declared,
			pipelines,
			window,
			stack: found.stack ?? null,
			notes: unread,
		});
		progress.clear();
		if (options.html !== undefined) writeReport(options.html, comparisonHtml(comparison));
		if (options.json) process.stdout.write(`${JSON.stringify(comparison, undefined, 2)}\n`);
		else if (options.markdown) process.stdout.write(comparisonMarkdown(comparison));
		else process.stdout.write(comparisonText(comparison, wantsColor(process.stdout)));
	} finally {
		progress.clear();
	}
}
