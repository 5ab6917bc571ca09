import { z } from "zod";
import { integer } from "./primitives";

export const UPLOAD_STATES = ["pending", "uploaded", "failed"] as const;

export const uploadedFileSchema = z.looseObject({
	id: z.union([integer, z.string().min(1)]),
	filename: z.string().nullish(),
	size: integer.nullish(),
	state: z.string().nullish(),
	error: z.string().nullish(),
});

export type UploadedFile = z.infer<typeof uploadedFileSchema>;
