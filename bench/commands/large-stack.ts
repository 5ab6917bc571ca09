import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TeamState } from "../../src/server/state";
import { succeeded } from "../../tools/process/must";
import { run } from "../../tools/process/run";

interface Place {
	readonly folder: string;
	readonly env: NodeJS.ProcessEnv;
	/** The engine's command line. */
	readonly pulumi: string;
	readonly baseUrl: string;
}

const STACK = "urn:pulumi:dev::bench::pulumi:pulumi:Stack::bench-dev";
const PROVIDER = "urn:pulumi:dev::bench::pulumi:providers:pulumi-nodejs::default";
const PROVIDER_ID = "9c04ae2c-0bfa-45fa-a833-fd41040692d7";
const TYPE = "pulumi-nodejs:dynamic/datachain:PipelineSchedule";

/** Makes a stack, with the engine, whose state has every schedule of the team as a deployment would have left it. */
export async function importStack(team: TeamState, place: Place): Promise<void> {
	const { folder, env, pulumi } = place;
	const file = join(folder, "state.json");
	writeFileSync(file, JSON.stringify(stateOf(team, place)));
	for (const args of [
		["stack", "init", "dev"],
		["stack", "import", "--file", file],
	]) {
		const options = { cwd: folder, env, timeoutMs: 600_000 };
		succeeded(
			args.join(" "),
			await run(pulumi, [...args, "--non-interactive"], options),
		);
	}
}

function stateOf(team: TeamState, { baseUrl }: Place) {
	const names = new Map(team.pipelines.map((one) => [one.pipeline_id, one.name]));
	const schedules = team.schedules.map((schedule) => {
		const { id, schedule_name, cron_expression, created_at, pipeline_id } = schedule;
		const inputs = {
			__provider: 'exports.handler=require("pulumi-datachain/provider").schedule',
			__urn: `::${schedule_name}`,
			scheduleName: schedule_name,
			pipelineName: names.get(pipeline_id),
			cronExpression: cron_expression,
			teamName: team.name,
		};
		return {
			urn: `urn:pulumi:dev::bench::${TYPE}::${schedule_name}`,
			type: TYPE,
			custom: true,
			id: String(id),
			inputs,
			outputs: {
				...inputs,
				scheduleId: id,
				createdAt: created_at,
				serviceUrl: baseUrl,
			},
			parent: STACK,
			provider: `${PROVIDER}::${PROVIDER_ID}`,
		};
	});
	const provider = {
		type: "pulumi:providers:pulumi-nodejs",
		custom: true,
		id: PROVIDER_ID,
	};
	const resources = [
		{ urn: STACK, type: "pulumi:pulumi:Stack", custom: false },
		{ urn: PROVIDER, ...provider },
		...schedules,
	];
	const manifest = { time: "2026-01-31T03:00:00Z", magic: "", version: "" };
	return { version: 3, deployment: { manifest, resources } };
}
