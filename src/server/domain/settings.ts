import type { RequestOf } from "../../schemas/wire/endpoints";
import type { PipelineRecord, TeamState } from "../state";
import type { World } from "../world";
import { readEnvironment, requireFiles } from "./inputs";
import { requirePipeline } from "./pipelines";

/**
 * Only what is given changes. `environment` is the whole set of variables: the wire form has no way to say
 * "and keep the others". Files and credentials are kept and used, but no reply shows them.
 */
export function updateSettings(
	world: World,
	team: TeamState,
	input: RequestOf<"updateSettings">,
): PipelineRecord {
	const pipeline = requirePipeline(team, { name: input.pipeline_name });
	const { settings } = pipeline;
	pipeline.settings = {
		pythonVersion: input.python_version ?? settings.pythonVersion,
		requirements: input.requirements ?? settings.requirements,
		repository: input.repository ?? settings.repository,
		workers: input.workers ?? settings.workers,
		priority: input.priority ?? settings.priority,
		environment: input.environment === undefined ? settings.environment : readEnvironment(input.environment),
		files: input.files === undefined ? settings.files : requireFiles(team, input.files),
		credentialsNames: input.credentials_names ?? settings.credentialsNames,
	};
	pipeline.updatedAt = world.now();
	world.changed(team);
	return pipeline;
}
