import { setTimeout as sleep } from "node:timers/promises";
import type { Kind } from "../../src/schemas/kinds";
import { type LocalServer, startServer } from "../../src/server";
import { managedResources, resourceKind, resourceName } from "../../tools/stack";
import {
	type Declared,
	resource,
	type TestDeployment,
	testDeployment,
} from "../helpers/e2e-deployment";
import { addPlugin } from "../helpers/engine";
import type { Place } from "./place";
import { urnOf } from "./process";
import {
	type Done,
	type Entry,
	entryOf,
	type Host,
	type Program,
	type RunOptions,
	type Stack,
	type What,
} from "./stack";

/** In the words of the program that all tests on the engine share. */
function inWords(program: Program, usual: Host): Declared[] {
	const declared = program.map(
		({ kind, name, args, host = usual, aliases = [], replace: _, ...options }) => {
			const { s3 } = Object(args.storage);
			const storage = s3 && { storage: [{ $storage: "s3", args: s3 }] };
			const provider = host === "plugin" ? { provider: "own" } : {};
			const others = {
				aliases: aliases.map((alias) => ({ name: alias })),
				...provider,
			};
			return resource(kind, name, { ...args, ...storage }, { ...options, ...others });
		},
	);
	const isUsed = declared.some(({ opts }) => opts?.provider !== undefined);
	return [...(isUsed ? [resource("Provider", "own", {})] : []), ...declared];
}

/** The longest that the real engine's sequences wait for a service that lags. */
export const LAG_MILLIS = 500;

/** A place with the real engine and real time. */
export async function openEnginePlace(host: Host): Promise<Place> {
	const server = await startServer({ empty: true, faults: true, jobStepMillis: 200 });
	const stacks: RealStack[] = [];
	return {
		server,
		stack: (name, team) => {
			const stack = new RealStack(name, team, server, host);
			stacks.push(stack);
			return stack;
		},
		// Real processes have the machine's clock, as this server has.
		setClockAhead: () => {},
		wait: (millis) => sleep(Math.min(millis, 3 * LAG_MILLIS)),
		close: async () => {
			for (const stack of stacks) await stack.dispose();
			await server.close();
		},
	};
}

class RealStack implements Stack {
	entries: readonly StateEntry[] = [];
	private opened: Promise<TestDeployment> | undefined;
	/** As the programs declared it, by kind and name. */
	private readonly hosts = new Map<string, Host | undefined>();

	constructor(
		readonly name: string,
		private readonly team: string,
		private readonly server: LocalServer,
		private readonly host: Host,
	) {}

	async run(what: What, program: Program, options: RunOptions): Promise<Done> {
		const { stack, declare } = await this.open();
		for (const { kind, name, host } of program) this.hosts.set(`${kind} ${name}`, host);
		declare(...(what === "destroy" ? [] : inWords(program, this.host)));
		stack.env.DATACHAIN_ADOPT_EQUAL = options.adoptEqual ? "true" : "";
		const { code, stdout } = await stack[what === "drift" ? "refresh" : what](
			this.flags(what, program, options),
		);
		this.entries = managedResources(await stack.export()).map((resource) =>
			this.entryOf(resource),
		);
		// 7 is the engine's "changes were proposed".
		const drifted = what === "drift" && code === 7;
		const found = stdout.matchAll(
			/^ [-+~]+ +(?:pulumi-nodejs:dynamic|datachain:index)\S+ (\S+) (created|updated|deleted|replaced)/gm,
		);
		return {
			failures:
				code === 0 || drifted ? [] : [stdout.slice(stdout.indexOf("Diagnostics:"))],
			steps: drifted
				? [stdout]
				: Array.from(found, ([, name, done]) => `${done} ${name}`),
			notices: stdout.split("\n").filter((line) => /warning|info/.test(line)),
		};
	}

	async unprotect(): Promise<void> {
		if (!this.entries.some(({ protect }) => protect)) return;
		const { stack } = await this.open();
		await stack.run(["state", "unprotect", "--all", "--yes", "--stack", stack.name]);
	}

	async dispose(): Promise<void> {
		await (await this.opened)?.dispose();
	}

	private flags(
		what: What,
		program: Program,
		{ parallel, refresh, replace = [], exclude, target }: RunOptions,
	): string[] {
		const flags = ["--parallel", String(parallel)];
		if (what === "drift") return [...flags, "--preview-only", "--expect-no-changes"];
		if (what === "refresh" || what === "destroy") return [...flags, "--skip-preview"];
		const targets = program
			.filter(({ name }) => replace.includes(name))
			.flatMap((resource) => entryOf(this, resource)?.urn ?? []);
		const urnsOf = (names: readonly string[] = []) => [
			...this.entries.filter(({ name }) => names.includes(name)).map(({ urn }) => urn),
			...program
				.filter((one) => names.includes(one.name) && entryOf(this, one) === undefined)
				.map(({ kind, name, host = this.host }) =>
					urnOf(kind, name, this.name, host).replace("::shop::", "::*::"),
				),
		];
		const both = [
			...flags,
			...urnsOf(exclude).flatMap((urn) => ["--exclude", urn]),
			...urnsOf(target).flatMap((urn) => ["--target", urn]),
			...(refresh ? ["--refresh"] : []),
			...targets.flatMap((urn) => ["--replace", urn]),
		];
		return what === "up" ? [...both, "--skip-preview"] : both;
	}

	/** In a place of the plugin's every resource is in it, and says so only if the program does. */
	private entryOf(resource: Parameters<typeof asEntry>[0]): StateEntry {
		const entry = asEntry(resource);
		const inPlugin = !resource.type.startsWith("pulumi-nodejs:");
		const host =
			this.host === "plugin" ? this.hosts.get(`${entry.kind} ${entry.name}`) : "plugin";
		return { ...entry, ...(inPlugin && host && { host }) };
	}

	private open(): Promise<TestDeployment> {
		const env = { DATACHAIN_STUDIO_TEAM: this.team };
		this.opened ??= testDeployment({
			env,
			shared: this.server,
			stackName: this.name,
		}).then((opened) => {
			addPlugin(opened.folder);
			return opened;
		});
		return this.opened;
	}
}

/** What the engine's state says of a resource. */
type StateEntry = Entry & { readonly urn: string };

export function asEntry(
	resource: ReturnType<typeof managedResources>[number],
): StateEntry {
	const { urn, id = "", inputs = {}, outputs: outs = {} } = resource;
	return {
		urn,
		id,
		inputs,
		outs,
		kind: resourceKind(resource) as Kind,
		name: resourceName(resource),
		protect: resource.protect === true,
		retainOnDelete: resource.retainOnDelete === true,
		deletedWith:
			resource.deletedWith === undefined ? undefined : String(resource.deletedWith),
		pendingDelete: resource.delete === true,
		pendingReplacement: resource.pendingReplacement === true,
	};
}
