import { readdirSync } from "node:fs";
import { type Running, run, start } from "../../tools/process/run";
import { type TempFolder, tempFolder } from "../../tools/process/temp-folder";
import { repository, testEngine } from "./engine";

/** `npm start` without npm and its build, with a temporary folder of its own that shows what is left behind. */
export class NpmStart {
	private constructor(private readonly temporary: TempFolder) {}

	static async prepare(): Promise<NpmStart> {
		// Made beforehand, so that no test here is measured by the minutes of a first build.
		await testEngine();
		return new NpmStart(tempFolder("start-test-"));
	}

	start(args: readonly string[] = [], onOutput?: (chunk: string) => void): Running {
		const script = ["-r", "ts-node/register/transpile-only", "tools/start/main.ts", ...args];
		return start(process.execPath, script, {
			cwd: repository,
			// ts-node's own cache would be mistaken for something left behind.
			env: { ...process.env, TMPDIR: this.temporary.path, DISABLE_V8_COMPILE_CACHE: "1" },
			timeoutMs: 240_000,
			onOutput,
		});
	}

	/** What is left in the temporary folder. */
	files(): string[] {
		return readdirSync(this.temporary.path);
	}

	/** The processes that have our temporary folder in their environment; none are seen where there is no /proc. */
	async processes(): Promise<string[]> {
		const { stdout } = await run("sh", ["-c", `grep -lsaF '${this.temporary.path}' /proc/[0-9]*/environ`], {
			timeoutMs: 10_000,
		});
		return stdout.split("\n").filter((line) => line !== "");
	}

	remove(): void {
		this.temporary.remove();
	}
}
