import { z } from "zod";
import { integer, integerOrStringId } from "./primitives";

export const uploadedFileSchema = z.looseObject({
	id: integerOrStringId,
	filename: z.string().nullish(),
	size: integer.nullish(),
	state: z.string().nullish(),
	error: z.string().nullish(),
});
