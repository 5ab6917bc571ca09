import { ApiError, errorCode } from "../client/errors";
import { parseJson } from "../client/reply";
import { download, readAll } from "../client/transport";
import { type Endpoint, endpoints } from "../schemas/endpoints";
import type { EndpointName } from "../schemas/wire/endpoints";
import { compareReply, compareRequest, type Findings } from "./compare";
import {
	describedForm,
	type Field,
	fieldsOf,
	formOf,
	listOf,
	resolveReference,
} from "./form";
import { fieldOf } from "./service";

/** What the service says about itself; undefined if it publishes nothing. */
export interface Description {
	readonly document: object | undefined;
	/** Path of the base URL, which a description may leave to its `servers`. */
	readonly basePath: string;
}

/** The command cannot go on. The message is one line, and nothing is sent after it. */
export class VerifyError extends Error {
	override readonly name = "VerifyError";
}

/** What to do if something else answers at the service's address. */
const CHECK_ADDRESS_HINT =
	"Check the base URL (DATACHAIN_STUDIO_URL or datachain:baseUrl), or leave this part out with --no-description.";

/** A description of two hundred operations is well below one MiB. */
const MOST_BYTES = 8 * 1024 * 1024;
const TIME_LIMIT_MILLIS = 60_000;

/** Reads the description that the service publishes, without the token. */
export async function readDescription(
	baseUrl: string,
	signal: AbortSignal,
): Promise<Description> {
	const url = new URL(`${baseUrl}/openapi.json`);
	const basePath = new URL(baseUrl).pathname;
	const ends = AbortSignal.any([signal, AbortSignal.timeout(TIME_LIMIT_MILLIS)]);
	let text: string;
	try {
		text = (await readAll(download(url, 20_000, ends), MOST_BYTES)).toString("utf8");
	} catch (error) {
		const code =
			error instanceof Error && error.name === "TimeoutError"
				? "TIMEOUT"
				: errorCode(error);
		if (code === "status 404") return { document: undefined, basePath };
		if (error instanceof ApiError || signal.aborted) throw error;
		throw new VerifyError(`${about(url)} ${reasonOf(code)}`);
	}
	const document = parseJson(text);
	if (
		typeof document === "object" &&
		document !== null &&
		fieldOf(document, "paths") !== undefined
	)
		return { document, basePath };
	throw new VerifyError(
		`${about(url)} is ${document === undefined ? "not JSON" : "not an OpenAPI document"}. ${CHECK_ADDRESS_HINT}`,
	);
}

const about = ({ origin, pathname }: URL): string =>
	`The description at ${origin}${pathname}`;

function reasonOf(code: string): string {
	if (code === "TOO_LARGE")
		return `is larger than ${MOST_BYTES / 1024 / 1024} MiB, so it was not read to its end. ${CHECK_ADDRESS_HINT}`;
	if (/^status 3\d\d$/.test(code))
		return `redirects to another address (${code}), which is not followed. ${CHECK_ADDRESS_HINT}`;
	if (code.startsWith("status "))
		return `cannot be read: the service answered with ${code}. ${CHECK_ADDRESS_HINT}`;
	if (code === "TIMEOUT") return "did not come within 60 s. Try again later.";
	return `cannot be read (${code}). Check the base URL (DATACHAIN_STUDIO_URL or datachain:baseUrl), the network and the proxy.`;
}

/** How an operation is described, and where that is not what the provider takes for granted. */
export type Comparison =
	| ({ readonly described: true } & Findings)
	| { readonly described: false; readonly instead: string | undefined };

const METHODS = ["get", "put", "post", "delete", "patch"];

/** Holds an operation against its description. */
export function compareOperation(
	name: EndpointName,
	{ document, basePath }: Description,
): Comparison {
	const { method, path } = endpoints[name];
	const paths = Object.entries(Object(fieldOf(document, "paths")));
	const wanted = shapeOf(path);
	const matches = paths.filter(([each]) =>
		formsOf(each, document, basePath).includes(wanted),
	);
	const [, item] =
		matches.find(([, each]) => fieldOf(each, method.toLowerCase()) !== undefined) ?? [];
	if (item !== undefined)
		return { described: true, ...findingsOf(name, item, document) };
	const [[, other] = []] = matches;
	const others = METHODS.filter((each) => fieldOf(other, each) !== undefined).map(
		(each) => each.toUpperCase(),
	);
	// The service has operations that the description leaves out; a path with other methods is not such a one.
	if (others.length > 0)
		return {
			described: false,
			instead: `the path is described for ${others.join(", ")} only`,
		};
	const slashed = path.endsWith("/") ? path.slice(0, -1) : `${path}/`;
	const isNear = paths.some(
		([each, methods]) =>
			formsOf(each, document, basePath).includes(shapeOf(slashed)) &&
			fieldOf(methods, method.toLowerCase()) !== undefined,
	);
	const instead = isNear
		? `the path is described ${path.endsWith("/") ? "without" : "with"} a slash at its end`
		: undefined;
	return { described: false, instead };
}

