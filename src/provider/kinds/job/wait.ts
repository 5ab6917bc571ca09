import { z } from "zod";
import { type Clean, cleanOf } from "../../../operations/job-log";
import { parseDuration } from "../../../text/duration";
import { valueInWords } from "../../../text/value";
import { resourceName } from "../../model/messages";
import { isUnknown, type Props } from "../../model/props";
import { textsIn, valueAt } from "../../model/secrets";
import type { Field } from "../../model/table";
import type { Call } from "../../run/context";

/** How a deployment waits for what it started, which makes no difference to the service, and what starts it again. */
export const WAIT_FIELDS = {
	wait: { schema: z.boolean("must be true or false").optional(), change: "none" },
	timeout: {
		schema: z
			.union([z.string(), z.number()], {
				error: 'must be a string such as "30m" or a number of seconds',
			})
			.refine((value) => parseDuration(value) !== undefined, {
				error: ({ input }) =>
					`must look like "90s", "30m" or "1h30m", or be a number of seconds, up to 24 days, not ${valueInWords(input)}`,
			})
			.optional(),
		change: "none",
	},
	/** Any value: another one runs it again. */
	triggers: { schema: z.unknown().optional(), change: "replace", hidden: true },
} as const satisfies Record<string, Field<never>>;

/** The deployment does not wait, which whoever gives a timeout may not expect. */
export function timeoutNotice(call: Call, { wait, timeout }: Props): void {
	if (timeout === undefined || wait !== undefined || isUnknown(timeout)) return;
	call.notice(
		`${resourceName(call.urn)}: timeout ${JSON.stringify(timeout)} has no effect, because wait is not set. Set wait to true, or ` +
			"leave timeout out.",
	);
}

/** Takes the inputs that are secrets out of what a job writes. */
export const redactedFor = ({ secrets }: Pick<Call, "secrets">, inputs: Props): Clean =>
	cleanOf(secrets.flatMap((path) => textsIn(valueAt(inputs, path))));
