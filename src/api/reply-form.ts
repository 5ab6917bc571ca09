import { z } from "zod";
import { integerOrStringId } from "../schemas/primitives";
import type { UnreadableInfo } from "./options";
import { printable } from "./redact";

/** An element of a list that does not have the documented form. */
export type Unreadable = Pick<UnreadableInfo, "which" | "why">;

/**
 * The content in its documented form, or what is wrong with it. One odd element does not cost a list the others: it is
 * left out and reported. A list of odd elements only is no such list, because an empty one would mean something else.
 */
export function parseForm<Reply>(
	schema: z.ZodType<Reply>,
	content: unknown,
	onUnreadable: (element: Unreadable) => void,
): { readonly reply: Reply } | { readonly problem: string } {
	const whole = schema.safeParse(content);
	if (whole.success) return { reply: whole.data };
	const element = schema instanceof z.ZodArray ? schema.element : undefined;
	if (element && Array.isArray(content)) {
		const { readable, unreadable } = sorted(content, element);
		const rest = schema.safeParse(readable);
		if (readable.length > 0 && rest.success) {
			for (const one of unreadable) onUnreadable(one);
			return { reply: rest.data };
		}
	}
	return { problem: problemOf(whole.error) };
}

function sorted(elements: readonly unknown[], schema: z.core.$ZodType) {
	const readable: unknown[] = [];
	const unreadable: Unreadable[] = [];
	for (const [index, element] of elements.entries()) {
		const { error } = z.safeParse(schema, element);
		if (error) unreadable.push({ which: nameOf(element, index), why: problemOf(error) });
		else readable.push(element);
	}
	return { readable, unreadable };
}

const text = z.string().min(1).optional().catch(undefined);
const id = integerOrStringId.optional().catch(undefined);
const namingSchema = z.looseObject({ name: text, schedule_name: text, pipeline_id: text, id });

/** Who the element says it is; names first, because people know those. */
function nameOf(element: unknown, index: number): string {
	const { data } = namingSchema.safeParse(element);
	const named = data?.schedule_name ?? data?.name ?? data?.pipeline_id ?? data?.id;
	return named === undefined ? `position ${index + 1}` : printable(String(named), 100);
}

/** Maps with keys of the users' own making; a message names the map and not the key. */
const OPEN_MAPS = new Set(["environment", "environment_variables", "params", "metrics"]);

function problemOf(error: z.core.$ZodError): string {
	return error.issues
		.slice(0, 3)
		.map(({ path, message }) => {
			const open = path.findIndex((key) => OPEN_MAPS.has(String(key)));
			const shown = open < 0 ? path : path.slice(0, open + 1);
			return `${shown.length === 0 ? "the reply" : shown.map(String).join(".")}: ${message}`;
		})
		.join("; ");
}
