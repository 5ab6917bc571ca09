import { dirname } from "node:path";
import { renderStorage, type StorageConfig } from "../../src/schemas/storage";
import { type Result, run } from "../../tools/process/run";
import { tempFolder } from "../../tools/process/temp-folder";
import { storagePython } from "./storage-python";

/** Whether a suite must be skipped for want of Python; says so aloud, and is an error under CI=true. */
export function storagePythonMissing(what: string): boolean {
	const problem = storagePython.problem();
	if (problem === undefined) return false;
	if (process.env.CI === "true") throw new Error(`The real Python filesystems are needed: ${problem}.`);
	process.stderr.write(`\nSKIPPED: ${what}, with the real Python filesystems. ${problem}.\n\n`);
	return true;
}

/** Runs a script with that Python and the given environment, and nothing of ours beside it. */
export function runStoragePython(
	python: string,
	script: string,
	env: Readonly<Record<string, string>>,
	args: readonly string[] = [],
): Promise<Result> {
	// A home of its own: no credentials, tokens or fsspec settings of whoever runs the tests.
	const home = tempFolder("storage-home-");
	const clean = {
		HOME: home.path,
		PATH: dirname(python),
		PYTHONDONTWRITEBYTECODE: "1",
		// Keeps google-auth and botocore from asking a metadata server that is not there.
		NO_GCE_CHECK: "true",
		AWS_EC2_METADATA_DISABLED: "true",
		...(process.platform === "win32" && { SYSTEMROOT: process.env.SYSTEMROOT }),
		...env,
	};
	const options = { env: clean, cwd: home.path, timeoutMs: 120_000 };
	return run(python, ["-c", script, ...args], options).finally(home.remove);
}

/** Runs a script that prints one JSON value, and returns it. */
export async function askStoragePython<T>(
	python: string,
	script: string,
	env: Readonly<Record<string, string>>,
	args?: readonly string[],
): Promise<T> {
	const { code, stdout, stderr } = await runStoragePython(python, script, env, args);
	if (code !== 0) throw new Error(`Python ended with ${code}:\n${stderr.slice(-4_000)}`);
	return JSON.parse(stdout) as T;
}

/** The environment that carries the given configs. */
export const variables = (...configs: StorageConfig[]): Record<string, string> =>
	Object.fromEntries(
		configs.flatMap((config) => {
			const rendered = renderStorage(config);
			return rendered ? [[rendered.name, rendered.value]] : [];
		}),
	);
