import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { engines } from "../../package.json";
import { repository } from "../repository";
import { EXAMPLE_KINDS, exampleProgram } from "../schema/examples";
import { schemaFile } from "../schema/main";

/** Pages in the form in which Pulumi's registry takes them from a provider's repository, by their name in docs. */
export const registryPages = (): Record<string, string> => ({
	"_index.md": overview(),
	"installation-configuration.md": installation(),
});

/** The quickstart of each language, from the folder that the tests deploy. */
const EXAMPLES = [
	{ language: "typescript", block: "typescript", file: "examples/quickstart/index.ts" },
	{ language: "python", block: "python", file: "examples/python/__main__.py" },
	{ language: "go", block: "go", file: "examples/go/main.go" },
	{ language: "yaml", block: "yaml", file: "examples/yaml/Pulumi.yaml" },
] as const;

const read = (file: string): string => readFileSync(join(repository, file), "utf8").trim();

const page = (title: string, description: string, body: string): string =>
	`---\ntitle: ${title}\nmeta_desc: ${description}\nlayout: package\n---\n\n<!-- For the Pulumi Registry; "npm run registry" writes this page. -->\n\n${body.trim()}\n`;

function overview(): string {
	const choices = EXAMPLES.map(
		({ language, block, file }) =>
			`{{% choosable language ${language} %}}\n\n\`\`\`${block}\n${read(file)}\n\`\`\`\n\n{{% /choosable %}}`,
	);
	const languages = EXAMPLES.map(({ language }) => language).join(",");
	return page(
		"DataChain Studio",
		"Manage DataChain Studio schedules, settings, files, pipelines and jobs with Pulumi.",
		`
The DataChain Studio provider for Pulumi manages schedules, settings, files, pipelines and jobs of a DataChain Studio team. It detects drift, and
it manages existing schedules and settings only after you adopt them.

## Example

{{< chooser language "${languages}" >}}

${choices.join("\n\n")}

{{< /chooser >}}
`,
	);
}

interface Variable {
	readonly description?: string;
	readonly secret?: boolean;
}

function installation(): string {
	const { config, repository: address } = JSON.parse(readFileSync(schemaFile, "utf8"));
	const variables: [string, Variable][] = Object.entries(config.variables);
	const rows = variables.map(
		([name, { description = "", secret }]) =>
			`- \`datachain:${name}\`${secret ? " (secret)" : ""}: ${description}`,
	);
	return page(
		"DataChain Studio Installation & Configuration",
		"How to install and configure the DataChain Studio provider for Pulumi.",
		`
## Installation

The packages are not on npm and PyPI yet. Until the first release, [build them](${address}/blob/main/docs/configuration.md#build-the-packages).

The package is for these languages:

- JavaScript/TypeScript: [\`pulumi-datachain\`](https://www.npmjs.com/package/pulumi-datachain) (Node.js ${engines.node})
- Python: [\`pulumi-datachain\`](https://pypi.org/project/pulumi-datachain/) (Python >=3.10)
- Go: \`${address.replace("https://", "")}/sdk/go\`
- YAML: the npm package, or the plugin with the command below

The Python package contains the plugin. From the first release on, Pulumi downloads it for Go programs. For YAML programs, install it in the version of the
package:

\`\`\`bash
pulumi plugin install resource datachain VERSION --server ${address.replace("https://github.com/", "github://api.github.com/")}
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

${rows.join("\n")}
`,
	);
}

/** The pages of the resources, by their name in docs, each with the example in Go of the schema. */
export function pagesWithGo(): Record<string, string> {
	return Object.fromEntries(
		EXAMPLE_KINDS.map((kind) => {
			const name = `${kind.replace(/(?<=.)[A-Z]/g, "-$&").toLowerCase()}.md`;
			const text = readFileSync(join(repository, "docs", name), "utf8");
			return [name, withGo(text, exampleProgram(kind, "go"))];
		}),
	);
}

/** The example in Go stands behind the one in YAML, so it becomes a tab beside the others. */
function withGo(page: string, program: string): string {
	const pattern = /(\n```yaml\n[\s\S]*?\n```\n)(?:\n```go\n[\s\S]*?\n```\n)?/;
	return page.replace(pattern, (_, yaml: string) => `${yaml}\n\`\`\`go\n${program}\n\`\`\`\n`);
}

/** `npm run registry` writes the pages for Pulumi's registry, and the examples in Go of the resources' pages. */
if (require.main === module) {
	for (const [name, text] of Object.entries({ ...registryPages(), ...pagesWithGo() }))
		writeFileSync(join(repository, "docs", name), text);
}
