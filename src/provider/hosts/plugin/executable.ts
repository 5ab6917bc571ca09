import { isBuiltin } from "node:module";
import { basename, dirname } from "node:path";
import { getAsset } from "node:sea";
import { compileFunction } from "node:vm";

/** Modules of the executable, by the name of their asset; each is compiled when something first asks for it. */
const loaded = new Map<string, { exports: unknown }>();

/** In place of `require`, which inside an executable loads built-in modules only, and warns about others. */
function load(request: string): unknown {
	if (isBuiltin(request)) return require(request);
	// Optional packages are looked for, and are not there.
	if (!request.startsWith("./"))
		throw Object.assign(new Error(`Cannot find module '${request}'`), {
			code: "MODULE_NOT_FOUND",
		});
	const name = request.slice("./".length).replace(/^[\w-]+$/, "$&.js");
	const cached = loaded.get(name);
	if (cached !== undefined) return cached.exports;
	const module = { exports: {} };
	loaded.set(name, module);
	const text = getAsset(name, "utf8");
	if (name.endsWith(".json")) module.exports = JSON.parse(text);
	else {
		const run = compileFunction(text, ["exports", "require", "module", "__dirname"], {
			filename: name,
		});
		run(module.exports, load, module, dirname(process.execPath));
	}
	return module.exports;
}

/** The engine starts it under the plugin's name, with flags and an address; a command is a word. */
function isCommandLine([first = ""]: readonly string[]): boolean {
	const name = basename(process.argv0).replace(/\.exe$/i, "");
	return name === "pulumi-datachain" || /^[a-z][a-z-]*$/.test(first);
}

load(isCommandLine(process.argv.slice(2)) ? "./cli.js" : "./main.js");
