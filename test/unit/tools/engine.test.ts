import {
	chmodSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	utimesSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { EngineUnavailableError, ensureEngine } from "../../../tools/engine";
import type { Install } from "../../../tools/engine/install";
import { engineVersion } from "../../../tools/engine/versions";
import { isAlive } from "../../../tools/process/kill-tree";
import { start } from "../../../tools/process/run";
import { type TempFolder, tempFolder } from "../../../tools/process/temp-folder";

const offline: Install = async () => {
	throw new Error("get.pulumi.com cannot be reached (ENOTFOUND)");
};
const installs =
	(version: string): Install =>
	async (root) => {
		writeFakeCli(join(root, "bin"), version);
	};
const mustNotInstall: Install = async () => {
	throw new Error("the installer must not be asked");
};

describe.skipIf(process.platform === "win32")("the engine", () => {
	let folder: TempFolder;
	let env: NodeJS.ProcessEnv;
	let cache: string;
	const onPath = () => join(folder.path, "bin");
	const key = `${engineVersion}-${process.platform}-${process.arch}`;

	beforeEach(() => {
		folder = tempFolder("engine-test-");
		cache = join(folder.path, "cache");
		env = { PATH: onPath(), PULUMI_DATACHAIN_CACHE: cache, HOME: folder.path };
	});
	afterEach(() => folder.remove());

	const startChild = () =>
		start(
			process.execPath,
			["-r", "ts-node/register/transpile-only", join(__dirname, "..", "..", "helpers", "engine-child.ts")],
			{ env, timeoutMs: 20_000 },
		);
	let said: string[];
	const ensure = (install: Install) => {
		said = [];
		return ensureEngine({ env, install, say: (line) => said.push(line) });
	};

	test.each([
		["v3.300.1", "3.300.1"],
		["v3.216.0-dev+dirty", "3.216.0"],
	])("a new enough CLI on PATH is taken before anything else: %s", async (says, version) => {
		const command = writeFakeCli(onPath(), says);
		const engine = await ensure(mustNotInstall);
		expect(engine).toMatchObject({ command, binDir: onPath(), version, source: "PATH" });
		expect(existsSync(cache)).toBe(false);
		expect(engine.env({ PATH: "/x", KEEP: "1" })).toEqual({ PATH: `${onPath()}:/x`, KEEP: "1" });
	});

	test("an old CLI on PATH is passed over with a note, and the SDK's installer comes next", async () => {
		writeFakeCli(onPath(), "v3.99.0");
		const engine = await ensure(installs(`v${engineVersion}`));
		expect(engine.source).toBe("installed");
		expect(engine.binDir).toBe(join(cache, "engine", key, "bin"));
		expect(said.join("\n")).toContain("is version 3.99.0, and 3.216.0 or newer is needed");
	});

	test("where nothing works, one paragraph says what was tried, why it failed and what to install", async () => {
		const failure = await ensure(offline).catch((error: unknown) => error);
		expect(failure).toBeInstanceOf(EngineUnavailableError);
		const { message } = failure as EngineUnavailableError;
		expect(message).not.toContain("\n");
		expect(message).toContain("a Pulumi CLI on PATH (no `pulumi` found)");
		expect(message).toContain("PulumiCommand.install() of @pulumi/pulumi (get.pulumi.com cannot be reached");
		expect(message).toContain("a build with Go (no `go` found on PATH)");
		expect(message).toContain("Install the Pulumi CLI 3.216.0 or newer");
	});

	test("two processes that need the engine build it once, and the second says that it waits", async () => {
		const log = join(folder.path, "builds");
		writeFakeGo(onPath(), { version: `v${engineVersion}`, log, seconds: 2 });
		const results = await Promise.all([startChild().finished, startChild().finished]);
		expect(results.map(({ stdout }) => stdout.trim())).toEqual(["built", "built"]);
		// The CLI and the language host: two builds in all, not four.
		expect(readFileSync(log, "utf8").trim().split("\n")).toHaveLength(2);
		const errors = results.map(({ stderr }) => stderr).join("");
		expect(errors.match(/Waiting for process \d+/g)).toHaveLength(1);
	});

	test("Ctrl-C during the build leaves neither an engine, a lock, nor a running compiler", async () => {
		const log = join(folder.path, "builds");
		writeFakeGo(onPath(), { version: `v${engineVersion}`, log, seconds: 3 });
		const child = startChild();
		await expect.poll(() => existsSync(log), { timeout: 15_000 }).toBe(true);
		const compiler = Number(readFileSync(`${log}.pid`, "utf8"));
		expect(isAlive(compiler)).toBe(true);
		child.interrupt();
		expect((await child.finished).code).toBe(130);
		await expect.poll(() => isAlive(compiler)).toBe(false);
		expect(readdirSync(join(cache, "engine"))).toEqual([]);
	});

	test("the lock of a dead process is taken over, and its half-made engine removed", async () => {
		const parent = join(cache, "engine");
		mkdirSync(join(parent, `.${key}-half`), { recursive: true });
		writeFileSync(join(parent, `${key}.lock`), "1 x");
		const aMinuteAgo = Date.now() / 1_000 - 60;
		utimesSync(join(parent, `${key}.lock`), aMinuteAgo, aMinuteAgo);
		expect((await ensure(installs(`v${engineVersion}`))).source).toBe("installed");
		expect(readdirSync(parent)).toEqual([key]);
	});
});

/** Writes a shell script that runs whatever PATH its caller has, and makes its folder. */
function writeScript(file: string, body: string): string {
	mkdirSync(join(file, ".."), { recursive: true });
	writeFileSync(file, `#!/bin/sh\nPATH=/usr/bin:/bin\n${body}\n`);
	chmodSync(file, 0o755);
	return file;
}

/** A folder with a `pulumi` that answers with this version, and a language host beside it. */
function writeFakeCli(folder: string, version: string): string {
	writeScript(join(folder, "pulumi-language-nodejs"), "exit 0");
	return writeScript(join(folder, "pulumi"), `[ "$1" = version ] && echo ${version}`);
}

/**
 * A `go` that acts the two commands of the build: it "compiles" a pulumi answering with `version`, counts its
 * builds in `log`, and takes `seconds` for each.
 */
function writeFakeGo(folder: string, options: { version: string; log: string; seconds?: number }): void {
	const modules = join(folder, "sdk");
	mkdirSync(join(modules, "nodejs", "dist"), { recursive: true });
	writeFileSync(join(modules, "nodejs", "dist", "pulumi-resource-pulumi-nodejs"), "#!/bin/sh\n");
	writeScript(
		join(folder, "go"),
		`
case "$1 $3" in
  "list -m") echo '${modules}' ;;
  build*)
    echo $$ > '${options.log}.pid'
    echo build >> '${options.log}'
    sleep ${options.seconds ?? 0}
    while [ "$1" != -o ]; do shift; done
    printf '#!/bin/sh\\necho ${options.version}\\n' > "$2"
    chmod +x "$2" ;;
esac`,
	);
}
