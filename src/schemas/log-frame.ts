import { z } from "zod";
import { integer } from "./primitives";

/**
 * Frames of the log WebSocket. Each carries one of these keys; a bare `message` is the service's final error.
 * Log ids count up per job and stay stable, so that a reader can drop what it has seen after a reconnect.
 */
export const logFrameSchema = z.looseObject({
	type: z.string().nullish(),
	logs: z.array(z.looseObject({ id: integer, message: z.string() })).nullish(),
	log_blobs: z.array(z.string()).nullish(),
	job: z.looseObject({ status: z.string() }).nullish(),
	message: z.string().nullish(),
});

export type LogFrame = z.infer<typeof logFrameSchema>;
