import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { otherVersion } from "../../../src/provider/hosts/plugin/other-version";
import { tempFolder } from "../../../tools/process/temp-folder";

const { path: folder } = tempFolder("other-version-");

function environment(): string {
	mkdirSync(join(folder, "venv", "bin"), { recursive: true });
	writeFileSync(join(folder, "venv", "pyvenv.cfg"), "");
	return join(folder, "venv", "bin", "pulumi-resource-datachain");
}

const INSTALL = `pulumi plugin install resource datachain 0.3.0 --server github://api.github.com/pulumi-datachain/pulumi-datachain`;

it.each([
	[
		"from npm",
		join(folder, "node_modules", "pulumi-datachain"),
		'Run "npm install pulumi-datachain@0.3.0".',
	],
	[
		"from a wheel",
		environment(),
		'Run "pip install pulumi-datachain==0.3.0" in that environment.',
	],
	[
		"that Pulumi installed",
		join(folder, "plugins", "resource-datachain-v0.2.0", "pulumi-resource-datachain"),
		`Run "${INSTALL}".`,
	],
	[
		"on the PATH",
		join(folder, "bin", "x"),
		`Run "${INSTALL}". Then remove the other one from the PATH.`,
	],
])(
	"a plugin %s of another version than the program's names the command that fixes it",
	(_, place, fix) => {
		expect(otherVersion("0.3.0", "0.2.0", place)).toBe(
			`The program uses version 0.3.0 of pulumi-datachain, and the plugin at ${place} has version 0.2.0. ${fix}`,
		);
	},
);

it("says nothing of the program's own version, or if the program names none", () => {
	expect(otherVersion("0.2.0", "0.2.0")).toBeUndefined();
	expect(otherVersion(undefined, "0.2.0")).toBeUndefined();
});
