import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { EngineUnavailableError, ensureEngine, type Install } from "../../../tools/engine";
import { engineVersion } from "../../../tools/engine/build";
import { testFolder } from "../../helpers/test-folder";

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
	let folder: string;
	let env: NodeJS.ProcessEnv;
	let cache: string;
	const onPath = () => join(folder, "bin");
	const key = `${engineVersion}-${process.platform}-${process.arch}`;

	beforeEach(() => {
		folder = testFolder("engine-test-");
		cache = join(folder, "cache");
		env = { PATH: onPath(), PULUMI_DATACHAIN_CACHE: cache, HOME: folder };
	});

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
