import type { IncomingMessage } from "node:http";
import type { Context } from "hono";
import { invalid, Refusal } from "../refusal";
import type { HonoEnv, ServerContext } from "./context";

const CLOSE = { Connection: "close" };
type Limits = ServerContext["limits"];

/** Reads a body whole, up to a size and for a time; more than that is refused, not stored. */
export async function readBody(
	incoming: IncomingMessage,
	{ jsonBytes, bodyMillis }: Limits,
): Promise<Buffer> {
	const tooLarge = () => new Refusal(413, `The body is larger than ${jsonBytes} bytes.`, CLOSE);
	if (Number(incoming.headers["content-length"] ?? 0) > jsonBytes) throw tooLarge();
	let timer: NodeJS.Timeout | undefined;
	const body = new Promise<Buffer>((resolve, reject) => {
		const chunks: Buffer[] = [];
		let size = 0;
		const slow = () => reject(new Refusal(408, `The body did not arrive within ${bodyMillis} ms.`, CLOSE));
		timer = setTimeout(slow, bodyMillis);
		incoming.on("data", (chunk: Buffer) => {
			size += chunk.length;
			if (size > jsonBytes) reject(tooLarge());
			else chunks.push(chunk);
		});
		incoming.on("end", () => resolve(Buffer.concat(chunks)));
		const gone = () => reject(invalid("The body ended early."));
		incoming.on("error", gone).on("close", gone);
	});
	return body.finally(() => clearTimeout(timer));
}

/** What says that it is something else is not guessed at: a form that happens to be JSON was not meant for us. */
export async function readJson(c: Context<HonoEnv>, limits: Limits): Promise<Record<string, unknown>> {
	const bytes = await readBody(c.env.incoming, limits);
	const type = c.req.header("content-type")?.trim() ?? "application/json";
	if (bytes.length > 0 && !/^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(type)) {
		throw new Refusal(415, "The body must be JSON, sent with Content-Type: application/json.");
	}
	return parseJsonObject(bytes);
}

/** A JSON object with its null fields left out: the service's client sends what is not set as null. */
export function parseJsonObject(bytes: Buffer): Record<string, unknown> {
	if (bytes.length === 0) return {};
	let value: unknown;
	try {
		value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
	} catch {
		throw invalid("The body is not valid JSON.");
	}
	if (typeof value !== "object" || value === null || Array.isArray(value)) {
		throw invalid("The body must be a JSON object.");
	}
	return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null));
}
