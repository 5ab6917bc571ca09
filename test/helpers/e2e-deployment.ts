import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createClient, resolveConnection } from "../../src/client";
import type { Kind } from "../../src/schemas/kinds";
import { type LocalServer, type ServerOptions, startServer } from "../../src/server";
import { succeeded } from "../../tools/process/must";
import { createStack, managedResources, type Result } from "../../tools/stack";
import { temporaryProject, testEngine } from "./engine";

/**
 * A resource of the test's program. Values of the form `{ $secret: … }` become Pulumi secrets, `{ $asset: … }` assets,
 * `{ $from: "script.id" }` outputs of resources declared before (`{ $from: "script" }` the resource itself), `{ $storage: "s3", args: … }` what the package's function of
 * that name makes, `{ $file: … }` such a storage as a job's file. A Component has only a type.
 */
export interface Declared {
	readonly kind: Kind | "Component" | "Provider";
	readonly name: string;
	readonly args: Readonly<Record<string, unknown>>;
	/** As in a program; `parent`, `provider`, `deletedWith` and `dependsOn` name resources declared before. */
	readonly opts?: Readonly<Record<string, unknown>>;
}

export const resource = (
	kind: Declared["kind"],
	name: string,
	args: object,
	opts?: object,
): Declared => ({
	...{ kind, name, args: { ...args } },
	...(opts && { opts: { ...opts } }),
});

/** Reads what to declare from a file beside it, so that one program serves every step of a test. */
export const PROGRAM = `
const pulumi = require("@pulumi/pulumi");
const datachain = require("pulumi-datachain");
const revive = (value) => {
	if (Array.isArray(value)) return value.map(revive);
	if (value === null || typeof value !== "object") return value;
	if ("$secret" in value) return pulumi.secret(revive(value.$secret));
	if ("$asset" in value) return new pulumi.asset[value.$asset](value.value);
	if ("$from" in value) return outputOf(value.$from);
	if ("$storage" in value) return datachain.storage[value.$storage](value.args);
	if ("$file" in value) return datachain.storage.toJobFile(revive(value.$file));
	return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, revive(inner)]));
};
const made = {};
const outputOf = (path) => {
	const [resource, output] = path.split(".");
	return output === undefined ? made[resource] : made[resource][output];
};
const options = ({ parent, provider, deletedWith, dependsOn = [], ...opts }) => ({
	...opts,
	deletedWith: made[deletedWith],
	parent: made[parent],
	provider: made[provider],
	dependsOn: dependsOn.map((name) => made[name]),
});
for (const { kind, name, args, opts } of require("./declared.json")) {
	made[name] = kind === "Component"
		? new pulumi.ComponentResource(args.type, name)
		: new datachain[kind](name, revive(args), options(opts ?? {}));
}
`;

export type TestDeployment = Awaited<ReturnType<typeof testDeployment>>;

export interface DeploymentOptions extends ServerOptions {
	readonly env?: NodeJS.ProcessEnv;
	readonly program?: string;
	readonly stackName?: string;
	/** A server that other stacks share, in place of one of its own. */
	readonly shared?: LocalServer;
}

/** A local server, a client that plays "someone else", and a stack whose program the test rewrites as it goes. */
export async function testDeployment(options: DeploymentOptions = {}) {
	const { env, program, stackName, shared, ...serverOptions } = options;
	const server = shared ?? (await startServer({ faults: true, ...serverOptions }));
	const folder = temporaryProject("lifecycle", program ?? PROGRAM);
	let output = "";
	const stack = await createStack({
		projectDir: folder.path,
		engine: await testEngine(),
		stackName,
		env: { ...server.environment, ...env },
		onOutput: (chunk) => {
			output += chunk;
		},
	});
	const client = createClient(resolveConnection({ env: server.environment }));
	const must = async (what: string, running: Promise<Result>): Promise<Result> => {
		const result = await running;
		succeeded(what, result);
		return result;
	};
	return {
		server,
		client,
		stack,
		folder: folder.path,
		/** Everything any command has printed so far. */
		printed: () => output,
		declare: (...resources: Declared[]) =>
			writeFileSync(
				join(folder.path, "declared.json"),
				JSON.stringify(resources, undefined, 1),
			),
		/** `pulumi up` that must succeed. */
		up: (args: readonly string[] = []) =>
			must("pulumi up", stack.up(["--skip-preview", ...args])),
		/** `pulumi preview` that must succeed; what it printed. With `--diff` notices go to the standard error. */
		async preview(args: readonly string[] = []) {
			const { stdout, stderr } = await must("pulumi preview", stack.preview(args));
			return stdout + stderr;
		},
		/** `pulumi up` that must fail; what it printed. */
		async refused() {
			const result = await stack.up(["--skip-preview"]);
			if (result.code === 0) throw new Error(`pulumi up succeeded:\n${result.stdout}`);
			return result.stdout + result.stderr;
		},
		/** Runs the work with these variables in the environment of every command. */
		async withEnv<T>(added: NodeJS.ProcessEnv, work: () => Promise<T>): Promise<T> {
			const before = Object.keys(added).map((name) => [name, stack.env[name]] as const);
			Object.assign(stack.env, added);
			try {
				return await work();
			} finally {
				for (const [name, value] of before) {
					if (value === undefined) delete stack.env[name];
					else stack.env[name] = value;
				}
			}
		},
		/** Fails where a refresh and an up right now would change anything. */
		async expectSettled() {
			const args = ["--skip-preview", "--refresh", "--expect-no-changes"];
			await must("a second pulumi up", stack.up(args));
		},
		/** The schedules of this name on the service. */
		named: async (name: string) =>
			(await client.schedules.list()).filter(
				({ schedule_name }) => schedule_name === name,
			),
		async resource(name: string) {
			const found = managedResources(stack.checkpoint()).find(({ urn }) =>
				urn.endsWith(`::${name}`),
			);
			if (found === undefined) throw new Error(`no resource "${name}" in the state`);
			return found;
		},
		/** As if everything in the state was made long ago: a read that misses something young waits for it. */
		makeOld() {
			const state = readFileSync(stack.checkpointFile, "utf8");
			writeFileSync(
				stack.checkpointFile,
				state.replaceAll(/(?<key>"__made": ?)\d+/g, "$<key>0"),
			);
		},
		async dispose() {
			await client.close();
			stack.dispose();
			folder.remove();
			if (shared === undefined) await server.close();
		},
	};
}
