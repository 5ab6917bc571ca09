import { z } from "zod";
import { type Endpoint, endpoints } from "../schemas/endpoints";
import { teamName } from "../schemas/primitives";
import type { EndpointName, ReplyOf } from "../schemas/wire/endpoints";
import { remembering } from "../text/remember";
import type { RequestProblem } from "./errors";
import type { PreparedRequest } from "./options";

/** The endpoint table seen per name, so that a call's reply has its own type and not the union of all. */
export const replySchemas: {
	readonly [Name in EndpointName]: { readonly reply: z.ZodType<ReplyOf<Name>> };
} = endpoints;

/** Ids in a path: what could climb out of it (`..`, `/`) is no id of this service. */
export const pathId = z
	.string()
	.regex(/^[A-Za-z0-9_-]{1,128}$/, "must be an id, a UUID for instance");

export const followRequestSchema = z.strictObject({
	job_id: pathId,
	team_name: teamName.optional(),
	no_follow: z.boolean().optional(),
});

/**
 * Checks the form of every field strictly, before anything is sent. What the values mean, and whether they go together, is
 * for the provider to check, and for the service.
 */
export function prepareRequest(
	name: EndpointName,
	input: Readonly<Record<string, unknown>>,
	teamName: string,
): { request: PreparedRequest } | { problems: RequestProblem[] } {
	const checked = schemaFor(name).safeParse({
		...input,
		team_name: input.team_name ?? teamName,
	});
	if (!checked.success) return { problems: problemsOf(checked.error) };
	return { request: place(endpoints[name], checked.data) };
}

const schemaFor = remembering(
	(name: EndpointName): z.ZodType<Record<string, unknown>> => {
		const endpoint: Endpoint = endpoints[name];
		const inPath = [...endpoint.path.matchAll(/\{(\w+)\}/g)];
		const path = Object.fromEntries(inPath.map(([, field = ""]) => [field, pathId]));
		return z.strictObject({ ...endpoint.query, ...jsonFields(endpoint), ...path });
	},
);

function place(endpoint: Endpoint, fields: Record<string, unknown>): PreparedRequest {
	const only = (names: readonly string[]) =>
		Object.fromEntries(
			names.flatMap((name) =>
				fields[name] === undefined ? [] : [[name, fields[name]]],
			),
		);
	return {
		path: endpoint.path.replace(/\{(\w+)\}/g, (_, field: string) =>
			encodeURIComponent(String(fields[field])),
		),
		query: renderQuery(only(Object.keys(endpoint.query))),
		body:
			endpoint.method === "POST" && endpoint.bodyType === undefined
				? only(Object.keys(jsonFields(endpoint)))
				: undefined,
		fields,
	};
}

function jsonFields(endpoint: Endpoint): z.ZodRawShape {
	return endpoint.bodyType === "multipart" ? {} : (endpoint.body ?? {});
}

function renderQuery(fields: Readonly<Record<string, unknown>>): string {
	const pairs = Object.entries(fields).flatMap(([name, value]) =>
		[value].flat().map((one): [string, string] => [name, String(one)]),
	);
	return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs)}`;
}

/** zod's messages name types, never values; a key nobody knows is named, because that is the problem. */
export function problemsOf(error: z.ZodError): RequestProblem[] {
	return error.issues.slice(0, 20).map((issue) => ({
		field: issue.path.map(String).join("."),
		reason: reasonOf(issue)
			.replace(/\p{Cc}/gu, " ")
			.slice(0, 200)
			.replace(/./, (first) => first.toLowerCase()),
	}));
}

/** The mistakes that programs without types make most, in words that name the fix. */
function reasonOf(issue: z.core.$ZodIssue): string {
	// What is left out is missing, whatever its type.
	if (issue.code !== "invalid_type" || issue.message.endsWith("undefined"))
		return issue.message;
	if (issue.expected === "int") return "must be a whole number";
	if (issue.expected === "number") return "must be a number, without quotes";
	return issue.expected === "string" ? "must be a string, in quotes" : issue.message;
}
