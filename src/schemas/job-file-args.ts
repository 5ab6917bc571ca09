import { z } from "zod";
import { objectName, teamName } from "./primitives";

/** A Pulumi asset as the engine spells it: one of a path, a text or a URI, with the hash of its content. */
export const assetSchema = z.looseObject({
	"4dabf18193072939515e22adb298388d": z.literal("c44067f5952c0a294b673a41bacd8c17"),
	hash: z.string().optional(),
	path: z.string().optional(),
	text: z.string().optional(),
	uri: z.string().optional(),
});

export type Asset = z.infer<typeof assetSchema>;

const fileName = objectName.refine((name) => !/[\\/]/.test(name) && name !== "." && name !== "..", {
	error: "must be a plain file name, without a folder",
});

/** Inputs of the JobFile resource, as they reach the provider. */
export const jobFileArgsShape = {
	source: z
		.union([z.string().min(1, "must not be empty"), assetSchema], { error: "must be a path or an asset" })
		.optional(),
	text: z.string().optional(),
	name: fileName.optional(),
	teamName,
	/** SHA-256 of the content, filled in by the provider's check: what decides whether the file has changed. */
	contentHash: z.string().optional(),
};

export type JobFileArgs = z.infer<z.ZodObject<typeof jobFileArgsShape>>;
