import { many, shellWord } from "../../text/report";
import { slug } from "./identifiers";
import {
	literal,
	projectFile,
	renderModule,
	renderPythonModule,
	renderYamlProject,
} from "./languages";
import type { LeftOut, TeamModel } from "./model";

interface ProjectOptions {
	readonly language: Language;
	/** Gives the project its name. */
	readonly teamName: string;
	/** Schedules stay on the service when their resources go. */
	readonly retain: boolean;
	/** The stack whose configuration has the secrets, after --write-config. */
	readonly stack?: string | undefined;
	/** Version of this package, and the range of the SDK it works with. */
	readonly versions: { readonly provider: string; readonly sdk: string };
}

/** What the program is compiled with: the newest that work on every Node this package supports. */
export const TOOL_VERSIONS = {
	"@types/node": "^20.19.0",
	"ts-node": "^10.9.2",
	typescript: "~5.9.0",
} as const;

/** All files of the project, by name. The same model gives the same bytes. */
export function renderProject(
	model: TeamModel,
	options: ProjectOptions,
): ReadonlyMap<string, string> {
	const files = TARGETS[options.language].files(
		projectName(options.teamName),
		model,
		options.versions,
	);
	return new Map(
		Object.entries({ "README.md": renderReadme(model, options), ...files }),
	);
}

/** Names of Pulumi projects and npm packages are ASCII. */
function projectName(team: string): string {
	const ascii = slug(team, "team")
		.replace(/[^a-z0-9]+/g, "-")
		.replace(/^-|-$/g, "");
	return `datachain-${ascii || "team"}`;
}

const TYPESCRIPT_RUNTIME = `runtime:
  name: nodejs
  options:
    typescript: true
main: index.ts
`;

function packageJson(
	name: string,
	dependencies: object,
	devDependencies?: object,
): string {
	const manifest = {
		name,
		private: true,
		...(devDependencies && { type: "commonjs" }),
		dependencies,
		devDependencies,
	};
	return `${JSON.stringify(manifest, undefined, 2)}\n`;
}

const TSCONFIG = `{
  "compilerOptions": {
    "target": "ES2022",
    "lib": ["ES2022"],
    "types": ["node"],
    "module": "node16",
    "moduleResolution": "node16",
    "strict": true,
    "skipLibCheck": true,
    "noEmit": true
  },
  "include": ["*.ts"]
}
`;

/** The commands that store the secrets; each asks for its value, so that none ends up in a shell's history. */
export function secretCommands(model: TeamModel): string[] {
	return model.secrets.map(
		({ key, base64 }) =>
			`pulumi config set --secret ${key}${base64 ? "   # the value in base64: YAML would not read it as a string" : ""}`,
	);
}

/** One line of JSON: names are the service's, and must not be read as anything but text. */
export function leftOutLine(leftOut: LeftOut): string {
	const fields = Object.entries(leftOut).map(([key, value]) => {
		return `"${key}": ${typeof value === "number" ? value : literal(value)}`;
	});
	return `{ ${fields.join(", ")} }`;
}

/** Written out, these would be imports of this module for the build, which reads the compiled text. */
const imports = (...paths: readonly string[]): string =>
	paths.map((path) => `import ${literal(path)};\n`).join("");

const INSTALL_PAGE =
	"https://github.com/pulumi-datachain/pulumi-datachain/blob/main/docs/configuration.md#install";

/** How to go on with the project. */
function renderReadme(
	model: TeamModel,
	{ retain, language, stack = "dev" }: ProjectOptions,
): string {
	const { install, schedules, settings, adopt } = TARGETS[language];
	return [
		"# A DataChain team as a Pulumi program",
		`Written by \`pulumi-datachain export\`: ${many(model.schedules.length, "schedule")} in \`${schedules}\`, the settings ` +
			`of ${many(model.settings.length, "pipeline")} in \`${settings}\`. Every resource has \`${adopt}\`: the first ` +
			"`pulumi up` adopts the existing objects, keeps their ids and changes nothing.",
		"## Adopt it",
		"Set `DATACHAIN_STUDIO_URL`, `DATACHAIN_STUDIO_TOKEN` and `DATACHAIN_STUDIO_TEAM`, then run these commands. If the installation " +
			`fails, see ${INSTALL_PAGE}.`,
		// The stack exists already after an export with --write-config.
		fence("sh", [...install, `pulumi stack select --create ${shellWord(stack)}`]),
		...listed(
			"sh",
			secretCommands(model),
			"Values that are or may be secret are not in the code. Each command asks for one. Skip them after an export with `--write-config`:",
		),
		fence("sh", [
			'pulumi preview   # says "nothing will change" for each resource',
			"pulumi up",
			"pulumi up        # no changes",
		]),
		"## Good to know",
		`${destroyPart(retain, TARGETS[language])}\n` +
			"- The program manages the variables that it declares. Variables that others add later stay as they are.\n" +
			"- The API does not return the files and credentials of a pipeline, so they are not exported. They are not changed.",
		...listed(
			"json",
			model.leftOut.map(leftOutLine),
			"## Left out",
			"These are on the service, but cannot be declared as they are:",
		),
	]
		.join("\n\n")
		.concat("\n");
}

