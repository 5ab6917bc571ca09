import type { ScheduleItem } from "../../../../src/schemas/wire/schedule";
import type { TestDeployment } from "../../../../test/helpers/e2e-deployment";
import { managedResources, resourceName } from "../../../../tools/stack";
import type { Generation, Wanted } from "./generations";

/** What is wrong after a recovery; every list is empty where nothing is. */
export interface Findings {
	/** Under one name twice, or no longer declared and still there. */
	readonly duplicated: readonly string[];
	/** Declared and missing, or other than declared; somebody else's and missing or touched. */
	readonly lost: readonly string[];
	readonly pending: readonly string[];
	readonly preview: readonly string[];
}

/** Schedules that the program does not declare, as they were before it ran. */
export async function foreignSchedules(test: TestDeployment): Promise<string[]> {
	for (const name of ["killed", "killed-by-hand"]) {
		await test.client.schedules.create({
			schedule_name: name,
			pipeline_name: "rusty-vise",
			cron_expression: "0 5 1 * *",
		});
	}
	return (await test.client.schedules.list()).map(identity);
}

/** What the kill left for the recovery to mend: the proof that it struck in the middle. */
export interface Damage {
	readonly pending: number;
	/** On the service, and not in the state. */
	readonly unknown: number;
	/** In the state, and no longer on the service. */
	readonly missing: number;
}

export async function damageOf(test: TestDeployment, foreign: readonly string[]): Promise<Damage> {
	const state = await test.stack.export();
	const known = new Set(managedResources(state).map(({ id }) => id));
	const live = (await test.client.schedules.list()).filter((item) => !foreign.includes(identity(item)));
	const ids = new Set(live.map(({ id }) => String(id)));
	return {
		pending: state.deployment.pending_operations?.length ?? 0,
		unknown: [...ids].filter((id) => !known.has(id)).length,
		missing: [...known].filter((id) => id !== undefined && !ids.has(id)).length,
	};
}

export async function inspect(
	test: TestDeployment,
	wanted: Generation,
	foreign: readonly string[],
): Promise<Findings> {
	const live = await test.client.schedules.list();
	const state = await test.stack.export();
	const preview = await test.stack.preview(["--expect-no-changes"]);
	const own = live.filter((item) => !foreign.includes(identity(item)));
	const names = new Set(wanted.map((one) => one.scheduleName));
	const ids = new Map(managedResources(state).map((one) => [resourceName(one), one.id]));
	const declared = await Promise.all(wanted.map((one) => wrongOf(test, one, own, ids.get(one.resource))));
	return {
		duplicated: [
			...own
				.filter((item) => !names.has(item.schedule_name ?? ""))
				.map((item) => `${show(item)} is left over`),
			...wanted.flatMap((one) => twins(one, own)),
		],
		lost: [
			...declared.flat(),
			...foreign
				.filter((before) => !live.some((item) => identity(item) === before))
				.map((before) => `somebody else's is gone or changed: ${before}`),
			...[...ids.keys()]
				.filter((name) => !wanted.some((one) => one.resource === name))
				.map((name) => `"${name}" is still in the state`),
		],
		pending: (state.deployment.pending_operations ?? []).map((one) => JSON.stringify(one).slice(0, 200)),
		preview: preview.code === 0 ? [] : [preview.stdout.trim().slice(-600)],
	};
}

function twins(one: Wanted, own: readonly ScheduleItem[]): string[] {
	const found = own.filter((item) => item.schedule_name === one.scheduleName);
	return found.slice(1).map((item) => `${show(item)} is there ${found.length} times`);
}

async function wrongOf(
	test: TestDeployment,
	one: Wanted,
	own: readonly ScheduleItem[],
	id: string | undefined,
): Promise<string[]> {
	const item = own.find((candidate) => candidate.schedule_name === one.scheduleName);
	if (item === undefined) return [`"${one.scheduleName}" is missing`];
	const live = await test.client.schedules.get({ schedule_id: item.id });
	const is = {
		id: String(live.id),
		cron: live.cron_expression,
		pipeline: live.pipeline?.name,
		paused: live.pipeline?.status === "PAUSED",
	};
	const must = { id, cron: one.cronExpression, pipeline: one.pipelineName, paused: one.paused };
	const differs = JSON.stringify(is) !== JSON.stringify(must);
	return differs ? [`"${one.scheduleName}" is ${JSON.stringify(is)}, not ${JSON.stringify(must)}`] : [];
}

const show = (item: ScheduleItem): string => `"${item.schedule_name}" (id ${item.id})`;

/** All that a schedule is, its next run aside: that moves by itself. */
function identity({
	id,
	schedule_name,
	cron_expression,
	start_after,
	created_at,
	updated_at,
}: ScheduleItem): string {
	return JSON.stringify({ id, schedule_name, cron_expression, start_after, created_at, updated_at });
}
