import type { Host } from "../../bench/faults/process";
import { StackModel } from "../../bench/faults/rows/model/engine-model";
import type {
	Done,
	EngineOptions,
	Entry,
	Program,
	Resource,
	What,
} from "../../bench/faults/rows/model/stack";
import type { Props } from "../../src/provider/handler";
import type { ProcessOptions, World } from "./provider-harness";

export const schedule = (name: string, args: Props, more: Partial<Resource> = {}): Resource => ({
	kind: "PipelineSchedule",
	name,
	args: { cronExpression: "0 3 * * *", ...args },
	...more,
});

export const settings = (name: string, args: Props, more: Partial<Resource> = {}): Resource => ({
	kind: "PipelineSettings",
	name,
	args,
	...more,
});

export const pipeline = (args: object, name = "images"): Resource => ({
	kind: "Pipeline",
	name,
	args: { datasets: ["dev.images.clean"], ...args },
});

export type RunOptions = EngineOptions & Omit<ProcessOptions, "preview" | "host">;

/** A stack on a world of the test's. Each operation has a provider process of its own for each host. */
export class Stack extends StackModel {
	constructor(
		private readonly world: World,
		name = "dev",
		host: Host = "dynamic",
	) {
		super(name, host);
	}

	up(program: Program, options: RunOptions = {}): Promise<Done> {
		return this.run("up", program, options);
	}

	preview(program: Program, options: RunOptions = {}): Promise<Done> {
		return this.run("preview", program, options);
	}

	/** Must succeed. */
	async refresh(options: RunOptions = {}): Promise<Done> {
		const run = await this.run("refresh", [], options);
		if (run.failures.length > 0) throw new Error(run.failures.join("\n"));
		return run;
	}

	destroy(options: RunOptions = {}): Promise<Done> {
		return this.run("destroy", [], options);
	}

	private run(what: What, program: Program, options: RunOptions): Promise<Done> {
		const preview = what === "preview";
		return this.command(what, program, options, (host) => this.world.process({ ...options, host, preview }));
	}

	ids(): Record<string, string> {
		return Object.fromEntries(this.entries.map(({ name, id }) => [name, id]));
	}

	/** The entry as it is now, which must be there. */
	entry(name: string): Entry {
		const found = this.entries.find((entry) => entry.name === name && !entry.pendingDelete);
		if (found === undefined) throw new Error(`The state has no "${name}".`);
		return { ...found };
	}

	/** The state says something else of a resource, as that of an earlier version or deployment would. */
	alter(name: string, outs: object, inputs: object = {}): void {
		this.entries = this.entries.map((entry) =>
			entry.name === name
				? {
						...entry,
						inputs: { ...entry.inputs, ...inputs },
						outs: { ...entry.outs, ...outs },
						problem: undefined,
					}
				: entry,
		);
	}

	/** The state as version 0.1.0 would have written it: without the name of the resource, a pause always stored. */
	asIn010(): void {
		this.entries = this.entries.map((entry) => {
			const old = (props: Props): Props => {
				const known = Object.entries(props).filter(([key]) => !key.startsWith("__"));
				const pause = entry.kind === "PipelineSchedule" ? { paused: false } : {};
				return { ...pause, ...Object.fromEntries(known), __provider: "stub" };
			};
			return { ...entry, inputs: old(entry.inputs), outs: old(entry.outs) };
		});
	}
}
