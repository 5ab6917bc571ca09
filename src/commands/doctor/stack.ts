import {
	accessSync,
	constants,
	copyFileSync,
	existsSync,
	mkdtempSync,
	readFileSync,
	rmSync,
	statfsSync,
	statSync,
	writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { errorCode } from "../../client/errors";
import { PLUGIN_PACKAGE } from "../../schemas/kinds";
import { many } from "../../text/report";
import { messageOf } from "../../text/wording";
import { findProject } from "../project-file";
import { type Checks, fail, ok, skipAll, type Verdict, warn } from "./check";

interface StackInput {
	readonly cwd: string;
	readonly env: NodeJS.ProcessEnv;
	/** Undefined for the selected one. */
	readonly stack?: string | undefined;
	/** Runs the Pulumi CLI in the project. Fails with the CLI's reason alone. */
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
	const { cwd, env, stack, pulumi } = input;
	const end = (why: string, checked: Checks = {}): StackChecks => ({
		checks: { ...skipAll(["backend", "stack", "secrets"], why), ...checked },
		needsPlugin: false,
	});
	const project = findProject(cwd);
	if (project === undefined) return end("There is no Pulumi project in this folder.");
	const backend = await checkBackend(input);
	if (backend.status !== "ok") return end("Needs a backend first.", { backend });
	const homeProblem = checkHome(env);
	if (homeProblem !== undefined)
		return end("Needs a stack first.", { backend, stack: homeProblem });
	const on = stack === undefined ? [] : ["--stack", stack];
	let name: string;
	try {
		name = (await pulumi(["stack", "--show-name", ...on])).trim();
	} catch (error) {
		const notSelected = warn(
			`No stack could be found out, so none was read: ${messageOf(error)}`,
			"Run `pulumi stack select`, or name one with --stack.",
		);
		const unknown =
			stack === undefined ? notSelected : fail(messageOf(error), FIXES.stack);
		return end("Needs a stack first.", { backend, stack: unknown });
	}
	let state: z.infer<typeof stateSchema>;
	try {
		state = stateSchema.parse(
			JSON.parse(await pulumi(["stack", "export", "--show-secrets", ...on])),
		);
	} catch (error) {
		const why = reasonOf(
			error,
			"the Pulumi CLI did not print a state that can be read.",
		);
		const unread = fail(
			`The state of stack "${name}" cannot be read: ${why}`,
			FIXES.stack,
		);
		return end("Needs a stack first.", { backend, stack: unread });
	}
	const types = (state.deployment.resources ?? []).map(({ type }) => type);
	const read = ok(
		`The state of stack "${name}" can be read: ${many(types.length, "resource")}.`,
	);
	const secrets = await checkSecrets(pulumi, project, name, on);
	return {
		checks: { backend, stack: read, secrets },
		needsPlugin: types.some((type) => PLUGIN_TYPE.test(type)),
	};
}

const stateSchema = z.looseObject({
	deployment: z.looseObject({
		resources: z.array(z.looseObject({ type: z.string() })).nullish(),
	}),
});

const PLUGIN_TYPE = new RegExp(`^(?:pulumi:providers:)?${PLUGIN_PACKAGE}(?::|$)`);

const FIXES = {
	backend:
		"Run `pulumi login`, or set PULUMI_BACKEND_URL and the credentials that it needs.",
	folder:
		"Give the user who deploys write access to it, or set PULUMI_BACKEND_URL to another one.",
	disk: "Make room on the disk, or set PULUMI_BACKEND_URL to a folder on another one.",
	home: "Set PULUMI_HOME to a folder that this user may write to, or leave it out for .pulumi in the home folder.",
	temporary:
		"Make room in it, or set TMPDIR to a folder that this user may write to. The Pulumi CLI needs one too.",
	stack:
		"Check the stack's name with `pulumi stack ls`, and set what reads its secrets, such as PULUMI_CONFIG_PASSPHRASE.",
	secrets:
		"Set PULUMI_CONFIG_PASSPHRASE or PULUMI_CONFIG_PASSPHRASE_FILE to the stack's passphrase, or log in to its key service.",
} as const;

/** A parser's message would quote what was printed, which may be full of secrets. */
const reasonOf = (error: unknown, unreadable: string): string =>
	error instanceof SyntaxError || error instanceof z.ZodError
		? unreadable
		: messageOf(error);

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
		return fail(
			`The backend cannot be read: ${reasonOf(error, "the Pulumi CLI did not say where it is.")}`,
			FIXES.backend,
		);
	}
	const folder = folderOf(url);
	if (folder === undefined)
		return ok(`${url} can be read; only a deployment tells whether it can be written.`);
	const locked = ["", ".pulumi", ".pulumi/stacks", ".pulumi/locks", ".pulumi/history"]
		.map((part) => join(folder, part))
		.find((path) => existsSync(path) && !isWritableFolder(path));
	if (locked !== undefined)
		return fail(
			`A deployment writes to ${locked}, which is no folder that this user may write to.`,
			FIXES.folder,
		);
	const free = freeBytes(folder);
	if (free !== undefined && free < LEAST_FREE_BYTES)
		return fail(
			`A deployment writes its state to ${folder}, which is on a disk with ${Math.floor(free / 1024)} KiB free.`,
			FIXES.disk,
		);
	return ok(`${url} can be read and written.`);
}

