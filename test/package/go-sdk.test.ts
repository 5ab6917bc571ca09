import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { findIn, pathFolders } from "../../tools/engine/environment";
import { engineVersion } from "../../tools/engine/versions";
import { run } from "../../tools/process/run";
import { tempFolder } from "../../tools/process/temp-folder";
import { generateSdk } from "../../tools/python/wheel";

/** Not published; it must compile, so that the schema stays fit for a typed language. */
it.skipIf(findIn(pathFolders(process.env), "go") === undefined)("the SDK for Go compiles", async () => {
	const folder = tempFolder("pulumi-datachain-go-");
	try {
		await generateSdk("go", folder.path);
		const module = join(folder.path, "datachain");
		expect(existsSync(join(module, "pipelineSchedule.go"))).toBe(true);
		writeFileSync(
			join(folder.path, "go.mod"),
			`module pulumi-datachain/sdk/go\n\ngo 1.25\n\nrequire github.com/pulumi/pulumi/sdk/v3 v${engineVersion}\n`,
		);
		const env = { ...process.env, GOWORK: "off", GOFLAGS: "-mod=mod -buildvcs=false" };
		for (const args of [
			["mod", "tidy"],
			["build", "-trimpath", "./..."],
		]) {
			const result = await run("go", args, { cwd: folder.path, env, timeoutMs: 280_000 });
			expect(result.code, result.stderr).toBe(0);
		}
	} finally {
		folder.remove();
	}
});
