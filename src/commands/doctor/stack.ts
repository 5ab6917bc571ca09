import {
	accessSync,
	constants,
	copyFileSync,
	existsSync,
	mkdtempSync,
	readFileSync,
	rmSync,
	statSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { many } from "../report/report";
import { PLUGIN_PACKAGE } from "../schemas/kinds";
import { messageOf } from "../schemas/wording";
import { type Checks, fail, findProject, ok, skipAll, type Verdict, warn } from "./doctor-check";

interface StackInput {
	readonly cwd: string;
	readonly env: NodeJS.ProcessEnv;
	/** Undefined for the selected one. */
	readonly stack?: string | undefined;
	/** Runs the Pulumi CLI in the project. */
	readonly pulumi: (args: readonly string[]) => Promise<string>;
}

interface StackChecks {
	readonly checks: Checks;
	/** The state has resources or an explicit provider that only the plugin serves. */
	readonly needsPlugin: boolean;
}

/**
 * Reads the stack as a deployment does: its backend, its state, its secrets. Nothing of the user's is changed: what has to
 * be written to find out, a configuration with one more secret, is a copy in a temporary folder.
 */
export async function checkStack(input: StackInput): Promise<StackChecks> {
	const { cwd, stack, pulumi } = input;
	const end = (why: string, found: Checks = {}): StackChecks => ({
		checks: { ...skipAll(["backend", "stack", "secrets"], why), ...found },
		needsPlugin: false,
	});
	const project = findProject(cwd);
	if (project === undefined) return end("There is no Pulumi project in this folder.");
	const backend = await checkBackend(input);
	if (backend.status !== "ok") return end("Needs a backend first.", { backend });
	const on = stack === undefined ? [] : ["--stack", stack];
	let name: string;
	try {
		name = (await pulumi(["stack", "--show-name", ...on])).trim();
	} catch (error) {
		const notSelected = warn(
			"No stack is selected, so none was read.",
			"Run `pulumi stack select`, or name one with --stack.",
		);
		const unknown = stack === undefined ? notSelected : fail(messageOf(error), FIXES.stack);
		return end("Needs a stack first.", { backend, stack: unknown });
	}
	let state: z.infer<typeof stateSchema>;
	try {
		state = stateSchema.parse(JSON.parse(await pulumi(["stack", "export", "--show-secrets", ...on])));
	} catch (error) {
		const why = reasonOf(error, "The Pulumi CLI did not print a state that can be read.");
		return end("Needs a stack first.", { backend, stack: fail(why, FIXES.stack) });
	}
	const types = (state.deployment.resources ?? []).map(({ type }) => type);
	const read = ok(`The state of stack "${name}" can be read: ${many(types.length, "resource")}.`);
	const secrets = await checkSecrets(pulumi, project, name, on);
	return {
		checks: { backend, stack: read, secrets },
		needsPlugin: types.some((type) => PLUGIN_TYPE.test(type)),
	};
}

const stateSchema = z.looseObject({
	deployment: z.looseObject({ resources: z.array(z.looseObject({ type: z.string() })).nullish() }),
});

const PLUGIN_TYPE = new RegExp(`^(?:pulumi:providers:)?${PLUGIN_PACKAGE}(?::|$)`);

const FIXES = {
	backend: "Run `pulumi login`, or set PULUMI_BACKEND_URL and the credentials that it needs.",
	folder: "Give the user who deploys write access to it, or set PULUMI_BACKEND_URL to another one.",
	stack:
		"Check the stack's name with `pulumi stack ls`, and set what reads its secrets, such as PULUMI_CONFIG_PASSPHRASE.",
	secrets:
		"Set PULUMI_CONFIG_PASSPHRASE or PULUMI_CONFIG_PASSPHRASE_FILE to the stack's passphrase, or log in to its key service.",
} as const;

/** A parser's message would quote what was printed, which may be full of secrets. */
const reasonOf = (error: unknown, unreadable: string): string =>
	error instanceof SyntaxError || error instanceof z.ZodError ? unreadable : messageOf(error);

const whoSchema = z.looseObject({ url: z.string() });

async function checkBackend({ env, pulumi }: StackInput): Promise<Verdict> {
	const given = folderOf(env.PULUMI_BACKEND_URL);
	// The CLI would begin a backend in an empty folder.
	if (given !== undefined && existsSync(given) && !existsSync(join(given, ".pulumi")))
		return warn(`The folder ${given} has no stacks yet.`, "Run `pulumi stack init`.");
	let url: string;
	try {
		({ url } = whoSchema.parse(JSON.parse(await pulumi(["whoami", "--json"]))));
	} catch (error) {
		return fail(reasonOf(error, "It cannot be told."), FIXES.backend);
	}
	const folder = folderOf(url);
	if (folder === undefined)
		return ok(`${url} can be read; only a deployment tells whether it can be written.`);
	const locked = ["", ".pulumi", ".pulumi/stacks", ".pulumi/locks", ".pulumi/history"]
		.map((part) => join(folder, part))
		.find((path) => existsSync(path) && !isWritableFolder(path));
	if (locked === undefined) return ok(`${url} can be read and written.`);
	return fail(
		`A deployment writes to ${locked}, which is no folder that this user may write to.`,
		FIXES.folder,
	);
}

/** The folder of a backend in the file system; undefined for any other. */
function folderOf(url: string | undefined): string | undefined {
	if (url === undefined || !url.startsWith("file://")) return undefined;
	const [path = ""] = url.slice("file://".length).split("?");
	if (path.startsWith("~")) return join(homedir(), path.slice(1));
	return path.startsWith("/") ? fileURLToPath(`file://${path}`) : resolve(path);
}

function isWritableFolder(path: string): boolean {
	try {
		accessSync(path, constants.W_OK | constants.X_OK);
		return statSync(path).isDirectory();
	} catch {
		return false;
	}
}

/** Encrypts a value with the stack's own configuration: only that tells a wrong passphrase if the state has no secrets. */
async function checkSecrets(
	pulumi: StackInput["pulumi"],
	project: string,
	stack: string,
	on: readonly string[],
): Promise<Verdict> {
	const folder = mkdtempSync(join(tmpdir(), "pulumi-datachain-"));
	try {
		const copy = join(folder, "Pulumi.stack.yaml");
		const own = configFile(project, stack);
		if (existsSync(own)) copyFileSync(own, copy);
		await pulumi(["config", "set", "--secret", "--config-file", copy, "probe", "x", ...on]);
		return ok("The stack's secrets can be encrypted and decrypted.");
	} catch (error) {
		return fail(messageOf(error), FIXES.secrets);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

/** The stack's configuration: beside the project, or in the folder that it names. */
function configFile(project: string, stack: string): string {
	const [, named] =
		/^["']?stackConfigDir["']?:[ \t]*["']?([^"'#\r\n]+)/m.exec(readFileSync(project, "utf8")) ?? [];
	return join(dirname(project), named?.trim() ?? "", `Pulumi.${basename(stack)}.yaml`);
}
