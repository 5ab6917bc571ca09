import { mkdirSync, realpathSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { errorCode } from "../../src/client/errors";
import { isAtLeast, OLDEST_CLI } from "../../src/commands/doctor/check";
import { run } from "../process/run";
import { buildWithGo, engineVersion } from "./build";
import { keep } from "./cache";
import { executable, findIn, pathFolders, withPath } from "./environment";

export { cacheRoot } from "./cache";

type EngineSource = "PATH" | "cache" | "installed" | "built";

/** A Pulumi CLI that has answered, with its language host beside it or on PATH. */
export interface Engine {
	/** Path of the `pulumi` program. */
	readonly command: string;
	readonly binDir: string;
	readonly version: string;
	readonly source: EngineSource;
	/** The environment with the engine's folder first on PATH. */
	env(base: NodeJS.ProcessEnv): NodeJS.ProcessEnv;
}

export function engineAt(
	command: string,
	version: string,
	source: EngineSource,
): Engine {
	const binDir = dirname(command);
	return { command, binDir, version, source, env: (base) => withPath(base, binDir) };
}

interface Attempt {
	readonly what: string;
	readonly problem: string;
}

/** No engine could be found or made; the message says what was tried and what to install. */
export class EngineUnavailableError extends Error {
	override readonly name = "EngineUnavailableError";

	constructor(readonly attempts: readonly Attempt[]) {
		const tried = attempts
			.map(({ what, problem }) => `${what} (${problem})`)
			.join("; ");
		super(
			`No Pulumi engine could be found or made. Tried: ${tried}. ` +
				`Install the Pulumi CLI ${OLDEST_CLI} or newer (https://www.pulumi.com/docs/install/) so that ` +
				"`pulumi version` answers, or Go 1.25 or newer (https://go.dev/dl/) to have it built, and run this again.",
		);
	}
}

export interface EngineOptions {
	readonly env?: NodeJS.ProcessEnv | undefined;
	/** Tells the person who waits. */
	readonly say?: ((line: string) => void) | undefined;
	/** Stands in for PulumiCommand.install(), which needs the network. */
	readonly install?: Install | undefined;
}

/**
 * Finds the Pulumi CLI, or makes one: a CLI on PATH; else the one made earlier; else the SDK's own
 * PulumiCommand.install(); else, where Go is present, a build from pinned sources.
 * Throws EngineUnavailableError where nothing works.
 */
export async function ensureEngine({
	env = process.env,
	say = console.error,
	install = installWithSdk,
}: EngineOptions = {}): Promise<Engine> {
	const own = await engineOnPath(env);
	if ("command" in own) return own;
	if (own.found) say(`The Pulumi CLI on PATH is passed over: ${own.problem}.`);
	const attempts = [{ what: "a Pulumi CLI on PATH", problem: own.problem }];
	const ways = [
		{
			source: "installed",
			what: "PulumiCommand.install() of @pulumi/pulumi",
			make: (root: string) => install(root, env),
		},
		{
			source: "built",
			what: "a build with Go",
			make: (root: string) => buildWithGo(root, { env, say }),
		},
	] as const;
	let source: EngineSource = "cache";
	const make = async (root: string): Promise<void> => {
		for (const way of ways) {
			try {
				await way.make(root);
				const problem = await problemIn(root, env);
				if (problem !== undefined) throw new Error(problem);
				({ source } = way);
				say(
					`The Pulumi engine ${engineVersion} is ready (${source}), and kept for later runs.`,
				);
				return;
			} catch (error) {
				attempts.push({
					what: way.what,
					problem: error instanceof Error ? error.message : String(error),
				});
				rmSync(root, { recursive: true, force: true });
				mkdirSync(root);
			}
		}
		throw new EngineUnavailableError(attempts);
	};
	const folder = await keep({
		shelf: "engine",
		key: `${engineVersion}-${process.platform}-${process.arch}`,
		title: "the Pulumi engine",
		isComplete: async (place) => (await problemIn(place, env)) === undefined,
		make,
		say,
		env,
	});
	return engineAt(programIn(folder), engineVersion, source);
}

/** The user's own CLI, or why it will not do. */
async function engineOnPath(
	env: NodeJS.ProcessEnv,
): Promise<Engine | { problem: string; found: boolean }> {
	const folders = pathFolders(env);
	const command = findIn(folders, "pulumi");
	if (command === undefined) return { problem: "no `pulumi` found", found: false };
	const answer = await askVersion(command, env);
	if ("problem" in answer)
		return { problem: `${command}: ${answer.problem}`, found: true };
	if (!isAtLeast(answer.version, OLDEST_CLI)) {
		return {
			problem: `${command} is version ${answer.version}, and ${OLDEST_CLI} or newer is needed`,
			found: true,
		};
	}
	const beside = [dirname(command), dirname(realpathSync(command))];
	if (findIn([...beside, ...folders], "pulumi-language-nodejs") === undefined) {
		return {
			problem: `${command} comes without its language host pulumi-language-nodejs`,
			found: true,
		};
	}
	return engineAt(command, answer.version, "PATH");
}

const programIn = (folder: string): string => join(folder, "bin", executable("pulumi"));

/** Why the folder has no engine of ours that runs; undefined if it has one. */
async function problemIn(
	folder: string,
	env: NodeJS.ProcessEnv,
): Promise<string | undefined> {
	const answer = await askVersion(programIn(folder), env);
	if ("problem" in answer) return answer.problem;
	if (answer.version === engineVersion) return undefined;
	return `it answers with version ${answer.version}, not ${engineVersion}`;
}

/** Asks a CLI for its version: the one proof that it runs on this machine. */
async function askVersion(
	command: string,
	env: NodeJS.ProcessEnv,
): Promise<{ version: string } | { problem: string }> {
	const result = await run(command, ["version"], {
		env: { ...env, PULUMI_SKIP_UPDATE_CHECK: "true" },
		timeoutMs: 20_000,
	});
	const version = parseVersion(result.stdout);
	if (result.code === 0 && version !== undefined) return { version };
	if (result.timedOut)
		return { problem: "`pulumi version` did not answer within 20 s" };
	return { problem: `\`pulumi version\` failed with exit code ${result.code}` };
}

/** `v3.259.0-dev.1+x` → `3.259.0`; undefined where the text is no version. */
function parseVersion(text: string): string | undefined {
	return /^v?(\d+\.\d+\.\d+)/m.exec(text.trim())?.[1];
}

// ── Pulumi's own installer ──

/** Puts a CLI into `<root>/bin`, or throws with the reason. */
type Install = (root: string, env: NodeJS.ProcessEnv) => Promise<void>;

const installHost = "get.pulumi.com";
const probeMs = 3_000;
const installMs = 240_000;

/**
 * The SDK's own PulumiCommand.install(). It runs in a process of its own because it can neither be cancelled
 * nor kept from waiting for ever, and only after its host has answered, so that being offline costs little.
 */
const installWithSdk: Install = async (root, env) => {
	await probe();
	const script = `
		const { createRequire } = require("node:module");
		const { PulumiCommand } = require("@pulumi/pulumi/automation");
		const { SemVer } = createRequire(require.resolve("@pulumi/pulumi"))("semver");
		PulumiCommand.install({ root: process.argv[1], version: new SemVer(process.argv[2]) }).catch((error) => {
			console.error(String(error && error.message).split("\\n").find((line) => line.trim() !== ""));
			process.exit(1);
		});`;
	const result = await run(process.execPath, ["-e", script, root, engineVersion], {
		cwd: join(__dirname, "..", ".."),
		env,
		timeoutMs: installMs,
	});
	if (result.timedOut) throw new Error(`not done after ${installMs / 1000} s`);
	if (result.code !== 0)
		throw new Error(lastLine(result.stderr) ?? `exit code ${result.code}`);
};

async function probe(): Promise<void> {
	const signal = AbortSignal.timeout(probeMs);
	await fetch(`https://${installHost}`, { method: "HEAD", signal }).catch(
		(error: Error) => {
			const why = signal.aborted
				? `no answer within ${probeMs / 1000} s`
				: errorCode(error.cause, error.message);
			throw new Error(`${installHost} cannot be reached (${why})`);
		},
	);
}

function lastLine(text: string): string | undefined {
	return text.trim().split("\n").at(-1)?.slice(0, 300) || undefined;
}
