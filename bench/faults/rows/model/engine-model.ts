import type { DynamicProvider } from "../../../../src/provider/dynamic-host";
import type { Props } from "../../../../src/provider/handler";
import type { Kind } from "../../../../src/schemas/kinds";
import { checked, messageOf, type Providers, urnOf } from "../../process";
import {
	type Entry,
	entryOf,
	type Host,
	type Program,
	type Report,
	type Resource,
	type RunOptions,
	type What,
} from "./stack";

/** A step of a resource; those of one resource run one after another. */
interface Step {
	readonly what: string;
	/** A refresh tells what it found, and not that it looked. */
	readonly quiet?: boolean;
	run(): Promise<void>;
}

type Done = Omit<Report, "notices">;

/** The providers of one run: a process for each host. */
export type ProvidersOf = (kind: Kind, host?: Host) => ReturnType<Providers>;

type Facts = Omit<Entry, "id" | "outputs">;

/** What the engine does with a program and a state, as far as a provider can tell: who is called, with what, and when. */
export class StackModel {
	entries: Entry[] = [];

	constructor(readonly name = "dev") {}

	async command(what: What, program: Program, options: RunOptions, providers: ProvidersOf): Promise<Done> {
		const operation = new Operation(this, providers, options, what === "preview");
		if (what === "up" || what === "preview") return operation.deploy(program);
		if (what === "destroy") return operation.deploy([]);
		const before = this.entries.map((entry) => ({ ...entry }));
		await operation.refresh();
		if (what === "drift") this.entries = before;
		return operation;
	}
}

/** One command. Nothing new is started after a failure; what runs is waited for. */
class Operation implements Done {
	readonly failures: string[] = [];
	readonly changes: string[] = [];
	private readonly seen = new Set<Entry>();
	private readonly running = new Set<Promise<void>>();

	constructor(
		private readonly stack: StackModel,
		private readonly providers: ProvidersOf,
		private readonly options: RunOptions,
		private readonly preview: boolean,
	) {}

	async deploy(program: Program): Promise<Done> {
		if (this.options.refresh) await this.refresh();
		const waiting = [...program];
		const done = new Set<string>();
		while (waiting.length > 0 && this.failures.length === 0) {
			const at = waiting.findIndex(({ dependsOn = [] }) => dependsOn.every((name) => done.has(name)));
			const [next] = at < 0 ? [] : waiting.splice(at, 1);
			if (next === undefined) await Promise.race(this.running);
			else await this.register(next, done);
		}
		await Promise.all(this.running);
		if (this.failures.length === 0) await this.deleteTheRest();
		return this;
	}

	/** Check and diff, one resource after another, and then the steps, when a worker is free. */
	private async register(resource: Resource, done: Set<string>): Promise<void> {
		try {
			await this.start(await this.plan(resource), () => done.add(resource.name));
		} catch (error) {
			this.fail(`check of ${resource.name}`, error);
		}
	}

	private async start(steps: readonly Step[], onDone: () => unknown = () => {}): Promise<void> {
		while (this.running.size >= this.options.parallel) await Promise.race(this.running);
		if (this.failures.length > 0) return;
		const work = this.runChain(steps, onDone).finally(() => this.running.delete(work));
		this.running.add(work);
	}

	private async runChain(steps: readonly Step[], onDone: () => unknown): Promise<void> {
		for (const { what, quiet, run } of steps) {
			if (this.failures.length > 0) return;
			if (!quiet) this.changes.push(what);
			if (this.preview) continue;
			try {
				await run();
			} catch (error) {
				return this.fail(what, error);
			}
		}
		onDone();
	}

	private fail(what: string, error: unknown): void {
		this.failures.push(`${what}: ${messageOf(error)}`);
	}

