import { join } from "node:path";
import { tempFolder } from "../../../../tools/process/temp-folder";
import { startServe } from "./child";
import { Requests, versionOf, written } from "./writes";

const WRITERS = 32;

export interface WriterOutcome {
	readonly writes: number;
	readonly lost: readonly string[];
	readonly duplicates: readonly string[];
}

/** One field that many write at once: the last write must stay, and no write may bring an older one back. */
class Register {
	readonly #writes: { value: string; began: number; ended: number }[] = [];

	async write(value: string, send: () => Promise<unknown>): Promise<void> {
		const began = performance.now();
		await send();
		this.#writes.push({ value, began, ended: performance.now() });
	}

	/** Writes that overlap may end in any order; one that ended before another began may not win over it. */
	problem(what: string, found: string): string | undefined {
		const last = Math.max(...this.#writes.map(({ began }) => began));
		// The same value may have been written more than once; the latest of these is the one that stayed.
		const ended = this.#writes.filter(({ value }) => value === found).map((write) => write.ended);
		if (ended.length === 0) return `${what} is "${found}", which nobody wrote`;
		return Math.max(...ended) < last
			? `${what} is "${found}", though later writes were acknowledged`
			: undefined;
	}
}

/** 32 writers at once: each on a schedule of its own, all on a shared one and on shared settings, and creating. */
export async function manyWriters(rounds: number): Promise<WriterOutcome> {
	const folder = tempFolder("bench-writers-");
	const lost: string[] = [];
	const duplicates: string[] = [];
	try {
		const server = await startServe(join(folder.path, "team.json"));
		try {
			const requests = new Requests(server);
			const run = new WriterRun(requests, rounds, lost, duplicates);
			await run.run();
			return { writes: run.writes, lost, duplicates };
		} finally {
			await server.kill();
		}
	} catch (error) {
		lost.push(error instanceof Error ? error.message : String(error));
		return { writes: 0, lost, duplicates };
	} finally {
		folder.remove();
	}
}

class WriterRun {
	writes = 0;
	readonly #registers = {
		name: new Register(),
		cron: new Register(),
		python: new Register(),
		workers: new Register(),
	};
	readonly #scheduleIds: number[] = [];
	readonly #fileIds: number[] = [];
	#expected = 0;

	constructor(
		private readonly requests: Requests,
		private readonly rounds: number,
		private readonly lost: string[],
		private readonly duplicates: string[],
	) {}

	async run(): Promise<void> {
		const seeded = await this.requests.list();
		const shared = await this.requests.create("shared", 0);
		this.#scheduleIds.push(...seeded.map(({ id }) => id), shared.id);
		await Promise.all(Array.from({ length: WRITERS }, (_, writer) => this.#writer(writer, shared.id)));
		await this.#checkShared(shared.id);
		const live = await this.requests.list();
		this.#unique("schedule", this.#scheduleIds);
		this.#unique(
			"listed schedule",
			live.map(({ id }) => id),
		);
		this.#unique("file", this.#fileIds);
		const expected = seeded.length + 1 + this.#expected;
		if (live.length !== expected) this.lost.push(`${live.length} schedules are left, not ${expected}`);
	}

	async #writer(writer: number, shared: number): Promise<void> {
		const { requests } = this;
		const own = await this.#create(`own-${writer}`);
		for (let round = 1; round <= this.rounds; round++) {
			await requests.update(own, written(`own-${writer}`, round));
			const found = versionOf(await requests.read(own));
			if (found !== round)
				this.lost.push(`writer ${writer} wrote ${round} and found ${found ?? "a mixture"}`);
			await this.#writeShared(writer, round, shared);
			const passing = await this.#create(`passing-${writer}-${round}`);
			this.#fileIds.push(await requests.upload(`file-${writer}-${round}`));
			await requests.remove(passing);
			this.#expected--;
			this.writes += 5;
		}
	}

	async #create(label: string): Promise<number> {
		const { id } = await this.requests.create(label, 0);
		this.#scheduleIds.push(id);
		this.#expected++;
		return id;
	}

	/** Each writer sends one field only: an update of one must not undo another's update of the other. */
	async #writeShared(writer: number, round: number, shared: number): Promise<void> {
		const { requests } = this;
		const { name, cron, python, workers } = this.#registers;
		const value = writer + WRITERS * round;
		if (writer % 4 === 0) {
			const { schedule_name } = written("shared", value);
			await name.write(schedule_name, () => requests.update(shared, { schedule_name }));
		} else if (writer % 4 === 1) {
			const { cron_expression } = written("shared", value);
			await cron.write(cron_expression, () => requests.update(shared, { cron_expression }));
		} else if (writer % 4 === 2) {
			await python.write(`3.${value}`, () => requests.settings({ python_version: `3.${value}` }));
		} else {
			await workers.write(String(value), () => requests.settings({ workers: value }));
		}
	}

	async #checkShared(id: number): Promise<void> {
		const { name, cron, python, workers } = this.#registers;
		const schedule = await this.requests.read(id);
		const settings = await this.requests.readSettings();
		const problems = [
			name.problem("the shared name", schedule.schedule_name),
			cron.problem("the shared cron", schedule.cron_expression ?? ""),
			python.problem("the shared Python version", settings.python_version ?? ""),
			workers.problem("the shared number of workers", String(settings.workers)),
		];
		this.lost.push(...problems.filter((problem) => problem !== undefined));
	}

	#unique(what: string, ids: readonly number[]): void {
		const twice = ids.filter((id, at) => ids.indexOf(id) !== at);
		this.duplicates.push(...twice.map((id) => `${what} id ${id} was given out twice`));
	}
}
