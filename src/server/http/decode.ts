import { z } from "zod";
import { invalid } from "../refusal";

/** Query parameters are text; the schema of each says what the text stands for. */
export function decodeQuery(shape: z.ZodRawShape, query: URLSearchParams): Record<string, unknown> {
	const values: Record<string, unknown> = {};
	for (const [name, schema] of Object.entries(shape)) {
		// `status=` says as much as no status at all.
		const texts = query.getAll(name).filter((text) => text !== "");
		if (texts.length > 0) values[name] = decodeValue(schema, texts);
	}
	return values;
}

function decodeValue(schema: z.core.$ZodType, texts: string[]): unknown {
	const [text = ""] = texts;
	if (schema instanceof z.ZodOptional) return decodeValue(schema.unwrap(), texts);
	if (schema instanceof z.ZodArray) return texts;
	if (schema instanceof z.ZodNumber && /^-?\d{1,20}$/.test(text)) return Number(text);
	// The service's client is written in Python and sends True.
	if (schema instanceof z.ZodBoolean && /^(true|1)$/i.test(text)) return true;
	if (schema instanceof z.ZodBoolean && /^(false|0)$/i.test(text)) return false;
	return text;
}

/** Unknown fields are ignored, as everywhere in this API; wrong ones are named, without their value. */
export function parseShape(shape: z.ZodRawShape, values: Record<string, unknown>): Record<string, unknown> {
	const parsed = z.object(shape).safeParse(values);
	if (parsed.success) return parsed.data;
	const problems = parsed.error.issues.slice(0, 5).map((issue) => {
		const field = issue.path.map(String).join(".");
		const missing = issue.path.length === 1 && !Object.hasOwn(values, String(issue.path[0]));
		return `${field}: ${missing ? "is missing" : lowerFirst(issue.message)}`;
	});
	throw invalid(`${problems.join("; ")}.`);
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
