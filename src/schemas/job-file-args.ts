import { z } from "zod";
import { objectName } from "./primitives";

/** A Pulumi asset as the engine spells it: one of a path, a text or a URI, with the hash of its content. */
export const assetSchema = z.looseObject({
	"4dabf18193072939515e22adb298388d": z.literal("c44067f5952c0a294b673a41bacd8c17"),
	hash: z.string().optional(),
	path: z.string().optional(),
	text: z.string().optional(),
	uri: z.string().optional(),
});

export type Asset = z.infer<typeof assetSchema>;

export const fileName = objectName.refine((name) => !/[\\/]/.test(name) && name !== "." && name !== "..", {
	error: "must be a plain file name, without a folder",
});
