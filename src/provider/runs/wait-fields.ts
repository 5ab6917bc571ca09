import { z } from "zod";
import { parseDuration } from "../../schemas/duration";
import type { Field } from "../shared/table";

const DEFAULT_TIMEOUT = "1h";

/** How a deployment waits for what it started. Neither makes a difference to what is on the service. */
export const WAIT_FIELDS = {
	wait: { schema: z.boolean("must be true or false").optional(), change: "none" },
	timeout: {
		schema: z
			.union([z.string(), z.number()], { error: 'must be a text such as "30m", or a number of seconds' })
			.refine((value) => parseDuration(value) !== undefined, {
				error: 'must look like "90s", "30m" or "1h30m", or be a number of seconds, up to 24 days',
			})
			.optional(),
		change: "none",
	},
	/** Any value: another one runs it again. */
	triggers: { schema: z.unknown().optional(), change: "replace", hidden: true },
} as const satisfies Record<string, Field<never>>;

export const timeoutOf = (timeout: string | number | undefined): number =>
	parseDuration(timeout ?? DEFAULT_TIMEOUT) ?? 0;