/** Inputs, and the option that keeps an object on the service, as the language spells them. */
const CAMEL_CASE = {
	adopt: "adopt: true",
	onDestroy: "onDestroy",
	option: "retainOnDelete: true",
};
const SNAKE_CASE = {
	adopt: "adopt=True",
	onDestroy: "on_destroy",
	option: "retain_on_delete=True",
};

type FilesOf = (
	name: string,
	model: TeamModel,
	versions: ProjectOptions["versions"],
) => Readonly<Record<string, string>>;

/** How each language installs the project, the files with its resources and the others, and how to give that option. */
const TARGETS = {
	typescript: {
		...CAMEL_CASE,
		install: ["npm install"],
		schedules: "schedules.ts",
		settings: "settings.ts",
		how: "Add\n  `{ retainOnDelete: true }` as the third argument to keep one",
		files: (name, { schedules, settings }, { provider, sdk }) => {
			const dependencies = {
				"@pulumi/pulumi": sdk,
				"pulumi-datachain": `^${provider}`,
			};
			return {
				".gitignore": "node_modules/\n",
				"Pulumi.yaml": projectFile(name, TYPESCRIPT_RUNTIME),
				"index.ts": imports("./schedules", "./settings"),
				"package.json": packageJson(name, dependencies, TOOL_VERSIONS),
				"schedules.ts": renderModule(schedules),
				"settings.ts": renderModule(settings),
				"tsconfig.json": TSCONFIG,
			};
		},
	},
	python: {
		...SNAKE_CASE,
		install: [
			"python3 -m venv venv && . venv/bin/activate   # the plugin is found while it is active",
			"pip install -r requirements.txt",
		],
		schedules: "schedules.py",
		settings: "settings.py",
		how: "Add\n  `opts=pulumi.ResourceOptions(retain_on_delete=True)` to keep one",
		files: (name, { schedules, settings }, { provider }) => ({
			".gitignore": "venv/\n__pycache__/\n",
			"Pulumi.yaml": projectFile(name, "runtime: python\n"),
			"__main__.py": "import schedules  # noqa: F401\nimport settings  # noqa: F401\n",
			"requirements.txt": `pulumi>=3.216.0,<4\npulumi-datachain>=${provider}\n`,
			"schedules.py": renderPythonModule(schedules),
			"settings.py": renderPythonModule(settings),
		}),
	},
	yaml: {
		...CAMEL_CASE,
		install: ["npm install   # brings the plugin"],
		schedules: "Pulumi.yaml",
		settings: "Pulumi.yaml",
		how: "Add\n  `options: { retainOnDelete: true }` to keep one",
		files: (name, model, { provider }) => ({
			".gitignore": "node_modules/\n",
			"Pulumi.yaml": renderYamlProject(name, model),
			"package.json": packageJson(name, { "pulumi-datachain": `^${provider}` }),
		}),
	},
} satisfies Record<string, Record<string, unknown> & { readonly files: FilesOf }>;

export type Language = keyof typeof TARGETS;

/** Languages that a team can be exported in. */
export const LANGUAGES = Object.keys(TARGETS);

function destroyPart(
	retain: boolean,
	{ option, how, onDestroy }: (typeof TARGETS)[Language],
): string {
	if (retain) {
		return (
			"- `pulumi destroy`, and removing a resource from the program, leave the schedules on the service\n" +
			`  (\`${option}\`) and the settings as they are (\`${onDestroy}\`).`
		);
	}
	return (
		`- \`pulumi destroy\` deletes the schedules on the service, as does removing one from the program. ${how}, or export with \`--retain\`.\n` +
		`- The settings are kept; \`${onDestroy}\` says so, and takes \`"reset"\` as well.`
	);
}

/** With what is said above it; nothing if there are no lines. */
const listed = (
	language: string,
	lines: readonly string[],
	...above: string[]
): string[] => (lines.length === 0 ? [] : [...above, fence(language, lines)]);

const fence = (language: string, lines: readonly string[]): string =>
	`\`\`\`${language}\n${lines.join("\n")}\n\`\`\``;
