import type { Props } from "../../src/provider/handler";
import { KINDS, type Kind } from "../../src/schemas/kinds";
import {
	checked,
	created,
	deleted,
	type Entry,
	type Host,
	type Process,
	type ProcessOptions,
	refreshed,
	updated,
	type World,
} from "./provider-harness";

/** A resource of a program. */
export interface Declared {
	readonly kind: Kind;
	readonly name: string;
	readonly inputs: Props;
	readonly dependsOn?: readonly string[];
	readonly protect?: boolean;
	/** Which host serves it; the stack's own unless given. */
	readonly host?: Host;
	/** `--replace` on the command line, or a delete and a create for the engine's own reasons, whatever the diff said. */
	readonly replace?: boolean | "against the diff";
	/** The resource option `deleteBeforeReplace`. */
	readonly deleteFirst?: boolean;
}

export const schedule = (name: string, inputs: Props, more: Partial<Declared> = {}): Declared => ({
	kind: "PipelineSchedule",
	name,
	inputs: { cronExpression: "0 3 * * *", ...inputs },
	...more,
});

export const settings = (name: string, inputs: Props, more: Partial<Declared> = {}): Declared => ({
	kind: "PipelineSettings",
	name,
	inputs,
	...more,
});

export const pipeline = (inputs: object, name = "images"): Declared => ({
	kind: "Pipeline",
	name,
	inputs: { datasets: ["dev.images.clean"], ...inputs },
});

export interface Outcome {
	/** What was done, in the order in which it was decided: `create a`, `update b`, `replace c`, `same d`, `delete e`. */
	readonly steps: readonly string[];
	readonly notices: readonly string[];
	/** Messages of the steps that failed, each after its resource's name. */
	readonly failures: readonly string[];
}

export type RunOptions = Omit<ProcessOptions, "preview">;

export interface UpOptions extends RunOptions {
	/** `--refresh`: what the state has is read first, by the same process. */
	readonly refresh?: boolean;
	/** `--parallel 1`: the steps come one after the other, while the program goes on being looked at. */
	readonly oneAtATime?: boolean;
}

/** A stack, with its state and the part of the engine that deploys it. Each operation has a provider process of its own. */
export class Stack {
	entries = new Map<string, Entry>();

	constructor(
		private readonly world: World,
		private readonly stack = "dev",
		private readonly host: Host = "dynamic",
	) {}

	/** Registers one resource after the other, and lets the steps run side by side, as the engine does. */
	async up(
		program: readonly Declared[],
		{ refresh = false, oneAtATime = false, ...options }: UpOptions = {},
	): Promise<Outcome> {
		const processes = new Processes(this.world, { host: this.host, ...options });
		if (refresh) await this.readAll(processes);
		const run = new Run(processes, this.entries, this.stack, oneAtATime);
		await run.program(program);
		if (run.failures.length === 0) await run.removals(new Set(program.map(({ name }) => name)));
		return run;
	}

	async preview(program: readonly Declared[], options: RunOptions = {}): Promise<Outcome> {
		const processes = new Processes(this.world, { host: this.host, ...options, preview: true });
		const run = new Run(processes, new Map(this.entries), this.stack);
		await run.program(program);
		return run;
	}

	async refresh(options: RunOptions = {}): Promise<Outcome> {
		const processes = new Processes(this.world, { host: this.host, ...options });
		return { steps: await this.readAll(processes), notices: processes.notices, failures: [] };
	}

	private async readAll(processes: Processes): Promise<string[]> {
		const steps: string[] = [];
		await Promise.all(
			[...this.entries.values()].map(async (entry) => {
				const now = await refreshed(processes.of(entry), entry);
				if (now === undefined) this.entries.delete(entry.name);
				else this.entries.set(entry.name, now);
				steps.push(`${now === undefined ? "gone" : "read"} ${entry.name}`);
			}),
		);
		return steps;
	}

	async destroy(only?: readonly string[], options: RunOptions = {}): Promise<Outcome> {
		const run = new Run(new Processes(this.world, { host: this.host, ...options }), this.entries, this.stack);
		await run.removals(new Set(only && [...this.entries.keys()].filter((name) => !only.includes(name))));
		return run;
	}

	ids(): Record<string, string> {
		return Object.fromEntries([...this.entries].map(([name, { id }]) => [name, id]));
	}

	/** The entry, which must be there. */
	entry(name: string): Entry {
		const found = this.entries.get(name);
		if (found === undefined) throw new Error(`The state has no "${name}".`);
		return found;
	}

	/** The state says something else of a resource, as that of an earlier version or deployment would. */
	alter(name: string, outs: object, inputs: object = {}): void {
		const entry = this.entry(name);
		this.entries.set(name, {
			...entry,
			inputs: { ...entry.inputs, ...inputs },
			outs: { ...entry.outs, ...outs },
			problem: undefined,
		});
	}

