import type { TestDeployment } from "../../../../test/helpers/e2e-deployment";
import { managedResources, resourceName } from "../../../../tools/stack";
import type { Generation } from "./generations";

/** What is wrong after a recovery; every list is empty where nothing is. */
export interface Findings {
	/** Under one name twice, or no longer declared and still there. */
	readonly duplicated: readonly string[];
	/** Declared and missing, or other than declared; somebody else's and missing or touched. */
	readonly lost: readonly string[];
	readonly pending: readonly string[];
	readonly preview: readonly string[];
}

const teamOf = ({ server }: TestDeployment) => server.team(server.teamName);

/** All that each schedule is, its next run aside: that moves by itself. */
const identities = (test: TestDeployment): string[] =>
	teamOf(test)
		.schedules()
		.map(({ nextRun, latestRunId, ...rest }) => JSON.stringify(rest));

/** Schedules that the program does not declare, as they were before it ran. */
export function foreignSchedules(test: TestDeployment): string[] {
	for (const schedule_name of ["killed", "killed-by-hand"])
		teamOf(test).createSchedule({ schedule_name, pipeline_name: "rusty-vise", cron_expression: "0 5 1 * *" });
	return identities(test);
}

/** What the kill left for the recovery to mend: the proof that it struck in the middle. */
export async function damageOf(test: TestDeployment, foreign: readonly string[]) {
	const state = await test.stack.export();
	const known = new Set(managedResources(state).flatMap(({ id }) => (id === undefined ? [] : [id])));
	const all = identities(test).filter((text) => !foreign.includes(text));
	const ids = new Set(all.map((text) => String(JSON.parse(text).id)));
	return {
		pending: state.deployment.pending_operations?.length ?? 0,
		/** On the service, and not in the state; in the state, and no longer on the service. */
		unknown: [...ids].filter((id) => !known.has(id)).length,
		missing: [...known].filter((id) => !ids.has(id)).length,
	};
}

export async function inspect(
	test: TestDeployment,
	wanted: Generation,
	foreign: readonly string[],
): Promise<Findings> {
	const state = await test.stack.export();
	const preview = await test.stack.preview(["--expect-no-changes"]);
	const ids = new Map(managedResources(state).map((one) => [resourceName(one), one.id]));
	const paused = new Set(
		teamOf(test)
			.pipelines()
			.flatMap((pipeline) => (pipeline.paused ? [pipeline.name] : [])),
	);
	const before = foreign.map((text): unknown => JSON.parse(text).id);
	const live = teamOf(test)
		.schedules()
		.filter(({ id }) => !before.includes(id));
	const declared = wanted.map(({ resource, ...must }) => ({ ...must, id: ids.get(resource) ?? "no id" }));
	const shown = live.map(({ id, name, cronExpression, pipelineName = "" }) => ({
		scheduleName: name,
		pipelineName,
		cronExpression,
		paused: paused.has(pipelineName),
		id: String(id),
	}));
	const texts = new Set(shown.map((one) => JSON.stringify(one)));
	const names = new Map(shown.map((one) => [one.scheduleName, JSON.stringify(one)]));
	const now = identities(test);
	return {
		duplicated: shown
			.filter((one) => !declared.some((must) => must.id === one.id))
			.map((one) => `${JSON.stringify(one)} is left over`),
		lost: [
			...declared
				.filter((must) => !texts.has(JSON.stringify(must)))
				.map((must) => `${names.get(must.scheduleName) ?? "nothing"} instead of ${JSON.stringify(must)}`),
			...foreign
				.filter((text) => !now.includes(text))
				.map((text) => `somebody else's is gone or changed: ${text}`),
			...[...ids.keys()]
				.filter((name) => !wanted.some((one) => one.resource === name))
				.map((name) => `"${name}" is still in the state`),
		],
		pending: (state.deployment.pending_operations ?? []).map((one) => JSON.stringify(one).slice(0, 200)),
		preview: preview.code === 0 ? [] : [preview.stdout.trim().slice(-600)],
	};
}
