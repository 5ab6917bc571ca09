import type { TestDeployment } from "../../../../test/helpers/e2e-deployment";
import { managedResources, resourceName } from "../../../../tools/stack";
import type { Generation } from "./generations";

/** What the service has, as a program declares it, by id; and all that each schedule is, its next run aside. */
function live({ server }: TestDeployment) {
	const team = server.team(server.teamName);
	const paused = new Set(team.pipelines().flatMap((pipeline) => (pipeline.paused ? [pipeline.name] : [])));
	return team.schedules().map(({ nextRun, latestRunId, ...rest }) => {
		const { id, name, cronExpression, pipelineName = "" } = rest;
		const shown = { scheduleName: name, pipelineName, cronExpression, paused: paused.has(pipelineName) };
		return { id: String(id), shown: JSON.stringify(shown), identity: JSON.stringify(rest) };
	});
}

/** Schedules that the program does not declare, as they were before it ran: identities by id. */
export function foreignSchedules(test: TestDeployment): Map<string, string> {
	const team = test.server.team(test.server.teamName);
	for (const schedule_name of ["killed", "killed-by-hand"])
		team.createSchedule({ schedule_name, pipeline_name: "rusty-vise", cron_expression: "0 5 1 * *" });
	return new Map(live(test).map(({ id, identity }) => [id, identity]));
}

/** What the kill left for the recovery to mend: the proof that it struck in the middle. */
export async function damageOf(test: TestDeployment, foreign: ReadonlyMap<string, string>) {
	const state = await test.stack.export();
	const known = managedResources(state).map(({ id = "" }) => id);
	const ids = live(test).flatMap(({ id }) => (foreign.has(id) ? [] : [id]));
	return {
		pending: state.deployment.pending_operations?.length ?? 0,
		/** On the service, and not in the state; in the state, and no longer on the service. */
		unknown: ids.filter((id) => !known.includes(id)).length,
		missing: known.filter((id) => !ids.includes(id)).length,
	};
}

/** What is wrong after a recovery; every list is empty where nothing is. */
export type Findings = Awaited<ReturnType<typeof inspect>>;

export async function inspect(
	test: TestDeployment,
	wanted: Generation,
	foreign: ReadonlyMap<string, string>,
) {
	const state = await test.stack.export();
	const preview = await test.stack.preview(["--expect-no-changes"]);
	const ids = new Map(managedResources(state).map((one) => [resourceName(one), one.id]));
	const now = new Map(live(test).map((one) => [one.id, one]));
	const declared = wanted.map(({ resource, ...must }) => ({
		id: ids.get(resource) ?? "",
		must: JSON.stringify(must),
	}));
	const left = [...now.values()].filter(
		({ id }) => !foreign.has(id) && !declared.some((one) => one.id === id),
	);
	const extra = [...ids.keys()].filter((name) => !wanted.some(({ resource }) => resource === name));
	return {
		/** Under one name twice, or no longer declared and still there. */
		duplicated: left.map(({ identity }) => `${identity} is left over`),
		/** Declared and missing, or other than declared; somebody else's and missing or touched. */
		lost: [
			...declared
				.filter(({ id, must }) => now.get(id)?.shown !== must)
				.map(({ id, must }) => `${now.get(id)?.shown ?? "nothing"} instead of ${must}`),
			...[...foreign]
				.filter(([id, before]) => now.get(id)?.identity !== before)
				.map(([, before]) => `somebody else's is gone or changed: ${before}`),
			...extra.map((name) => `"${name}" is still in the state`),
		],
		pending: (state.deployment.pending_operations ?? []).map((one) => JSON.stringify(one).slice(0, 200)),
		preview: preview.code === 0 ? [] : [preview.stdout.trim().slice(-600)],
	};
}