/** A deployment writes the state, its backup and a history entry; even those of a small stack take some of this. */
const LEAST_FREE_BYTES = 1024 * 1024;

/** What this user may still write to the folder's disk; undefined if the system does not say. */
function freeBytes(folder: string): number | undefined {
	try {
		const { bsize, bavail, bfree } = statfsSync(folder);
		return bsize * (process.getuid?.() === 0 ? bfree : bavail);
	} catch {
		return undefined;
	}
}

/** Where the CLI keeps which stack is selected, and its plugins. If it cannot, it says that no stack is selected. */
function checkHome(env: NodeJS.ProcessEnv): Verdict | undefined {
	const home = env.PULUMI_HOME || join(env.HOME || homedir(), ".pulumi");
	const workspaces = join(home, "workspaces");
	const place = [workspaces, home].find((path) => existsSync(path));
	if (place === undefined || isWritableFolder(place)) return undefined;
	const why = statSync(place).isDirectory()
		? "cannot be written by this user"
		: "is not a folder";
	return fail(
		`Pulumi keeps the selected stack in ${workspaces}, and ${place} ${why}.`,
		FIXES.home,
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
	let folder: string | undefined;
	try {
		folder = mkdtempSync(join(tmpdir(), "pulumi-datachain-"));
		const copy = join(folder, "Pulumi.stack.yaml");
		const own = configFile(project, stack);
		if (existsSync(own)) copyFileSync(own, copy);
		// A disk that is full takes a new folder, but not what the CLI is about to write into it.
		writeFileSync(join(folder, "room"), "x".repeat(ROOM_BYTES));
		await pulumi([
			"config",
			"set",
			"--secret",
			"--config-file",
			copy,
			"probe",
			"x",
			...on,
		]);
		return ok("The stack's secrets can be encrypted and decrypted.");
	} catch (error) {
		if (error instanceof Error && "syscall" in error)
			return fail(
				`The temporary folder ${tmpdir()} cannot be written (${errorCode(error)}), so the secrets were not tried.`,
				FIXES.temporary,
			);
		return fail(
			`The stack's secrets cannot be decrypted: ${messageOf(error)}`,
			FIXES.secrets,
		);
	} finally {
		if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
	}
}

const ROOM_BYTES = 64 * 1024;

/** The stack's configuration: beside the project, or in the folder that it names. */
function configFile(project: string, stack: string): string {
	const [, named] =
		/^["']?stackConfigDir["']?:[ \t]*["']?([^"'#\r\n]+)/m.exec(
			readFileSync(project, "utf8"),
		) ?? [];
	return join(dirname(project), named?.trim() ?? "", `Pulumi.${basename(stack)}.yaml`);
}
