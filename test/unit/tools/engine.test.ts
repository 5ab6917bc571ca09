import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { EngineUnavailableError, ensureEngine } from "../../../tools/engine";
import { testFolder } from "../../helpers/test-folder";

/** The engine on a machine without a network and without Go, whose `pulumi` answers with a version, if it has one. */
async function engineBeside(version?: string): Promise<unknown> {
	const folder = testFolder("engine-test-");
	const programs = version === undefined ? [] : ["pulumi", "pulumi-language-nodejs"];
	for (const name of programs)
		writeFileSync(join(folder, name), `#!/bin/sh\necho ${version}\n`, { mode: 0o755 });
	const env = { PATH: folder, PULUMI_DATACHAIN_CACHE: join(folder, "cache"), HOME: folder };
	const install = () => Promise.reject(new Error("get.pulumi.com cannot be reached (ENOTFOUND)"));
	return ensureEngine({ env, install, say: () => {} }).catch((error: unknown) => error);
}

test.skipIf(process.platform === "win32")("a CLI on PATH is taken if it is new enough", async () => {
	expect(await engineBeside("v3.300.1")).toMatchObject({ version: "3.300.1", source: "PATH" });
	expect(String(await engineBeside("v3.99.0"))).toContain(
		"is version 3.99.0, and 3.216.0 or newer is needed",
	);
});

test("where no engine can be had, one paragraph says what was tried, why it failed and what to install", async () => {
	const failure = await engineBeside();
	expect(failure).toBeInstanceOf(EngineUnavailableError);
	const { message } = failure as EngineUnavailableError;
	expect(message).not.toContain("\n");
	expect(message).toContain("a Pulumi CLI on PATH (no `pulumi` found)");
	expect(message).toContain("PulumiCommand.install() of @pulumi/pulumi (get.pulumi.com cannot be reached");
	expect(message).toContain("a build with Go (no `go` found on PATH)");
	expect(message).toContain("Install the Pulumi CLI 3.216.0 or newer");
});
