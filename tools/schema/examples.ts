import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { LOOKUP_LANGUAGES, lookupProgram } from "./lookup-examples";

/** A page for each resource, with its example in each language. */
const folder = join(__dirname, "examples");

/** The resources that have an example. */
export const EXAMPLE_KINDS = readdirSync(folder)
	.map((name) => name.replace(/\.md$/, ""))
	.sort();

/** Tests compile or deploy every example, except those in C#: there, only the SDK is compiled, when a release is made. */
export const LANGUAGES = [
	"typescript",
	"python",
	"go",
	"csharp",
	"java",
	"yaml",
] as const;
type Language = (typeof LANGUAGES)[number];

/** What the page of a resource shows in a language. */
export function exampleProgram(kind: string, language: Language): string {
	const page = readFileSync(join(folder, `${kind}.md`), "utf8");
	const [, program] =
		new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)\n\`\`\`$`, "m").exec(page) ?? [];
	if (program === undefined)
		throw new Error(`The example of ${kind} is not there in ${language}.`);
	return program;
}

/** How `pulumi import` names an object of the kind; a kind that is missing cannot be imported. */
const IMPORT_IDS: Readonly<Record<string, string>> = {
	PipelineSchedule: "nightly 12",
	PipelineSettings: "images vision/nightly-images",
	Pipeline: "images nightly-images",
};

/** What Pulumi's registry and its generators understand: they show each reader the block of the reader's language. */
export function exampleUsage(kind: string): string {
	const usage = usageOf(
		LANGUAGES.map((language) => [language, exampleProgram(kind, language)]),
	);
	const id = IMPORT_IDS[kind];
	const how = id && [
		"## Import",
		`\`\`\`sh\n$ pulumi import datachain:index:${kind} ${id}\n\`\`\``,
	];
	return [...usage, ...(how || [])].join("\n\n");
}

/** The same for a lookup. */
export const lookupUsage = (name: string): string =>
	usageOf(
		LOOKUP_LANGUAGES.map((language) => [language, lookupProgram(name, language)]),
	).join("\n\n");

function usageOf(
	programs: readonly (readonly [language: string, text: string])[],
): string[] {
	const blocks = programs.map(
		([language, text]) => `\`\`\`${language}\n${text}\n\`\`\``,
	);
	const example = ["{{% example %}}", ...blocks, "{{% /example %}}"];
	return ["{{% examples %}}", "## Example Usage", ...example, "{{% /examples %}}"];
}
