import type { Props } from "../../../../src/provider/handler";
import type { Kind } from "../../../../src/schemas/kinds";
import type { EndpointName } from "../../../../src/schemas/wire/endpoints";
import { calls, JOB_ID, REPOSITORY, SECRETS } from "../../../../test/helpers/api-calls";
import { type Providers, urnOf } from "../../process";
import type { Random } from "../../random";

const S = "PipelineSchedule";
const P = "PipelineSettings";

/** Which kinds of resources use an endpoint. */
export const USERS: Readonly<Partial<Record<EndpointName, readonly Kind[]>>> = {
	...{ createJob: ["Job"], listJobs: ["Job"], cancelJob: ["Job"], listClusters: ["Job"] },
	...{ uploadFile: ["JobFile"], triggerPipeline: ["Pipeline"] },
	...{ createSchedule: [S], updateSchedule: [S], getSchedule: [S], listSchedules: [S], deleteSchedule: [S] },
	...{ updateSettings: [P], pipelineStatus: [P, "Pipeline"], listPipelines: [S, P, "Pipeline"] },
	...{ pausePipeline: [S, P, "Pipeline"], resumePipeline: [S, P, "Pipeline"] },
};

/** Some operation of a resource, with inputs that lead through one branch or another. */
export async function operate(
	providers: Providers,
	kind: Kind,
	teamName: string,
	random: Random,
): Promise<unknown> {
	const provider = providers(kind);
	const { schedule_name, cron_expression, pipeline } = calls.getSchedule.reply;
	const pipelineName = pipeline?.name;
	const { environment, password } = SECRETS;
	const secret = { environment, repository: REPOSITORY };
	const of: Readonly<Record<Kind, Props>> = {
		PipelineSchedule: {
			scheduleName: random.pick([schedule_name, "not there yet"]),
			pipelineName,
			cronExpression: random.pick([cron_expression, "1 1 1 1 1"]),
		},
		PipelineSettings: { pipelineName, onDestroy: "restore", ...secret },
		JobFile: { text: password, name: "a.txt" },
		Pipeline: { datasets: ["dev.images.raw"], start: random.chance(0.5) },
		Job: { query: `print("${password}")`, ...secret },
	};
	const isOfPipeline = kind === S || kind === P;
	const paused = isOfPipeline && random.chance(0.5) ? { paused: random.chance(0.5) } : {};
	const adopt = isOfPipeline ? { adopt: random.chance(0.7) } : {};
	const props = { ...of[kind], ...paused, ...adopt, teamName, __urn: urnOf(kind, "one") };
	const ids: Partial<Record<Kind, string>> = { PipelineSettings: `${teamName}/${pipelineName}`, Job: JOB_ID };
	const id = ids[kind] ?? "7";
	const operations = [
		() => provider.check({}, props),
		async () => provider.create((await provider.check({}, props)).inputs),
		() => provider.read(id, props),
		() => provider.update(id, { ...props, cronExpression: "5 5 * * *", environment: {} }, props),
		() => provider.delete(id, props),
	];
	return random.pick(operations)();
}
