/**
 * What a comment says in a way that holds for TypeScript only, in words that hold for every language. A test reads
 * every description of the schema for such words.
 */
const NEUTRAL: Readonly<Record<string, string>> = {
	"PipelineSettings.requirements":
		"Packages to install, one requirement each. With a password in it, it is stored as a secret.",
	"PipelineSettings.files":
		"Ids of the files attached to the pipeline's jobs, as JobFile gives them. The API does not return them, so drift in them cannot be detected.",
};

/** The comment without its examples, which are in TypeScript; paragraphs stay. */
export function wording(name: string, comment: string): string {
	return (NEUTRAL[name] ?? comment)
		.replace(/```[\s\S]*?```/g, "")
		.split(/\n{2,}/)
		.map((paragraph) => paragraph.replace(/\s*\n\s*/g, " ").trim())
		.filter((paragraph) => paragraph !== "")
		.join("\n\n");
}
