/**
 * What a comment says in a way that holds for TypeScript only, in words that hold for every language. A test reads
 * every description of the schema for such words.
 */
const NEUTRAL: Readonly<Record<string, string>> = {
	"JobFile.source":
		"The file: a path (relative to the program), or an asset of Pulumi's: of a file, of a text or of a remote address.",
	"PipelineSettings.environment":
		"Environment variables of the pipeline's jobs, all of them: a variable that someone adds elsewhere is drift. A value that is a Pulumi secret is encrypted in the state.",
	"PipelineSettings.requirements":
		"Packages to install, one requirement each. With a password in it, it is stored as a secret.",
	"PipelineSettings.storage":
		"How the jobs reach their data: the parameters of each kind of storage. Rendered into the environment (`FSSPEC_S3`, …), so that scripts need no credentials. Credentials become secrets by themselves. Without `environment`, only these variables are managed.",
	"PipelineSettings.files":
		"Ids of the files attached to the pipeline's jobs, as JobFile gives them. The service does not show them, so drift in them is not found.",
	StorageByKind: "Parameters by kind of storage.",
	"GsArgs.token":
		"Credentials: a token dictionary (a service account's key file as an object), a path to a token file in the job, or one of the words `anon` (anonymous), `google_default`, `cloud`, `cache`. Always stored as a secret. Wire name `token`. Default: none (the default credentials).",
	JobResult: "A job. Its environment is always a secret, because the service does not tell which values are.",
	PipelineResult:
		"A pipeline. Its environment is always a secret, because the service does not tell which values are.",
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
