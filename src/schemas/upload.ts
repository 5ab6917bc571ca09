import { z } from "zod";
import { integer } from "./primitives";

export const uploadedFileSchema = z.looseObject({
	id: z.union([integer, z.string().min(1)]),
	filename: z.string().nullish(),
	size: integer.nullish(),
	state: z.string().nullish(),
	error: z.string().nullish(),
});