	private async plan(resource: Resource): Promise<Step[]> {
		const { stack, options } = this;
		const { kind, name, host, args, dependsOn = [], protect = false } = resource;
		const provider = this.providers(kind, host);
		const urn = urnOf(kind, name, stack.name, host === "plugin");
		const news = { ...args, __urn: urn, ...(this.preview && { __preview: true }) };
		const old = entryOf(stack, resource);
		if (old !== undefined) this.seen.add(old);
		const replaced = old !== undefined && options.replace?.includes(name) === true;
		let inputs = await checked(provider, replaced ? {} : (old?.inputs ?? {}), news);
		const dependencies = dependsOn.map((each) => this.urnNamed(each));
		const facts = () => ({ urn, name, kind, host, inputs, dependencies, protect });
		const create = (): Step => ({ what: `create ${name}`, run: () => this.create(provider, facts(), old) });
		if (old === undefined) return [create()];
		const diff = replaced
			? { changes: true, replaces: ["id"], deleteBeforeReplace: false }
			: await provider.diff(old.id, old.outputs, inputs);
		if (diff.replaces.length > 0 || old.pendingReplacement) {
			if (protect && old.protect) throw new Error(`${name} is protected and cannot be replaced`);
			if (!replaced) inputs = await checked(provider, {}, news);
			if (!(resource.deleteBeforeReplace ?? diff.deleteBeforeReplace) || old.pendingReplacement)
				return [create()];
			const remove = async () => {
				await provider.delete(old.id, old.outputs);
				old.pendingReplacement = true;
			};
			return [{ what: `delete ${name} first`, run: remove }, create()];
		}
		if (diff.changes || old.initErrors) {
			return [{ what: `update ${name}`, run: () => this.update(provider, old, facts()) }];
		}
		if (!this.preview) Object.assign(old, facts());
		return [];
	}

	private urnNamed(name: string): string {
		return [...this.seen, ...this.stack.entries].find((entry) => entry.name === name)?.urn ?? name;
	}

	private create(provider: DynamicProvider, facts: Facts, old: Entry | undefined): Promise<void> {
		return written(
			() => provider.create(facts.inputs),
			(id, outputs, initErrors) => {
				const entry = { ...facts, id, outputs, initErrors };
				this.seen.add(entry);
				this.stack.entries.push(entry);
				if (old?.pendingReplacement) this.forget(old);
				else if (old !== undefined) old.pendingDelete = true;
			},
		);
	}

	private update(provider: DynamicProvider, old: Entry, facts: Facts): Promise<void> {
		return written(
			async () => ({ id: old.id, ...(await provider.update(old.id, old.outputs, facts.inputs)) }),
			(_, outputs, initErrors) => Object.assign(old, facts, { outputs, initErrors }),
		);
	}

	/** What the program no longer has, and what replacements left: those that depend on others go first. */
	private async deleteTheRest(): Promise<void> {
		let condemned = this.stack.entries.filter((entry) => entry.pendingDelete || !this.seen.has(entry));
		while (condemned.length > 0 && this.failures.length === 0) {
			const needed = new Set(condemned.flatMap(({ dependencies }) => dependencies));
			const free = condemned.filter(({ urn }) => !needed.has(urn));
			const now = free.length > 0 ? free : condemned;
			for (const entry of now) await this.start([this.deletion(entry)]);
			await Promise.all(this.running);
			condemned = condemned.filter((entry) => !now.includes(entry));
		}
	}

	private deletion(entry: Entry): Step {
		const { kind, name, host, id, outputs, protect, pendingDelete, pendingReplacement } = entry;
		const run = async () => {
			if (protect && !pendingDelete) throw new Error(`${name} is protected and cannot be deleted`);
			if (!pendingReplacement) await this.providers(kind, host).delete(id, outputs);
			this.forget(entry);
		};
		return { what: `delete ${name}`, run };
	}

	async refresh(): Promise<void> {
		for (const entry of [...this.stack.entries])
			await this.start([{ what: `refresh of ${entry.name}`, quiet: true, run: () => this.read(entry) }]);
		await Promise.all(this.running);
	}

	private async read(entry: Entry): Promise<void> {
		const provider = this.providers(entry.kind, entry.host);
		const { id, props = {}, inputs = {} } = await provider.read(entry.id, entry.outputs);
		if (id === undefined) {
			this.changes.push(`gone ${entry.name}`);
			this.forget(entry);
			return;
		}
		const { changes } = await provider.diff(id, props, entry.inputs);
		if (changes) this.changes.push(`changed ${entry.name}`);
		Object.assign(entry, { inputs, outputs: props, initErrors: false });
	}

	private forget(entry: Entry): void {
		this.stack.entries = this.stack.entries.filter((other) => other !== entry);
	}
}

/** An error that carries an id leaves the resource in the state. */
async function written(
	write: () => Promise<{ id: string; outs: Props }>,
	keep: (id: string, outputs: Props, initErrors: boolean) => void,
): Promise<void> {
	try {
		const { id, outs } = await write();
		keep(id, outs, false);
	} catch (error) {
		if (error instanceof Error && "id" in error && "properties" in error)
			keep(String(error.id), { ...(error.properties as Props) }, true);
		throw error;
	}
}
