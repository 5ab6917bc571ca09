import { expect, test } from "vitest";
import { PluginProcess } from "../../helpers/plugin-process";

// The plugin's start is a script of Unix.
test.skipIf(process.platform === "win32")(
	"a plugin that dies at its start is told at once, with what it said",
	async () => {
		const start = PluginProcess.start({}, "--require=./there-is-no-such-module");
		await expect(start).rejects.toThrow(/ended with \d+ before it was ready:[\s\S]*there-is-no-such-module/);
	},
);
