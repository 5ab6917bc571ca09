import { z } from "zod";

export const actionFeedbackSchema = z.looseObject({ message: z.string().nullish() });

/** The only error shape the service's own client reads. */
export const errorReplySchema = z.looseObject({ message: z.string() });
