import type { TestDeployment } from "./e2e-deployment";

/** Numbers that look random and are the same in every run with that seed. */
export function seeded(seed: number): (below: number) => number {
	let state = seed >>> 0;
	return (below) => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return Math.floor((state / 2 ** 32) * below);
	};
}

type Change = (test: TestDeployment, pick: (below: number) => number) => Promise<string>;

/** Things that other people do to a schedule, some of which are no drift at all. */
export const SCHEDULE_CHANGES: readonly ((id: number, pipeline: string) => Change)[] = [
	() => async () => "nothing",
	(id) => async (test, pick) => {
		const cron = `${pick(60)} ${pick(24)} * * *`;
		await test.client.schedules.update({ schedule_id: id, cron_expression: cron });
		return `cron ${cron}`;
	},
	(id) => async (test) => {
		await test.client.schedules.update({ schedule_id: id, cron_expression: "0  3 * * 0-6" });
		return "the same cron, spelled differently";
	},
	(id) => async (test, pick) => {
		await test.client.schedules.update({ schedule_id: id, schedule_name: `renamed-${pick(1000)}` });
		return "another name";
	},
	(id) => async (test) => {
		await test.client.schedules.update({ schedule_id: id, start_after: "2031-05-05T05:00:00Z" });
		return "another start";
	},
	(_id, pipeline) => async (test) => {
		await test.client.pipelines.pause({ name: pipeline });
		return "paused";
	},
	(id) => async (test) => {
		await test.client.schedules.delete({ schedule_id: id });
		return "deleted";
	},
];

/** Things that other people do to a pipeline's settings; only some of them touch what is declared. */
export const SETTINGS_CHANGES: readonly ((pipeline: string) => Change)[] = [
	() => async () => "nothing",
	(name) => async (test, pick) => {
		await test.client.pipelines.settings({ pipeline_name: name, workers: 1 + pick(4) });
		return "workers, perhaps the same";
	},
	(name) => async (test) => {
		await test.client.pipelines.settings({
			pipeline_name: name,
			environment: "MODE=fast\nKEY=changed-elsewhere",
		});
		return "a variable's value";
	},
	(name) => async (test) => {
		await test.client.pipelines.settings({ pipeline_name: name, environment: "MODE=fast" });
		return "a variable less";
	},
	(name) => async (test) => {
		await test.client.pipelines.settings({ pipeline_name: name, requirements: "\n pillow \n\ntorch\n" });
		return "the same requirements, with blank lines";
	},
	(name) => async (test) => {
		await test.client.pipelines.settings({
			pipeline_name: name,
			repository: "https://example.com/other.git",
		});
		return "a key that nobody declared";
	},
	(name) => async (test, pick) => {
		await test.client.pipelines.settings({ pipeline_name: name, priority: pick(6) });
		return "priority, perhaps the same";
	},
];
