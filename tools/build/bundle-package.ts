import {
	chmodSync,
	copyFileSync,
	mkdirSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { ModuleKind, ScriptTarget, transpileModule } from "typescript";
import { repository } from "../repository";
import { bundle, bundleLater, laterIn, sources } from "./bundle";
import { plugin } from "./bundle-plugin";
import { compiled, type Modules, publicTypes, sortModules } from "./modules";

export const dist = join(repository, "dist");

/** The libraries of the package, which lie beside the provider. */
const LIBRARIES: Readonly<Record<string, string>> = {
	...laterIn(join(dist, "provider")),
	zod: join(dist, "provider", "zod.js"),
};

/** Makes the package's modules of what the compiler wrote: every module of ours once, and every library once. */
export async function bundlePackage(): Promise<void> {
	// A file of a module that is gone would be packed.
	rmSync(dist, { recursive: true, force: true });
	const modules = sortModules();
	await bundleProvider(modules);
	await bundleLater(join(dist, "provider"));
	for (const module of modules.files) writeModule(module);
	for (const module of publicTypes()) copyTypes(module);
	// npm sets it on installing; in a checkout its link leads here.
	chmodSync(join(dist, "commands", "main.js"), 0o755);
}

/** Both hosts' provider is one file, and each module of it that others load is a file that leads there. */
async function bundleProvider({
	files,
	doors,
	outside,
	isProviders,
}: Modules): Promise<void> {
	// The first entry decides the order in which modules are evaluated, and the hosts have one that must be before all others.
	const entries = ["provider/index", ...doors];
	await bundle({
		input: {
			...Object.fromEntries(
				entries.map((module) => [module, join(sources, `${module}.ts`)]),
			),
			"plugin/provider": join(plugin, "provider.ts"),
			"provider/zod": usedOfZod(files),
		},
		folder: dist,
		outside: new Map(outside.flatMap((module) => outsideAs(module))),
		packages: laterIn("../provider"),
		shared: {
			folder: "provider",
			has: (id) => /[\\/]node_modules[\\/]/.test(id) || isProviders(moduleOf(id)),
		},
	});
}

/** A module with the parts of zod that these modules use: the whole would double what the provider reads of it. */
function usedOfZod(modules: readonly string[]): string {
	const texts = modules.map((module) =>
		readFileSync(join(compiled, `${module}.js`), "utf8"),
	);
	const uses = texts.flatMap((text) => [...text.matchAll(/\bzod_1\.z\.(\w+)/g)]);
	const names = [...new Set(uses.map(([, name]) => name))].sort();
	const parts = names.map((name) => `${name}: zod.${name}`).join(", ");
	const file = join(compiled, "used-of-zod.mjs");
	writeFileSync(
		file,
		`import { z as zod } from "zod";\nexport const z = { ${parts} };\n`,
	);
	return file;
}

const outsideAs = (module: string): [string, string][] => {
	const path = resolve(sources, module);
	// The code that loads them lies one folder deep: in the provider's `core.js` or in the plugin's `provider.js`.
	const target = `../${module}.js`;
	return module.endsWith("/index")
		? [
				[path, target],
				[dirname(path), target],
			]
		: [[path, target]];
};

const moduleOf = (id: string): string =>
	id.startsWith(sources)
		? id
				.slice(sources.length + 1)
				.replaceAll("\\", "/")
				.replace(/\.ts$/, "")
		: id;

/** Comments are a fifth of what the compiler writes; the types have them for whoever reads. */
function writeModule(module: string): void {
	const text = readFileSync(join(compiled, `${module}.js`), "utf8");
	const { outputText } = transpileModule(text, {
		compilerOptions: {
			removeComments: true,
			target: ScriptTarget.ES2022,
			module: ModuleKind.CommonJS,
		},
	});
	const target = join(dist, `${module}.js`);
	const code = outputText.replace(/\brequire\("([\w-]+)"\)/g, (whole, name: string) => {
		const library = LIBRARIES[name];
		return library === undefined ? whole : `require("${pathFrom(target, library)}")`;
	});
	mkdirSync(dirname(target), { recursive: true });
	writeFileSync(target, code);
}

const pathFrom = (file: string, other: string): string => {
	const path = relative(dirname(file), other).replaceAll("\\", "/");
	return path.startsWith(".") ? path : `./${path}`;
};

function copyTypes(module: string): void {
	const target = join(dist, `${module}.d.ts`);
	mkdirSync(dirname(target), { recursive: true });
	copyFileSync(join(compiled, `${module}.d.ts`), target);
}
