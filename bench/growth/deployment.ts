import {
	type DynamicProvider,
	serveDynamically,
} from "../../src/provider/hosts/dynamic-host";
import { handlerOf } from "../../src/provider/hosts/hosting";
import type { Props } from "../../src/provider/model/props";
import { createContext } from "../../src/provider/run/context";
import { dynamicType } from "../../src/schemas/kinds";

/** As many as the engine runs at once on a usual machine. */
const PARALLEL = 16;

interface Entry {
	readonly id: string;
	readonly inputs: Props;
	readonly outs: Props;
}

const KIND = "PipelineSchedule";
const TYPE = dynamicType(KIND);

/**
 * Schedules in the hands of our handlers, called in the order in which the engine calls them: check and diff one after the
 * other, writes side by side. There is no engine and no gRPC, so that only our own work is measured.
 */
export class Deployment {
	private entries: Entry[] = [];

	constructor(
		private readonly env: NodeJS.ProcessEnv,
		private readonly n: number,
		private readonly pipelines: number,
	) {}

	readonly operations: Readonly<Record<string, () => Promise<void>>> = {
		create: () => this.up("0 3 * * *"),
		"no-op": () => this.up("0 3 * * *"),
		update: () => this.up("0 4 * * *"),
		refresh: () => this.refresh(),
		destroy: () => this.destroy(),
	};

	private async up(cronExpression: string): Promise<void> {
		await this.withProvider(async (provider) => {
			const work = new Workers(PARALLEL);
			for (let number = 0; number < this.n; number += 1) {
				const old = this.entries[number];
				const news = {
					scheduleName: `schedule-${number}`,
					pipelineName: `pipeline-${number % this.pipelines}`,
					cronExpression,
					paused: false,
					__urn: `urn:pulumi:dev::shop::${TYPE}::schedule-${number}`,
				};
				const { inputs, failures } = await provider.check(old?.inputs ?? {}, news);
				if (failures.length > 0)
					throw new Error(failures.map(({ reason }) => reason).join());
				await work.add(async () => {
					this.entries[number] = await deployed(provider, old, inputs);
				});
			}
			await work.done();
		});
	}

	private async refresh(): Promise<void> {
		await this.withProvider((provider) =>
			this.each(async ({ id, outs }) => {
				const found = await provider.read(id, outs);
				if (found.id !== id) throw new Error(`Schedule ${id} is gone.`);
			}),
		);
	}

	private async destroy(): Promise<void> {
		await this.withProvider((provider) =>
			this.each(({ id, outs }) => provider.delete(id, outs)),
		);
	}

	private async each(work: (entry: Entry) => Promise<void>): Promise<void> {
		const workers = new Workers(PARALLEL);
		for (const entry of this.entries) await workers.add(() => work(entry));
		await workers.done();
	}

	/** Each operation of the engine has a provider process of its own, which remembers nothing of the one before. */
	private async withProvider(
		work: (provider: DynamicProvider) => Promise<void>,
	): Promise<void> {
		const context = createContext({ env: this.env }, (line) => {
			throw new Error(`A notice: ${line}`);
		});
		const provider = serveDynamically(handlerOf(KIND), () => context, TYPE);
		provider.configure({ config: { get: () => undefined } });
		try {
			await work(provider);
		} finally {
			context.owners.close();
			await context.client.close();
		}
	}
}

async function deployed(
	provider: DynamicProvider,
	old: Entry | undefined,
	inputs: Props,
): Promise<Entry> {
	if (old === undefined) {
		const { id, outs } = await provider.create(inputs);
		return { id, inputs, outs };
	}
	const { changes } = await provider.diff(old.id, old.outs, inputs);
	if (!changes) return old;
	const { outs } = await provider.update(old.id, old.outs, inputs);
	return { ...old, inputs, outs };
}

/** Runs so many works at once; the first failure is thrown. */
class Workers {
	private readonly running = new Set<Promise<void>>();

	constructor(private readonly most: number) {}

	async add(work: () => Promise<void>): Promise<void> {
		while (this.running.size >= this.most) await Promise.race(this.running);
		const run = work().finally(() => this.running.delete(run));
		this.running.add(run);
	}

	async done(): Promise<void> {
		await Promise.all(this.running);
	}
}
