import { endpoints } from "../../schemas/endpoints";
import type { EndpointName } from "../../schemas/wire/endpoints";
import type { JsonSchema } from "./components";

/** Every error has the same body; the status says what kind of mistake it is. */
const ERRORS = {
	BadRequest: [400, "A field is missing or wrong, or the body is not readable; the message names the field."],
	NotAuthenticated: [401, "The token is missing or unknown."],
	NotAuthorized: [403, "The token has no access to the team, or lacks read or write access."],
	NotFound: [404, "What the request names does not exist in the team."],
	MethodNotAllowed: [405, "The path exists, but not with this method."],
	Timeout: [408, "The body did not arrive in time."],
	Conflict: [409, "The object is not in a state that allows this."],
	TooLarge: [413, "The body is larger than the server takes."],
	UnsupportedType: [415, "The body is not sent as JSON."],
	TooManyRequests: [429, "Too many requests; Retry-After says when to come back."],
	ServerError: [500, "The server failed. The request may have been carried out."],
} as const satisfies Record<string, readonly [number, string]>;

type ErrorName = keyof typeof ERRORS;

const CONFLICTS: readonly EndpointName[] = ["cancelJob", "removeJob"];

export const jsonReply = (description: string, schema: JsonSchema): JsonSchema => ({
	description,
	content: { "application/json": { schema } },
});

export function errorComponents(): Record<string, JsonSchema> {
	return Object.fromEntries(
		Object.entries(ERRORS).map(([name, [status, description]]) => [
			name,
			{
				description,
				...(status === 429
					? { headers: { "Retry-After": { description: "Seconds, or a date", schema: { type: "string" } } } }
					: {}),
				content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
			},
		]),
	);
}

export function errorResponses(name: EndpointName): Record<string, JsonSchema> {
	const hasBody = endpoints[name].body !== undefined;
	const applies: Partial<Record<ErrorName, boolean>> = {
		// Who lists or uploads names nothing that could be missing.
		NotFound: !name.startsWith("list") && name !== "uploadFile",
		Conflict: CONFLICTS.includes(name),
		Timeout: hasBody,
		TooLarge: hasBody,
		UnsupportedType: hasBody && endpoints[name].bodyType === undefined,
	};
	const used = (Object.keys(ERRORS) as ErrorName[]).filter((error) => applies[error] ?? true);
	return Object.fromEntries(
		used.map((error) => [ERRORS[error][0], { $ref: `#/components/responses/${error}` }]),
	);
}
