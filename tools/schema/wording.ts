/**
 * What a comment says in a way that holds for TypeScript only, in words that hold for every language. A test reads
 * every description of the schema for such words.
 */
const NEUTRAL: Readonly<Record<string, string>> = {
	"PipelineSettings.requirements":
		"Packages to install, one requirement each. With a password in it, it is stored as a secret.",
	"PipelineSettings.files":
		"Ids of the files attached to the pipeline's jobs, as JobFile gives them. The API does not return them, so drift in them cannot be detected.",
	"ScheduledPipeline.files": "Ids of the files attached to the pipeline's jobs, as JobFile gives them.",
};

interface Words {
	readonly about: string;
	readonly meanings: Readonly<Record<string, string>>;
}

/** What each word of a choice means: a TypeScript union has no comment for each of its members. */
const WORDS: Readonly<Record<string, Words>> = {
	PipelineSettingsOnDestroy: {
		about: "What happens to the settings when the resource is deleted.",
		meanings: {
			keep: "The settings stay as they are.",
			restore: "The values from before Pulumi managed them are put back.",
			reset: "The declared keys are cleared.",
		},
	},
	PipelineOnDestroy: {
		about: "What happens to the pipeline when the resource is deleted.",
		meanings: { pause: "The pipeline is paused.", leave: "The pipeline stays as it is." },
	},
	JobQueryType: {
		about: "What runs the query.",
		meanings: { PYTHON: "Python runs it.", SHELL: "A shell runs it." },
	},
	GsAccess: {
		about: "What the access to Google Cloud Storage is for.",
		meanings: {
			read_only: "To read objects.",
			read_write: "To read and write objects.",
			full_control: "To read and write objects, and to change who may access them.",
		},
	},
	GsConsistency: {
		about: "How written files are checked.",
		meanings: { none: "Not at all.", size: "By their size.", md5: "By their MD5 checksum." },
	},
};

export function wordsOf(name: string): Words {
	const found = WORDS[name];
	if (found === undefined) throw new Error(`wording.ts does not say what the words of ${name} mean.`);
	return found;
}

/** The comment without its examples, which are in TypeScript; paragraphs stay. */
export function wording(name: string, comment: string): string {
	return (NEUTRAL[name] ?? comment)
		.replace(/```[\s\S]*?```/g, "")
		.split(/\n{2,}/)
		.map((paragraph) => paragraph.replace(/\s*\n\s*/g, " ").trim())
		.filter((paragraph) => paragraph !== "")
		.join("\n\n");
}
