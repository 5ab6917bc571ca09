import type { TestDeployment } from "../../../../test/helpers/e2e-deployment";
import type { Result } from "../../../../tools/stack";

/** Something on the service that a deployment could delete: a schedule, or the settings of a pipeline. */
export interface RemoteObject {
	/** Never used twice: a schedule that was deleted and made again has another. */
	readonly id: string;
	readonly name: string;
}

export const scheduleNamed = (name: string): string => `schedule ${name}`;
export const settingsOf = (pipeline: string): string => `settings of ${pipeline}`;

/** What one step asks for: whose present objects it deletes, and what must be there once afterwards. */
export interface Asked {
	readonly deletes: readonly string[];
	readonly leaves: readonly string[];
}

/** Counts, over all steps, what was deleted and who had asked for it. */
export class Ledger {
	readonly unasked: string[] = [];
	readonly notDone: string[] = [];
	/** What must be there and is not, or is there more than once. */
	readonly missing: string[] = [];
	readonly failed: string[] = [];
	steps = 0;
	asked = 0;
	left = 0;

	/** Runs one deployment and compares the service before and after it. */
	async step(test: TestDeployment, name: string, asked: Asked, run: () => Promise<Result>): Promise<void> {
		const before = await remoteObjects(test);
		test.server.requests.clear();
		const { code, stdout } = await run();
		const requests = test.server.requests.count({ endpoint: "deleteSchedule", status: 200 });
		const after = await remoteObjects(test);
		this.steps++;
		if (code !== 0) this.failed.push(`${name} ended with ${code}: ${stdout.trim().slice(-1_500)}`);
		const gone = before.filter(({ id }) => !after.some((object) => object.id === id));
		// A schedule that was made and deleted within one step is in neither list.
		const schedules = gone.filter(({ id }) => id.startsWith("schedule")).length;
		if (requests > schedules) this.unasked.push(`${name}: ${requests} deletions for ${schedules} schedules`);
		this.countDeleted(name, asked.deletes, gone);
		this.countLeft(name, asked.leaves, after);
	}

	private countDeleted(step: string, deletes: readonly string[], gone: readonly RemoteObject[]): void {
		const unasked = gone.filter(({ name }) => !deletes.includes(name));
		this.unasked.push(...unasked.map(({ name, id }) => `${step}: ${name} (${id})`));
		this.asked += deletes.length;
		const notDone = deletes.filter((name) => !gone.some((object) => object.name === name));
		this.notDone.push(...notDone.map((name) => `${step}: ${name} is still there`));
	}

	private countLeft(step: string, leaves: readonly string[], after: readonly RemoteObject[]): void {
		this.left += leaves.length;
		for (const name of leaves) {
			const count = after.filter((object) => object.name === name).length;
			if (count !== 1) this.missing.push(`${step}: ${name} is there ${count} times`);
		}
	}
}

async function remoteObjects({ client }: TestDeployment): Promise<RemoteObject[]> {
	const schedules = await client.schedules.list();
	const pipelines = await client.pipelines.list({ limit: 1_000 });
	return [
		...schedules.map((item) => ({
			id: `schedule id ${item.id}`,
			name: scheduleNamed(item.schedule_name ?? ""),
		})),
		// Settings have no identity of their own; they are there while the one that all scenarios declare is set.
		...pipelines
			.filter((pipeline) => Boolean(pipeline.python_version))
			.map(({ name }) => ({ id: settingsOf(name ?? ""), name: settingsOf(name ?? "") })),
	];
}