/** A path whose parameters have no names, because those do not travel. */
const shapeOf = (path: string): string => path.replace(/\{[^}]*\}/g, "{}");

/** A described path as it stands below the base URL: alone, with the base's own path before it, or that of its `servers`. */
function formsOf(path: string, document: unknown, basePath: string): string[] {
	const servers = listOf(fieldOf(document, "servers")) ?? [];
	const urls = servers.map((server) => String(fieldOf(server, "url") ?? ""));
	const prefixes = urls.flatMap((url) =>
		URL.canParse(url, "http://base") ? [new URL(url, "http://base").pathname] : [],
	);
	const full = prefixes.map((prefix) => `${prefix.replace(/\/$/, "")}${path}`);
	return [path, ...full].flatMap((each) => {
		const below = each.startsWith(`${basePath}/`) ? [each.slice(basePath.length)] : [];
		return [each, ...below].map(shapeOf);
	});
}

function findingsOf(name: EndpointName, item: unknown, document: unknown): Findings {
	const findings: Findings = { differences: [], news: [] };
	const endpoint: Endpoint = endpoints[name];
	const { method, query, body, bodyType, reply } = endpoint;
	const missing = (problem: string) =>
		findings.differences.push({
			place: "request field",
			path: "(all)",
			problem,
			matters: true,
		});
	const operation = fieldOf(item, method.toLowerCase());
	const parameters = [
		...parametersOf(item, document),
		...parametersOf(operation, document),
	];
	const always = ["team_name", ...(bodyType === "multipart" ? ["file"] : [])];
	compareRequest("parameter", fieldsOf(query), new Map(parameters), always, findings);
	const content = fieldOf(
		resolveReference(fieldOf(operation, "requestBody"), document),
		"content",
	);
	const type = bodyType === "multipart" ? "multipart/form-data" : "application/json";
	if (body !== undefined) {
		const sent = describedForm(
			fieldOf(fieldOf(content, type), "schema"),
			document,
		).fields;
		if (sent !== undefined)
			compareRequest("request field", fieldsOf(body), sent, always, findings);
		else missing(`no body of type ${type} described`);
	} else if (requiresBody(operation, document)) {
		missing("a body required");
	}
	const theirs = replySchema(operation, document);
	if (theirs !== undefined)
		compareReply(formOf(reply), describedForm(theirs, document), findings);
	return findings;
}

const requiresBody = (operation: unknown, document: unknown): boolean =>
	fieldOf(resolveReference(fieldOf(operation, "requestBody"), document), "required") ===
	true;

function* parametersOf(holder: unknown, document: unknown): Generator<[string, Field]> {
	for (const each of listOf(fieldOf(holder, "parameters")) ?? []) {
		const parameter = resolveReference(each, document);
		const name = fieldOf(parameter, "name");
		if (fieldOf(parameter, "in") !== "query" || typeof name !== "string") continue;
		const form = describedForm(fieldOf(parameter, "schema"), document);
		yield [name, { form, required: fieldOf(parameter, "required") === true }];
	}
}

function replySchema(operation: unknown, document: unknown): unknown {
	const responses = Object.entries(Object(fieldOf(operation, "responses")));
	const [, success] = responses.find(([status]) => /^2/.test(status)) ?? [];
	const content = fieldOf(resolveReference(success, document), "content");
	return fieldOf(fieldOf(content, "application/json"), "schema");
}

/** Operations of the API that the provider does not know: `GET /datachain/datasets`. */
export function unknownOperations({ document, basePath }: Description): string[] {
	const ours = new Set(
		Object.values(endpoints).map(({ method, path }) => `${method} ${shapeOf(path)}`),
	);
	return Object.entries(Object(fieldOf(document, "paths"))).flatMap(([path, item]) =>
		METHODS.filter((method) => fieldOf(item, method) !== undefined)
			.map((method) => method.toUpperCase())
			.filter(
				(method) =>
					!formsOf(path, document, basePath).some((form) =>
						ours.has(`${method} ${form}`),
					),
			)
			.map((method) => `${method} ${path}`),
	);
}
