/*
 * The inputs that take one of some words. A program gives the word itself, "keep", or names it,
 * `PipelineSettingsOnDestroy.Keep`: that is how code which Pulumi writes looks. The provider checks inputs against these
 * words, and the plugin's schema has them with these comments.
 */

/** What happens to the settings when the resource is deleted. */
export const PipelineSettingsOnDestroy = {
	/** The settings are kept. */
	Keep: "keep",
	/** The declared keys are cleared. */
	Reset: "reset",
} as const;
export type PipelineSettingsOnDestroy = WordOf<typeof PipelineSettingsOnDestroy>;

/** What happens to the pipeline when the resource is deleted. */
export const PipelineOnDestroy = {
	/** The pipeline is paused. */
	Pause: "pause",
	/** The pipeline is not changed. */
	Leave: "leave",
} as const;
export type PipelineOnDestroy = WordOf<typeof PipelineOnDestroy>;

/** Language of the query. */
export const JobQueryType = {
	/** Python runs it. */
	Python: "PYTHON",
	/** A shell runs it. */
	Shell: "SHELL",
} as const;
export type JobQueryType = WordOf<typeof JobQueryType>;

/** Access to request from Google Cloud Storage. */
export const GsAccess = {
	/** To read objects. */
	ReadOnly: "read_only",
	/** To read and write objects. */
	ReadWrite: "read_write",
	/** To read and write objects, and to change who may access them. */
	FullControl: "full_control",
} as const;
export type GsAccess = WordOf<typeof GsAccess>;

/** Check of written files. */
export const GsConsistency = {
	/** Not at all. */
	None: "none",
	/** By their size. */
	Size: "size",
	/** By their MD5 checksum. */
	Md5: "md5",
} as const;
export type GsConsistency = WordOf<typeof GsConsistency>;

type WordOf<Enum> = Enum[keyof Enum];
