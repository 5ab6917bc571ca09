import { createHash } from "node:crypto";
import { isLoopback } from "../base-url";

/** Lines longer than this come in pieces; a log without newlines must not fill the memory. */
const MAX_LINE_BYTES = 1024 * 1024;

/**
 * What the reader has been given, kept as a number, a count and a hash and not as text. Ids tell which live lines
 * are new after a reconnect; bytes and hash tell which part of a stored log the live lines already covered.
 */
export class Delivered {
	private lastId = Number.NEGATIVE_INFINITY;
	private readonly hash = createHash("sha256");
	bytes = 0;

	/** True for a live line that was not delivered yet, which it then counts as. */
	takeLine(id: number, message: string): boolean {
		if (id <= this.lastId) return false;
		this.lastId = id;
		this.takeText(Buffer.from(message));
		return true;
	}

	takeText(bytes: Uint8Array): void {
		this.hash.update(bytes);
		this.bytes += bytes.length;
	}

	/** Hex digest of everything delivered so far. */
	digest(): string {
		return this.hash.copy().digest("hex");
	}
}

/** A URL that may be fetched for a stored log: https, or http on this machine; undefined for anything else. */
export function storedLogUrl(text: string): URL | undefined {
	if (!URL.canParse(text)) return undefined;
	const url = new URL(text);
	if (url.username !== "" || url.password !== "") return undefined;
	return url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname))
		? url
		: undefined;
}

/**
 * The lines of a stored log that the reader does not have. `open` starts the log from its beginning; it is
 * called a second time only where the stored log does not begin with what was delivered live. Then nothing tells
 * which lines are new, and all are given: a repeated line does less harm than a lost one.
 */
export async function* newLines(
	open: () => AsyncIterable<Uint8Array>,
	delivered: Delivered,
): AsyncGenerator<string, void, undefined> {
	const known = { left: delivered.bytes, digest: delivered.digest(), matched: delivered.bytes === 0 };
	for await (const line of splitLines(after(known, open()))) yield take(line, delivered);
	// One that ended within the known beginning is older than the live lines and holds nothing new.
	if (known.matched || known.left > 0) return;
	for await (const line of splitLines(open())) yield take(line, delivered);
}

function take(line: Buffer, delivered: Delivered): string {
	delivered.takeText(line);
	return line.toString("utf8");
}

interface Beginning {
	/** Bytes of it that are still to come. */
	left: number;
	matched: boolean;
	readonly digest: string;
}

/** Passes on what follows a known beginning, or nothing where the beginning is another. */
async function* after(
	known: Beginning,
	chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
	const hash = createHash("sha256");
	for await (const chunk of chunks) {
		const skipped = Math.min(known.left, chunk.length);
		if (skipped > 0) {
			hash.update(chunk.subarray(0, skipped));
			known.left -= skipped;
			if (known.left === 0) known.matched = hash.digest("hex") === known.digest;
		}
		if (known.left > 0) continue;
		if (!known.matched) return;
		if (skipped < chunk.length) yield chunk.subarray(skipped);
	}
}

/** Whole lines, newline included, so that a character is never cut between two chunks. */
async function* splitLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void, undefined> {
	let rest: Buffer = Buffer.alloc(0);
	for await (const chunk of chunks) {
		rest = rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([rest, chunk]);
		let start = 0;
		for (let at = rest.indexOf(10); at >= 0; at = rest.indexOf(10, start)) {
			yield rest.subarray(start, at + 1);
			start = at + 1;
		}
		rest = rest.subarray(start);
		while (rest.length > MAX_LINE_BYTES) {
			const end = characterBoundary(rest, MAX_LINE_BYTES);
			yield rest.subarray(0, end);
			rest = rest.subarray(end);
		}
	}
	if (rest.length > 0) yield rest;
}

/** The last place at or before `at` that does not cut a UTF-8 character. */
function characterBoundary(bytes: Buffer, at: number): number {
	let end = at;
	while (end > at - 4 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
	return end;
}
