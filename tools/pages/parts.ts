import { readFileSync } from "node:fs";
import { join } from "node:path";
import { KINDS } from "../../src/schemas/kinds";
import { markdownTable } from "../matrix/table";
import { repository } from "../repository";

/** A lookup as the schema of the plugin has it. */
export interface LookupType {
	readonly description: string;
	readonly inputs: { readonly properties: Readonly<Record<string, unknown>> };
}

/** The page as it is, but for the part between `<!-- name -->` and `<!-- /name -->`. */
function withPart(page: string, name: string, part: string): string {
	const text = readFileSync(join(repository, "docs", page), "utf8");
	const marks = new RegExp(`(<!-- ${name} -->)[\\s\\S]*(<!-- /${name} -->)`);
	if (!marks.test(text)) throw new Error(`docs/${page} has no <!-- ${name} -->.`);
	return text.replace(marks, (_, begin, end) => `${begin}${part}${end}`);
}

/** docs/README.md, with a link to the page of each kind: that of PipelineSchedule is pipeline-schedule.md. */
export function indexPage(): string {
	const links = Object.keys(KINDS).map((kind) => {
		const page = kind.replace(/\B[A-Z]/g, "-$&").toLowerCase();
		return `[${kind}](${page}.md)`;
	});
	return withPart("README.md", "resources", links.join(", "));
}

/** docs/lookups.md, with a row for each lookup: its arguments, and the first paragraph of its comment. */
export function lookupsPage(functions: Readonly<Record<string, LookupType>>): string {
	const rows = Object.entries(functions).map(([token, { description, inputs }]) => [
		`\`${token.split(":").at(-1)}\``,
		Object.keys(inputs.properties)
			.map((name) => `\`${name}\``)
			.join(", "),
		description.split("\n")[0] ?? "",
	]);
	const table = markdownTable(["Lookup", "Arguments", "Returns"], rows);
	return withPart("lookups.md", "lookups", `\n\n${table}\n\n`);
}
