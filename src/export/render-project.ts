import { slug } from "./identifiers";
import type { TeamModel } from "./model";
import { INDEX, renderModule } from "./render-program";
import { PYTHON_MAIN, renderPythonModule } from "./render-python";
import { renderReadme } from "./render-readme";
import { projectFile, renderYamlProject } from "./render-yaml";

/** Languages that a team can be exported in. */
export const LANGUAGES = ["typescript", "python", "yaml"] as const;
export type Language = (typeof LANGUAGES)[number];

export interface ProjectOptions {
	/** TypeScript unless given. */
	readonly language?: Language | undefined;
	/** Gives the project its name. */
	readonly teamName: string;
	/** Schedules stay on the service when their resources go. */
	readonly retain: boolean;
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
export function renderProject(model: TeamModel, options: ProjectOptions): ReadonlyMap<string, string> {
	const name = projectName(options.teamName);
	const { language = "typescript" } = options;
	const readme: [string, string] = ["README.md", renderReadme(model, { ...options, language })];
	return new Map([readme, ...FILES[language](name, model, options)]);
}

type Files = [name: string, text: string][];

const FILES: Readonly<Record<Language, (name: string, model: TeamModel, options: ProjectOptions) => Files>> =
	{
		typescript: typescriptFiles,
		python: (name, model, options) => [
			[".gitignore", "venv/\n__pycache__/\n"],
			["Pulumi.yaml", projectFile(name, "runtime: python\n")],
			["__main__.py", PYTHON_MAIN],
			["requirements.txt", `pulumi>=3.216.0,<4\npulumi-datachain>=${options.versions.provider}\n`],
			["schedules.py", renderPythonModule("PipelineSchedule", model.schedules, options)],
			["settings.py", renderPythonModule("PipelineSettings", model.settings, { retain: false })],
		],
		yaml: (name, model, options) => [
			[".gitignore", "node_modules/\n"],
			["Pulumi.yaml", renderYamlProject(name, model, options)],
			["package.json", packageJson(name, { "pulumi-datachain": `^${options.versions.provider}` })],
		],
	};

function typescriptFiles(name: string, model: TeamModel, options: ProjectOptions): Files {
	const { sdk, provider } = options.versions;
	const dependencies = { "@pulumi/pulumi": sdk, "pulumi-datachain": `^${provider}` };
	return [
		[".gitignore", "node_modules/\n"],
		["Pulumi.yaml", projectFile(name, TYPESCRIPT_RUNTIME)],
		["index.ts", INDEX],
		["package.json", packageJson(name, dependencies, TOOL_VERSIONS)],
		["schedules.ts", renderModule("PipelineSchedule", model.schedules, options)],
		// Settings are kept by their own default, which also survives a resource that is taken out of the program.
		["settings.ts", renderModule("PipelineSettings", model.settings, { retain: false })],
		["tsconfig.json", TSCONFIG],
	];
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

function packageJson(name: string, dependencies: object, devDependencies?: object): string {
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
