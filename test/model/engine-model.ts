import { KINDS } from "../../src/schemas/kinds";
import { messageOf } from "../../src/text/wording";
import type { Process, ProcessOptions } from "./process";
import {
	type Done,
	type EngineOptions,
	type Entry,
	entryOf,
	type Host,
	identityOf,
	type Program,
	type Resource,
	type What,
} from "./stack";

/** What the program says of a resource, after its check. */
type Facts = Omit<Entry, "id" | "outs" | "problem">;

/** What happens to one resource; its steps run one after another. */
interface Chain {
	readonly name: string;
	/** What is told of it. The delete at a replacement's end is part of the replacement, and a read tells what it found. */
	readonly what?: string | undefined;
	readonly steps: readonly (() => Promise<void>)[];
	/** What a preview does in their place. */
	readonly preview?: () => Promise<void>;
}

/**
 * What the engine does with a program and a state, as far as a provider can tell: who is called, with what, and when. The
 * contract tests and the random sequences both run on it.
 */
export class StackModel {
	entries: Entry[] = [];

	constructor(
		readonly name = "dev",
		/** Of resources that name none. */
		readonly host: Host = "dynamic",
	) {}

	/** Each command has provider processes of its own, one for each host: nothing is remembered from the one before. */
	async command(
		what: What,
		program: Program,
		options: EngineOptions,
		start: (run: Pick<ProcessOptions, "host" | "preview" | "stack">) => Process,
	): Promise<Done> {
		const preview = what === "preview";
		const processes = new Map<Host, Process>();
		const processOf = ({ host = this.host }: Resource | Entry): Process => {
			const process = processes.get(host) ?? start({ host, preview, stack: this.name });
			processes.set(host, process);
			return process;
		};
		const operation = new Operation(this, processOf, options, preview);
		const before = this.entries.map((entry) => ({ ...entry }));
		try {
			if (what === "refresh" || what === "drift") await operation.refresh();
			else await operation.deploy(what === "destroy" ? [] : program);
			if (what === "drift") this.entries = before;
		} finally {
			for (const process of processes.values()) await process.close();
		}
		const { steps, failures, reached } = operation;
		return {
			steps,
			failures,
			reached,
			notices: [...processes.values()].flatMap(({ notices }) => notices),
		};
	}
}

/** One command. Nothing new is started after a failure; what runs is waited for. */
class Operation {
	readonly failures: string[] = [];
	readonly steps: string[] = [];
	/** Kind, host and name of resources whose provider was asked for a plan. */
	readonly reached: string[] = [];
	/** Resources of the program that are not made, because the command leaves them out. */
	private readonly skipped = new Set<string>();
	private readonly seen = new Set<Entry>();
	private readonly running = new Set<Promise<void>>();
	private program: Program = [];

	constructor(
		private readonly stack: StackModel,
		private readonly processOf: (one: Resource | Entry) => Process,
		private readonly options: EngineOptions,
		private readonly preview: boolean,
	) {}

	async deploy(program: Program): Promise<void> {
		if (this.options.refresh) await this.refresh();
		this.program = program;
		const waiting = [...program];
		const done = new Set<string>();
		while (waiting.length > 0 && this.failures.length === 0) {
			const at = waiting.findIndex((resource) =>
				needsOf(resource).every((name) => done.has(name)),
			);
			const [next] = at < 0 ? [] : waiting.splice(at, 1);
			if (next === undefined) await Promise.race(this.running);
			else await this.register(next, done);
		}
		await Promise.all(this.running);
		if (this.failures.length === 0) await this.deleteTheRest();
	}

	/** Check and diff, one resource after another, and then the steps, when a worker is free. */
	private async register(resource: Resource, done: Set<string>): Promise<void> {
		try {
			await this.start(await this.plan(resource), () => done.add(resource.name));
		} catch (error) {
			this.fail(resource.name, error);
		}
	}

	private async start(chain: Chain, onDone: () => unknown = () => {}): Promise<void> {
		const { parallel = Number.POSITIVE_INFINITY } = this.options;
		while (this.running.size >= parallel) await Promise.race(this.running);
		if (this.failures.length > 0) return;
		const work = this.runChain(chain, onDone).finally(() => this.running.delete(work));
		this.running.add(work);
	}

