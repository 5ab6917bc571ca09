import { slug } from "./identifiers";
import type { TeamModel } from "./model";
import { INDEX, renderModule } from "./render-program";
import { renderReadme } from "./render-readme";

export interface ProjectOptions {
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
	return new Map([
		[".gitignore", "node_modules/\n"],
		["Pulumi.yaml", pulumiYaml(name)],
		["README.md", renderReadme(model, options)],
		["index.ts", INDEX],
		["package.json", packageJson(name, options)],
		["schedules.ts", renderModule("PipelineSchedule", model.schedules, options)],
		// Settings are kept by their own default, which also survives a resource that is taken out of the program.
		["settings.ts", renderModule("PipelineSettings", model.settings, { retain: false })],
		["tsconfig.json", TSCONFIG],
	]);
}

/** Names of Pulumi projects and npm packages are ASCII. */
function projectName(team: string): string {
	const ascii = slug(team, "team")
		.replace(/[^a-z0-9]+/g, "-")
		.replace(/^-|-$/g, "");
	return `datachain-${ascii || "team"}`;
}

const pulumiYaml = (name: string): string => `name: ${name}
description: Schedules and pipeline settings of a DataChain team, as they were exported.
runtime:
  name: nodejs
  options:
    typescript: true
main: index.ts
`;

function packageJson(name: string, { versions }: ProjectOptions): string {
	const manifest = {
		name,
		private: true,
		type: "commonjs",
		dependencies: { "@pulumi/pulumi": versions.sdk, "pulumi-datachain": `^${versions.provider}` },
		devDependencies: TOOL_VERSIONS,
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
