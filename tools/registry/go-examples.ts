import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "../repository";
import { EXAMPLES, exampleProgram } from "../schema/examples";
import { schemaFile } from "../schema/main";

/** The pages of the resources, by their name in docs, each with the example in Go that the schema has. */
export function pagesWithGo(): Record<string, string> {
	const schema = JSON.parse(readFileSync(schemaFile, "utf8"));
	return Object.fromEntries(
		Object.keys(EXAMPLES).map((kind) => {
			const name = `${kind.replace(/(?<=.)[A-Z]/g, "-$&").toLowerCase()}.md`;
			const text = readFileSync(join(repository, "docs", name), "utf8");
			return [name, withGo(text, exampleProgram(kind, "go", schema))];
		}),
	);
}

/** The example in Go stands behind the one in YAML, so it becomes a tab beside the others. */
function withGo(page: string, program: string): string {
	const pattern = /(\n```yaml\n[\s\S]*?\n```\n)(?:\n```go\n[\s\S]*?\n```\n)?/;
	return page.replace(pattern, (_, yaml: string) => `${yaml}\n\`\`\`go\n${program}\n\`\`\`\n`);
}
