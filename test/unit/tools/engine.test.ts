import { join } from "node:path";
import { expect, test } from "vitest";
import { EngineUnavailableError, ensureEngine } from "../../../tools/engine";
import { testFolder } from "../../helpers/test-folder";

test("where no engine can be had, one paragraph says what was tried, why it failed and what to install", async () => {
	const folder = testFolder("engine-test-");
	const env = { PATH: folder, PULUMI_DATACHAIN_CACHE: join(folder, "cache"), HOME: folder };
	const install = () => Promise.reject(new Error("get.pulumi.com cannot be reached (ENOTFOUND)"));
	const failure = await ensureEngine({ env, install, say: () => {} }).catch((error: unknown) => error);
	expect(failure).toBeInstanceOf(EngineUnavailableError);
	const { message } = failure as EngineUnavailableError;
	expect(message).not.toContain("\n");
	expect(message).toContain("a Pulumi CLI on PATH (no `pulumi` found)");
	expect(message).toContain("PulumiCommand.install() of @pulumi/pulumi (get.pulumi.com cannot be reached");
	expect(message).toContain("a build with Go (no `go` found on PATH)");
	expect(message).toContain("Install the Pulumi CLI 3.216.0 or newer");
});
