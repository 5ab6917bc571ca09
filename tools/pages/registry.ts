import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "../repository";

const frontMatter = (title: string, description: string): string =>
	`---\ntitle: ${title}\nmeta_desc: ${description}\nlayout: package\n---\n\n<!-- For the Pulumi Registry. \`npm run pages\` writes it. -->\n`;

/** The quickstart of each language, as the tests deploy it. */
export const QUICK_STARTS = {
	typescript: "examples/quickstart/index.ts",
	python: "examples/python/__main__.py",
	go: "examples/go/main.go",
	yaml: "examples/yaml/Pulumi.yaml",
} as const;

/** docs/_index.md */
export function registryIndex(): string {
	const tabs = Object.entries(QUICK_STARTS).map(([language, file]) => {
		const program = readFileSync(join(repository, file), "utf8");
		return `{{% choosable language ${language} %}}\n\n\`\`\`${language}\n${program}\`\`\`\n\n{{% /choosable %}}\n`;
	});
	return `${frontMatter(
		"DataChain Studio",
		"Manage DataChain Studio schedules, settings, files, pipelines and jobs with Pulumi.",
	)}
The DataChain Studio provider for Pulumi manages schedules, settings, files, pipelines and jobs of a DataChain Studio team. It manages existing schedules and
settings only after you adopt them. It has not yet run against the live service: the tests use a local server, which was written from the description of the
service's API. \`pulumi-datachain verify\` shows whether your service behaves as the provider assumes.

## Example

{{< chooser language "${Object.keys(QUICK_STARTS)}" >}}

${tabs.join("\n")}
{{< /chooser >}}
`;
}

interface Setting {
	readonly description: string;
	readonly secret?: boolean;
}

export interface Facts {
	readonly settings: Readonly<Record<string, Setting>>;
	readonly node: string;
	readonly python: string;
}

/** docs/installation-configuration.md */
export function registryInstallation({ settings, node, python }: Facts): string {
	const reference = Object.entries(settings).map(
		([name, { description, secret }]) =>
			`- \`datachain:${name}\`${secret ? " (secret)" : ""}: ${description}`,
	);
	return `${frontMatter(
		"DataChain Studio Installation & Configuration",
		"How to install and configure the DataChain Studio provider for Pulumi.",
	)}
## Installation

- JavaScript/TypeScript: [\`pulumi-datachain\`](https://www.npmjs.com/package/pulumi-datachain) (Node.js ${node})
- Python: [\`pulumi-datachain\`](https://pypi.org/project/pulumi-datachain/) (Python ${python})
- Go: \`github.com/pulumi-datachain/pulumi-datachain/sdk/go\`
- YAML: the plugin, with the command below

The Python package contains the plugin. Pulumi downloads it for Go programs. For YAML programs, install it in the version of the package, or
[from npm](https://github.com/pulumi-datachain/pulumi-datachain/blob/main/docs/get-started-yaml.md):

\`\`\`bash
pulumi plugin install resource datachain VERSION --server github://api.github.com/pulumi-datachain/pulumi-datachain
\`\`\`

## Configuration

Set the connection in the environment:

\`\`\`bash
export DATACHAIN_STUDIO_URL=https://studio.example.com
export DATACHAIN_STUDIO_TEAM=vision
read -rs DATACHAIN_STUDIO_TOKEN && export DATACHAIN_STUDIO_TOKEN
\`\`\`

or in the configuration of the stack:

\`\`\`bash
pulumi config set datachain:baseUrl https://studio.example.com
pulumi config set datachain:teamName vision
pulumi config set --secret datachain:token
\`\`\`

### Configuration reference

${reference.join("\n")}
`;
}