	/** The state as version 0.1.0 would have written it: without the name of the resource, a pause always stored. */
	asIn010(): void {
		for (const [name, entry] of this.entries) {
			const old = (props: Props): Props => {
				const known = Object.entries(props).filter(([key]) => !key.startsWith("__"));
				const pause = entry.kind === "PipelineSchedule" ? { paused: false } : {};
				return { ...pause, ...Object.fromEntries(known), __provider: "stub" };
			};
			this.entries.set(name, { ...entry, inputs: old(entry.inputs), outs: old(entry.outs) });
		}
	}
}

/** The provider processes of one engine run: one, or one for each host that a resource names. */
class Processes {
	private readonly byHost = new Map<Host | undefined, Process>();

	constructor(
		private readonly world: World,
		private readonly options: ProcessOptions,
	) {}

	of({ host = this.options.host }: { readonly host?: Host | undefined }): Process {
		const process = this.byHost.get(host) ?? this.world.process({ ...this.options, host });
		this.byHost.set(host, process);
		return process;
	}

	get preview(): boolean {
		return this.options.preview === true;
	}

	get notices(): string[] {
		return [...this.byHost.values()].flatMap(({ notices }) => notices);
	}
}

class Run implements Outcome {
	readonly steps: string[] = [];
	readonly failures: string[] = [];
	private readonly done = new Map<string, Promise<void>>();
	private readonly atTheEnd: Entry[] = [];

	constructor(
		private readonly processes: Processes,
		private readonly entries: Map<string, Entry>,
		private readonly stack: string,
		private readonly oneAtATime = false,
	) {}

	get notices(): readonly string[] {
		return this.processes.notices;
	}

	async program(program: readonly Declared[]): Promise<void> {
		for (const declared of program) {
			await Promise.all((declared.dependsOn ?? []).map((name) => this.done.get(name)));
			if (this.failures.length > 0) break;
			await this.register(declared);
		}
		await Promise.all(this.done.values());
	}

	/** What the program no longer has, and what was replaced by something made before it. */
	async removals(kept: ReadonlySet<string>): Promise<void> {
		const removed = [...this.entries.values()].filter(({ name }) => !kept.has(name));
		await Promise.all([
			...this.atTheEnd.map((entry) => this.guard(entry.name, () => deleted(this.processes.of(entry), entry))),
			...removed.map((entry) =>
				this.guard(entry.name, async () => {
					this.steps.push(`delete ${entry.name}`);
					if (!entry.replacing) await deleted(this.processes.of(entry), entry);
					this.entries.delete(entry.name);
				}),
			),
		]);
	}

	/** Check and diff come one at a time; what they decide runs beside the resources that follow. */
	private async register(declared: Declared): Promise<void> {
		const { kind, name, host } = declared;
		const who = { kind, name, stack: this.stack, host };
		const old = this.entries.get(name);
		const process = this.processes.of(declared);
		await this.guard(name, async () => {
			const inputs = await checked(process, who, declared.inputs, old);
			if (old === undefined) return this.start("create", declared, () => this.make(declared, inputs));
			// For `--replace` the engine asks no diff, and the resource's option tells the order.
			const diff =
				declared.replace === true
					? { changes: true, replaces: ["id"], deleteBeforeReplace: KINDS[kind].deleteFirst }
					: await process.serve(kind).diff(old.id, old.outs, inputs);
			const replace = old.replacing === true || Boolean(declared.replace) || diff.replaces.length > 0;
			if (replace && declared.protect) throw new Error("the resource is protected, and cannot be replaced.");
			if (replace) {
				const isLate = declared.replace === "against the diff";
				const anew = isLate ? inputs : await checked(process, who, declared.inputs);
				const first = isLate || (declared.deleteFirst ?? diff.deleteBeforeReplace);
				return this.start("replace", declared, async () => {
					if (first && !old.replacing) await deleted(this.processes.of(old), old);
					if (first) this.entries.set(name, { ...old, replacing: true });
					else this.atTheEnd.push(old);
					await this.make(declared, anew);
				});
			}
			if (diff.changes || old.problem !== undefined) {
				return this.start("update", declared, async () =>
					this.store({ ...(await updated(process, old, inputs)), host }),
				);
			}
			this.start("same", declared, async () => this.store({ ...old, inputs, host }));
		});
	}

	private start(what: string, { name }: Declared, work: () => Promise<void>): void {
		this.steps.push(`${what} ${name}`);
		if (this.processes.preview) return;
		const before = this.oneAtATime ? [...this.done.values()] : [];
		const running = Promise.all(before).then(() => this.guard(name, work));
		this.done.set(name, running);
	}

	private async make(declared: Declared, inputs: Props): Promise<void> {
		const { kind, name, host } = declared;
		this.store(await created(this.processes.of(declared), { kind, name, host }, inputs));
	}

	private store(entry: Entry): void {
		this.entries.set(entry.name, entry);
		if (entry.problem !== undefined) this.failures.push(`${entry.name}: ${entry.problem}`);
	}

	private async guard(name: string, work: () => Promise<void> | void): Promise<void> {
		try {
			await work();
		} catch (error) {
			this.failures.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
		}
	}
}
