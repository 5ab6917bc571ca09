import { cpSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import { renderDoctor } from "../../../src/commands/doctor";
import {
	fail,
	ok,
	reportOf,
	type Verdict,
	warn,
} from "../../../src/commands/doctor/check";
import {
	checkLanguageHost,
	checkNode,
	checkPackage,
	checkPlugin,
	checkSdk,
	checkStub,
	packageManager,
} from "../../../src/commands/doctor/machine";
import { checkStack } from "../../../src/commands/doctor/stack";
import { testFolder } from "../../helpers/test-folder";

type Files = Readonly<Record<string, string>>;

function project(files: Files = {}): string {
	const folder = testFolder("doctor-");
	for (const [path, text] of Object.entries(files)) {
		mkdirSync(join(folder, path, ".."), { recursive: true });
		writeFileSync(join(folder, path), text);
	}
	return folder;
}

const installed = (version: string) => JSON.stringify({ name: "x", version });

it.each([
	["pnpm-lock.yaml", "pnpm"],
	["yarn.lock", "yarn"],
	["package-lock.json", "npm"],
	["bun.lock", "bun"],
])("a project with %s belongs to %s, also in a folder below", (file, manager) => {
	const folder = project({ [file]: "", "stacks/dev/index.ts": "" });
	expect(packageManager(join(folder, "stacks", "dev"))).toBe(manager);
});

const sdk = (files: Files) => checkSdk(project(files), ">=3.216.0 <4");
const SDK = "node_modules/@pulumi/pulumi/package.json";
const own = (version: string, files: Files = {}) =>
	checkPackage(project(files), version);
const OWN = { "node_modules/pulumi-datachain/package.json": installed("0.9.0") };
const GENERATED = JSON.stringify({
	version: "0.9.0",
	pulumi: { resource: true, name: "datachain" },
});
const generated = () =>
	own("0.9.0", { ...PNPM, "node_modules/pulumi-datachain/package.json": GENERATED });
const PNP = { "yarn.lock": "", ".pnp.cjs": "" };
const PNPM = { "pnpm-lock.yaml": "" };
const HOSTS = /pulumi-language-nodejs and pulumi-resource-pulumi-nodejs/;

it.each<[string, Verdict["status"], RegExp, () => Verdict | Promise<Verdict>]>([
	[
		"a new enough node",
		"ok",
		/Node 20\.18\.1/,
		() => checkNode("20.18.1", ">=20.18.1"),
	],
	[
		"an old node",
		"fail",
		/Install Node 20\.18\.1 or newer\./,
		() => checkNode("18.20.0", ">=20.18.1"),
	],
	[
		"a CLI without its language host",
		"fail",
		HOSTS,
		() => checkLanguageHost({ PATH: project() }),
	],
	[
		"an SDK in the range",
		"ok",
		/3\.248\.0/,
		() => sdk({ [SDK]: installed("3.248.0") }),
	],
	[
		"an old SDK",
		"fail",
		/3\.100\.0 is outside/,
		() => sdk({ [SDK]: installed("3.100.0") }),
	],
	[
		"an SDK that is too new",
		"fail",
		/4\.0\.0 is outside/,
		() => sdk({ [SDK]: installed("4.0.0") }),
	],
	["no SDK", "fail", /not installed/, () => sdk({})],
	["Yarn Plug'n'Play", "fail", /nodeLinker: node-modules/, () => own("1.0.0", PNP)],
	[
		"a package that pnpm hides",
		"fail",
		/pnpm add pulumi-datachain/,
		() => own("1.0.0", PNPM),
	],
	[
		"what `pulumi package add` put in its place",
		"fail",
		/pnpm add pulumi-datachain@0\.9\.0`/,
		generated,
	],
	["the package of this version", "ok", /0\.9\.0/, () => own("0.9.0", OWN)],
	[
		"the package of another version",
		"warn",
		/`npx pulumi-datachain doctor`/,
		() => own("1.0.0", OWN),
	],
	[
		"another version",
		"warn",
		/`pnpm exec pulumi-datachain doctor`/,
		() => own("1.0.0", { ...OWN, ...PNPM }),
	],
	[
		"no package for a state's provider text",
		"fail",
		/Cannot find module/,
		() => checkStub(project()),
	],
])("finds %s: %s", async (_what, status, said, check) => {
	const found = await check();
	expect(found.status).toBe(status);
	expect(`${found.message} ${found.fix}`).toMatch(said);
});

const PLUGIN = "node_modules/pulumi-datachain/dist/plugin";
const YAML = `name: p\nruntime: yaml\nplugins:\n  providers:\n    - name: datachain\n      path: ${PLUGIN}\n`;
const NODEJS = YAML.replace("yaml", "nodejs");
const python = (runtime: string): Files => ({ "Pulumi.yaml": `name: p\n${runtime}` });
const emptyFolder = (text: string) => () =>
	project({ "Pulumi.yaml": text, [`${PLUGIN}/README.md`]: "" });

function withPlugin(version: string, files: Files = {}): string {
	const path = project({ ...files, [`${PLUGIN}/package.json`]: installed(version) });
	writeFileSync(join(path, PLUGIN, "pulumi-resource-datachain"), "", { mode: 0o755 });
	return path;
}

function withSpace(): string {
	const folder = withPlugin("0.2.0", {
		"Pulumi.yaml": YAML.replace(PLUGIN, '"my plugin"'),
	});
	renameSync(join(folder, PLUGIN), join(folder, "my plugin"));
	return folder;
}

const named = (version: string) => withPlugin(version, { "Pulumi.yaml": YAML });
const inline = (entry: string) =>
	withPlugin("0.2.0", {
		"Pulumi.yaml": `runtime: yaml\nplugins: { providers: [${entry}] }\n`,
	});
const INLINE = [
	`{ name: datachain, path: ${PLUGIN} }`,
	`{path: ${PLUGIN}, name: datachain}`,
	`{"name":"datachain","path":"${PLUGIN}"}`,
];
const RUNTIMES = [
	"runtime: python\n",
	"runtime:\n  name: python\n",
	"runtime:\n  options:\n    virtualenv: venv\n  name: python\n",
];
type PluginRow = [
	which: string,
	Verdict["status"],
	said: RegExp,
	folder: () => string,
	isInState?: true,
];

it.each<PluginRow>([
	[
		"that a project above names",
		"ok",
		/as Pulumi\.yaml says/,
		() => join(named("0.2.0"), "node_modules"),
	],
	[
		"in a folder whose name has a space",
		"ok",
		/my plugin, as Pulumi\.yaml says/,
		withSpace,
	],
	...INLINE.map(
		(entry): PluginRow => [
			`in ${entry}`,
			"ok",
			/as Pulumi\.yaml says/,
			() => inline(entry),
		],
	),
	[
		"of another version",
		"warn",
		/pulumi-resource-datachain 0\.1\.9/,
		() => named("0.1.9"),
	],
	...RUNTIMES.map((runtime): PluginRow => {
		const which = `that ${JSON.stringify(runtime)} needs`;
		return [
			which,
			"fail",
			/pip install pulumi-datachain/,
			() => project(python(runtime)),
		];
	}),
	[
		"whose folder is missing",
		"fail",
		/there is no such folder/,
		() => project({ "Pulumi.yaml": NODEJS }),
	],
	["missing in a folder that YAML needs", "fail", /there is no/, emptyFolder(YAML)],
	[
		"missing in a folder that nothing needs",
		"warn",
		/there is no/,
		emptyFolder(NODEJS),
	],
	[
		"missing in a folder that the state needs",
		"fail",
		/there is no/,
		emptyFolder(NODEJS),
		true,
	],
	[
		"that only the state needs",
		"fail",
		/The stack's state has resources/,
		() => project(),
		true,
	],
	["that nothing needs", "skip", /None is set up/, () => project()],
])("a plugin %s: %s", (_which, status, said, folder, isInState) => {
	const place = { cwd: folder(), env: { PATH: "" }, own: "0.2.0" };
	const found = checkPlugin({ ...place, isInState: isInState === true });
	expect(found.status).toBe(status);
	expect(`${found.message} ${found.fix}`).toMatch(said);
});

it("a plugin is found on the PATH and where Pulumi installed it, and without one the fix for YAML needs no Node", () => {
	const cwd = project({ "Pulumi.yaml": "name: a\nruntime: yaml\n" });
	const PULUMI_HOME = project();
	const env = { PATH: "", PULUMI_HOME };
	const found = checkPlugin({
		cwd,
		env: { PATH: join(withPlugin("0.2.0"), PLUGIN) },
		own: "0.2.0",
	});
	expect(found.message).toContain("found on the PATH");
	const missing = checkPlugin({ cwd, env, own: "0.2.0" });
	expect(missing.fix).toMatch(
		/^Run `pulumi plugin install resource datachain 0\.2\.0 --server github:\/\/\S+`\.$/,
	);
	const folder = join(PULUMI_HOME, "plugins", "resource-datachain-v0.2.0");
	cpSync(join(withPlugin("0.2.0"), PLUGIN), folder, { recursive: true });
	expect(checkPlugin({ cwd, env, own: "0.2.0" })).toMatchObject({
		status: "ok",
		message: expect.stringContaining("where Pulumi installed it"),
	});
});

describe("a plugin is looked for as Pulumi itself does", () => {
	const cwd = () => project({ "Pulumi.yaml": "name: a\nruntime: yaml\n" });
	const check = (env: NodeJS.ProcessEnv) =>
		checkPlugin({ cwd: cwd(), env: { PULUMI_HOME: project(), ...env }, own: "0.2.0" });
	const folder = (name: string) => {
		const path = join(project(), name);
		cpSync(join(withPlugin("0.2.0"), PLUGIN), path, { recursive: true });
		return path;
	};

	it.each([
		[
			"npx",
			"node_modules/.bin",
			"npm/node_modules/@npmcli/run-script/lib/node-gyp-bin",
		],
		["pnpm exec", "node_modules/.bin", "pnpm/dist/node-gyp-bin"],
		["yarn run", "yarn--1700000000000-0.5", "node_modules/.bin"],
	])(
		"and not in the folders that only %s puts before the PATH of the shell",
		(_runner, ...added) => {
			const PATH = [...added.map(folder), "/usr/bin"].join(delimiter);
			expect(check({ PATH, npm_config_user_agent: "npm/10.8.2" })).toMatchObject({
				status: "fail",
				message: expect.stringContaining(
					"neither named in Pulumi.yaml, nor on the PATH, nor installed",
				),
			});
			// The same folders on the PATH of the shell itself.
			expect(check({ PATH })).toMatchObject({ status: "ok" });
			const own = [...added.map((name) => join(project(), name)), folder("bin")].join(
				delimiter,
			);
			expect(check({ PATH: own, npm_config_user_agent: "npm/10.8.2" })).toMatchObject({
				status: "ok",
			});
		},
	);

	it("and not on the PATH where a variable tells Pulumi to pass it over", () => {
		const env = { PATH: folder("bin"), PULUMI_IGNORE_AMBIENT_PLUGINS: "true" };
		expect(check(env)).toMatchObject({ status: "fail" });
		expect(check({ ...env, PULUMI_IGNORE_AMBIENT_PLUGINS: "false" })).toMatchObject({
			status: "ok",
		});
	});

	it("and not beside a pulumi that is on the PATH as a link", () => {
		const programs = folder("bin");
		writeFileSync(join(programs, "pulumi"), "", { mode: 0o755 });
		const links = project();
		symlinkSync(join(programs, "pulumi"), join(links, "pulumi"));
		expect(check({ PATH: links })).toMatchObject({ status: "fail" });
	});

	it("and YAML, which names no version, gets the newest that is installed", () => {
		const PULUMI_HOME = project();
		for (const version of ["0.2.0", "0.10.0", "0.9.0"]) {
			const installedIn = join(
				PULUMI_HOME,
				"plugins",
				`resource-datachain-v${version}`,
			);
			cpSync(join(withPlugin(version), PLUGIN), installedIn, { recursive: true });
		}
		expect(check({ PATH: "", PULUMI_HOME })).toMatchObject({
			status: "warn",
			message: expect.stringContaining("pulumi-resource-datachain 0.10.0"),
			fix: expect.stringContaining("pulumi plugin rm resource datachain 0.10.0"),
		});
	});
});

it.each([
	["pulumi:providers:datachain", true],
	["datachain:index:PipelineSchedule", true],
	["pulumi-nodejs:dynamic/datachain:PipelineSchedule", false],
	["datachains:index:Other", false],
])(
	"a state with a resource of type %s needs the plugin: %s",
	async (type, expected) => {
		const state = { deployment: { resources: [{ urn: "urn", type }] } };
		const answers: Files = {
			"whoami --json": '{ "url": "https://api.pulumi.com" }',
			"stack --show-name": "dev\n",
			"stack export --show-secrets": JSON.stringify(state),
		};
		const pulumi = async (args: readonly string[]) => answers[args.join(" ")] ?? "";
		const cwd = project({ "Pulumi.yaml": "name: p\nruntime: nodejs\n" });
		const { checks, needsPlugin } = await checkStack({ cwd, env: {}, pulumi });
		expect(reportOf(checks).checks.map(({ name, status }) => [name, status])).toEqual([
			["backend", "ok"],
			["stack", "ok"],
			["secrets", "ok"],
		]);
		expect(needsPlugin).toBe(expected);
	},
);

it("the printed checks have one line each, the fix under it, and a verdict", () => {
	const checks = {
		node: ok("Node 20"),
		clock: warn("off", "Set it."),
		url: fail("bad\u001b[2J", "Change it."),
	};
	expect(stripVTControlCharacters(renderDoctor(reportOf(checks))).split("\n")).toEqual([
		"ok    node   Node 20",
		"warn  clock  off",
		"             Fix: Set it.",
		"fail  url    bad\\x1b[2J",
		"             Fix: Change it.",
		"",
		"Not ready: 1 ok, 1 warning, 1 failed.",
		"",
	]);
});
