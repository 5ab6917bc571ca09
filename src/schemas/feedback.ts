import { z } from "zod";

export const actionFeedbackSchema = z.looseObject({ message: z.string().nullish() });
export type ActionFeedback = z.infer<typeof actionFeedbackSchema>;

/** The only error shape the service's own client reads. */
export const errorReplySchema = z.looseObject({ message: z.string() });