	private async runChain(
		{ name, what, steps, preview }: Chain,
		onDone: () => unknown,
	): Promise<void> {
		if (what !== undefined) this.steps.push(`${what} ${name}`);
		const previewed = preview === undefined ? [] : [preview];
		for (const step of this.preview ? previewed : steps) {
			if (this.failures.length > 0) return;
			try {
				await step();
			} catch (error) {
				return this.fail(name, error);
			}
		}
		onDone();
	}

	private fail(name: string, error: unknown): void {
		this.failures.push(`${name}: ${messageOf(error)}`);
	}

	private async plan(resource: Resource): Promise<Chain> {
		const {
			kind,
			name,
			args,
			host,
			dependsOn = [],
			protect = false,
			replace,
		} = resource;
		const { retainOnDelete = false } = resource;
		const process = this.processOf(resource);
		const old = entryOf(this.stack, resource);
		if (old !== undefined) this.seen.add(old);
		// Of what a command leaves out, the engine asks nobody.
		if (!this.isIncluded(name)) {
			if (old === undefined) this.skipped.add(name);
			return { name, what: old && "same", steps: [] };
		}
		this.reached.push(identityOf(resource));
		const skipped = needsOf(resource).filter((needed) => this.skipped.has(needed));
		if (skipped.length > 0)
			throw new Error(
				`it depends on ${skipped.join()}, which this command leaves out.`,
			);
		const other = this.program.find((each) => each.name === resource.deletedWith);
		const deletedWith = other && identityOf(other);
		// For `--replace` the engine forgets the old inputs, and asks no diff.
		const isAsked = old !== undefined && replace === true;
		let inputs = await process.check(resource, args, isAsked ? undefined : old);
		const facts = () => ({
			kind,
			name,
			host,
			inputs,
			dependsOn,
			protect,
			retainOnDelete,
			deletedWith,
		});
		const create = () => this.create(process, facts(), old);
		const preview = () => process.previewStep(resource, inputs);
		if (old === undefined) return { name, what: "create", steps: [create], preview };
		const diff = isAsked
			? { changes: true, replaces: ["id"], deleteBeforeReplace: false }
			: await process.serve(kind).diff(old.id, old.outs, inputs);
		const isLate = replace === "against the diff";
		const isOnChange = changedKeysOf(diff).some((path) =>
			resource.replaceOnChanges?.some(
				(key) => path === key || path.startsWith(`${key}.`),
			),
		);
		if (diff.replaces.length > 0 || old.pendingReplacement || isLate || isOnChange) {
			if (protect && old.protect)
				throw new Error("the resource is protected, and cannot be replaced.");
			if (!isAsked && !isLate) inputs = await process.check(resource, args);
			// Our classes set the option by their kind.
			const isFirst =
				resource.deleteBeforeReplace ??
				(KINDS[kind].deleteFirst || diff.deleteBeforeReplace);
			const remove = async () => {
				if (!old.retainOnDelete)
					await this.processOf(old).serve(kind).delete(old.id, old.outs);
				old.pendingReplacement = true;
			};
			const isDeletedFirst = (isFirst || isLate) && !old.pendingReplacement;
			return {
				name,
				what: "replace",
				steps: isDeletedFirst ? [remove, create] : [create],
				preview,
			};
		}
		if (diff.changes || old.problem !== undefined) {
			const previewUpdate = () => process.previewStep(resource, inputs, old);
			const update = () => this.update(process, old, facts());
			return { name, what: "update", steps: [update], preview: previewUpdate };
		}
		if (!this.preview) Object.assign(old, facts());
		return { name, what: "same", steps: [] };
	}

	private async create(
		process: Process,
		facts: Facts,
		old: Entry | undefined,
	): Promise<void> {
		const entry: Entry = { ...(await process.create(facts, facts.inputs)), ...facts };
		this.seen.add(entry);
		this.stack.entries.push(entry);
		if (old?.pendingReplacement) this.forget(old);
		else if (old !== undefined) old.pendingDelete = true;
		mustBeDone(entry);
	}

	private async update(process: Process, old: Entry, facts: Facts): Promise<void> {
		mustBeDone(Object.assign(old, await process.update(old, facts.inputs), facts));
	}

