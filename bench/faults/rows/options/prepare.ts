import type { TestDeployment } from "../../../../test/helpers/e2e-deployment";
import type { Scenario, Variant } from "./scenario";
import { scheduleScenarios } from "./schedules";
import { settingsScenarios } from "./settings";

const VARIANTS: readonly Variant[] = ["made", "adopted"];

export const BYSTANDER = "bystander";

/** What is to be adopted exists before the first deployment, and so does something that nobody declares. */
export async function prepare(
	test: TestDeployment,
	takes: (scenario: Scenario) => boolean,
): Promise<Scenario[]> {
	const newPipeline = async (): Promise<string> => {
		const { pipeline } = await test.client.pipelines.trigger({ datasets: ["dev.images.raw"], review: true });
		return pipeline?.name ?? "";
	};
	const all: Scenario[] = [];
	for (const variant of VARIANTS)
		all.push(...scheduleScenarios(variant), ...(await settingsScenarios(variant, newPipeline)));
	const scenarios = all.filter(takes);
	const adopted = scenarios.flatMap(({ before }) => before).filter(({ args }) => args.adopt === true);
	for (const { kind, args } of adopted) {
		if (kind === "PipelineSettings")
			await test.client.pipelines.settings({
				pipeline_name: String(args.pipelineName),
				python_version: "3.10",
			});
		else await makeSchedule(test, String(args.scheduleName));
	}
	await makeSchedule(test, BYSTANDER);
	return scenarios;
}

async function makeSchedule(test: TestDeployment, name: string): Promise<void> {
	await test.client.schedules.create({
		schedule_name: name,
		pipeline_name: "rusty-vise",
		cron_expression: "30 1 1 * *",
	});
}
