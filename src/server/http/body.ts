import type { IncomingMessage } from "node:http";
import { invalid, Refusal } from "../refusal";
import type { ServerContext } from "./context";

const CLOSE = { Connection: "close" };

/** Reads a body whole, up to a size and for a time; more than that is refused, not stored. */
export function readBody(
	incoming: IncomingMessage,
	{ jsonBytes, bodyMillis }: ServerContext["limits"],
): Promise<Buffer> {
	const tooLarge = () => new Refusal(413, `The body is larger than ${jsonBytes} bytes.`, CLOSE);
	if (Number(incoming.headers["content-length"] ?? 0) > jsonBytes) return Promise.reject(tooLarge());
	return new Promise((resolve, reject) => {
		const chunks: Buffer[] = [];
		let size = 0;
		const settle = (finish: () => void): void => {
			clearTimeout(timer);
			incoming.off("data", onData).off("end", onEnd).off("error", onGone).off("close", onGone);
			finish();
		};
		const onData = (chunk: Buffer): void => {
			size += chunk.length;
			if (size > jsonBytes) settle(() => reject(tooLarge()));
			else chunks.push(chunk);
		};
		const onEnd = (): void => settle(() => resolve(Buffer.concat(chunks)));
		const onGone = (): void => settle(() => reject(invalid("The body ended early.")));
		const timer = setTimeout(
			() => settle(() => reject(new Refusal(408, `The body did not arrive within ${bodyMillis} ms.`, CLOSE))),
			bodyMillis,
		);
		incoming.on("data", onData).on("end", onEnd).on("error", onGone).on("close", onGone);
	});
}

/** What says that it is something else is not guessed at: a form that happens to be JSON was not meant for us. */
export function requireJsonType(type: string | undefined, bytes: Buffer): void {
	if (bytes.length === 0 || type === undefined) return;
	if (/^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(type.trim())) return;
	throw new Refusal(415, "The body must be JSON, sent with Content-Type: application/json.");
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