	/** What the program no longer has, and what replacements left: those that depend on others go first. */
	private async deleteTheRest(): Promise<void> {
		let condemned = this.stack.entries.filter(
			(entry) =>
				(entry.pendingDelete || !this.seen.has(entry)) && this.mayDelete(entry),
		);
		const { target } = this.options;
		const unasked = condemned.find(
			({ name }) => target !== undefined && !target.includes(name),
		);
		if (unasked !== undefined)
			return this.fail(
				unasked.name,
				new Error("the resource would be deleted, and is not in --target."),
			);
		const all = new Set(condemned.map(identityOf));
		while (condemned.length > 0 && this.failures.length === 0) {
			const needed = new Set(
				condemned.flatMap(({ dependsOn = [], deletedWith }) => [
					...dependsOn,
					...condemned
						.filter((one) => identityOf(one) === deletedWith)
						.map(({ name }) => name),
				]),
			);
			const free = condemned.filter(({ name }) => !needed.has(name));
			const now = free.length > 0 ? free : condemned;
			for (const entry of now) await this.start(this.deletion(entry, all));
			await Promise.all(this.running);
			condemned = condemned.filter((entry) => !now.includes(entry));
		}
	}

	private deletion(entry: Entry, all: ReadonlySet<string>): Chain {
		const { kind, name, id, outs, protect, pendingDelete, pendingReplacement } = entry;
		const isKept =
			entry.retainOnDelete ||
			(entry.deletedWith !== undefined && all.has(entry.deletedWith));
		const run = async () => {
			if (protect && !pendingDelete)
				throw new Error("the resource is protected, and cannot be deleted.");
			if (!pendingReplacement && !isKept)
				await this.processOf(entry).serve(kind).delete(id, outs);
			this.forget(entry);
		};
		return { name, what: this.seen.has(entry) ? undefined : "delete", steps: [run] };
	}

	private isIncluded(name: string): boolean {
		const { target, exclude } = this.options;
		return target?.includes(name) ?? !exclude?.includes(name);
	}

	/** Targets take with them what depends on them; what is excluded keeps what it depends on. */
	private mayDelete(entry: Entry): boolean {
		const { target, exclude } = this.options;
		if (target !== undefined)
			return (
				target.includes(entry.name) ||
				this.needed(entry.name).some((name) => target.includes(name))
			);
		return !exclude?.some(
			(name) => name === entry.name || this.needed(name).includes(entry.name),
		);
	}

	/** Names of all that the resource depends on, directly or over others. */
	private needed(name: string, seen = new Set<string>()): string[] {
		for (const entry of this.stack.entries.filter((each) => each.name === name)) {
			for (const other of entry.dependsOn ?? []) {
				if (seen.has(other)) continue;
				seen.add(other);
				this.needed(other, seen);
			}
		}
		return [...seen];
	}

	async refresh(): Promise<void> {
		for (const entry of this.stack.entries.filter(({ name }) => this.isIncluded(name)))
			await this.start({
				name: entry.name,
				steps: [() => this.read(entry)],
				preview: () => this.read(entry),
			});
		await Promise.all(this.running);
	}

	private async read(entry: Entry): Promise<void> {
		const process = this.processOf(entry);
		const found = await process.refresh(entry);
		if (found === undefined) {
			this.steps.push(`gone ${entry.name}`);
			this.forget(entry);
			return;
		}
		const { changes } = await process
			.serve(entry.kind)
			.diff(found.id, found.outs, entry.inputs);
		this.steps.push(`${changes ? "changed" : "read"} ${entry.name}`);
		Object.assign(entry, found);
	}

	private forget(entry: Entry): void {
		this.stack.entries = this.stack.entries.filter((other) => other !== entry);
	}
}

/** What must be there before it. */
const needsOf = ({ dependsOn = [], deletedWith }: Resource): string[] => [
	...dependsOn,
	...(deletedWith === undefined ? [] : [deletedWith]),
];

/** The plugin alone tells which inputs have changed. */
const changedKeysOf = (diff: object): string[] =>
	"changedKeys" in diff && Array.isArray(diff.changedKeys)
		? diff.changedKeys.map(String)
		: [];

/** What was only partly done is in the state, and has failed. */
function mustBeDone({ problem }: Entry): void {
	if (problem !== undefined) throw new Error(problem);
}
