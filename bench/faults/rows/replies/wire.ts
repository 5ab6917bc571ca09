import type { Random } from "../../random";
import { CONTENT_KINDS, spoil } from "./mutate";

/** What happens after the bytes of a reply were sent. */
export type Ending = "keep" | "close" | "reset" | "stall" | "drip" | "flood";

export interface WireReply {
	readonly bytes: Buffer;
	readonly ending: Ending;
	/** What `drip` and `flood` go on with. */
	readonly more?: Buffer;
}

/** The ways in which a reply is wrong on the wire, beside those in its content. */
const WIRE_KINDS = [
	"wrong content type",
	"wrong content length",
	"odd status",
	"error with echo",
	"broken head",
	"broken chunks",
	"reset",
	"two replies",
	"endless body",
	"endless head",
] as const;

/** These the server never finishes: only the client's own limits end them. */
const SLOW_KINDS = ["slow body", "slow head", "stall", "length too long"] as const;

const KINDS = [...CONTENT_KINDS, ...WIRE_KINDS] as const;
export const KIND_COUNT = KINDS.length + SLOW_KINDS.length;
export type Kind = (typeof KINDS)[number] | (typeof SLOW_KINDS)[number];

/** The kind comes first from a case's random stream, so that both processes agree on it without talking. */
export function drawKind(random: Random): Kind {
	return random.chance(0.02) ? random.pick(SLOW_KINDS) : random.pick(KINDS);
}

export const isSlow = (kind: Kind): boolean => SLOW_KINDS.some((slow) => slow === kind);

/** The whole reply of one case. */
export function wireReply(kind: Kind, valid: unknown, random: Random, echo: string): WireReply {
	const content = CONTENT_KINDS.find((candidate) => candidate === kind);
	if (content !== undefined) return whole(200, spoil(content, valid, random, echo));
	const body = Buffer.from(JSON.stringify(valid));
	switch (kind) {
		case "wrong content type":
			return whole(200, body, [`content-type: ${random.pick(TYPES)}`, random.pick(ENCODINGS)]);
		case "wrong content length":
			return wrongLength(body, random);
		case "odd status":
			return {
				...whole(random.pick(STATUSES), random.chance(0.5) ? body : Buffer.alloc(0), location(echo)),
				ending: "close",
			};
		case "error with echo":
			return errorWithEcho(random, echo);
		case "broken head":
			return { bytes: Buffer.from(random.pick(HEADS), "latin1"), ending: "close" };
		case "broken chunks":
			return { bytes: Buffer.from(CHUNKED + random.pick(CHUNKS), "latin1"), ending: "close" };
		case "reset":
			return cutAnywhere(whole(200, body).bytes, random);
		case "two replies":
			return { bytes: Buffer.concat([whole(200, body).bytes, whole(404, body).bytes]), ending: "keep" };
		case "endless body":
			return { bytes: head(200, [JSON_TYPE]), ending: "flood", more: Buffer.alloc(64 * 1024, "[ ") };
		case "endless head":
			return {
				bytes: Buffer.from("HTTP/1.1 200 OK\r\n"),
				ending: "flood",
				more: Buffer.from(`x-a: ${"b".repeat(2_000)}\r\n`),
			};
		case "slow body":
			return {
				bytes: head(200, [JSON_TYPE, "content-length: 100000"]),
				ending: "drip",
				more: Buffer.from(" "),
			};
		case "slow head":
			return { bytes: Buffer.from("HTTP/1.1 200 OK\r\nx-a: "), ending: "drip", more: Buffer.from("b") };
		case "length too long":
			return {
				bytes: Buffer.concat([head(200, [JSON_TYPE, `content-length: ${body.length + 10}`]), body]),
				ending: "stall",
			};
		default:
			return { bytes: Buffer.alloc(0), ending: "stall" };
	}
}

const JSON_TYPE = "content-type: application/json";
const CHUNKED = `HTTP/1.1 200 OK\r\n${JSON_TYPE}\r\ntransfer-encoding: chunked\r\n\r\n`;

const TYPES = [
	"text/html",
	"text/plain",
	"image/png",
	"application/json; charset=utf-16",
	"application/xml",
	";;;",
	"multipart/mixed",
	"JSON",
] as const;
const ENCODINGS = [
	"x-a: b",
	"content-encoding: gzip",
	"content-encoding: br",
	"content-encoding: identity",
	"content-type: text/html",
] as const;
const STATUSES = [
	199, 201, 202, 203, 204, 205, 206, 226, 299, 300, 301, 302, 303, 304, 307, 308, 402, 405, 406, 410, 411,
	413, 415, 418, 421, 451, 499, 501, 504, 505, 507, 511, 520, 599, 600, 700, 999,
] as const;
const ERRORS = [400, 401, 403, 404, 408, 409, 422, 429, 500, 502, 503] as const;
const HEADS = [
	"\r\n\r\n",
	"HTTP/1.1\r\n\r\n",
	"HTTP/9.9 200 OK\r\n\r\n",
	"HTTP/1.1 abc OK\r\n\r\n",
	"HTTP/1.1 99999 OK\r\n\r\n",
	"HTTP/1.1 000 OK\r\n\r\n",
	"ICY 200 OK\r\n\r\n",
	"\x16\x03\x01\x02\x00\x01",
	"HTTP/1.1 200 OK\r\nbad header\r\n\r\n",
	"HTTP/1.1 200 OK\r\n: x\r\n\r\n",
	"HTTP/1.1 200 OK\r\nx: \x00\x01\r\n\r\n",
	"HTTP/1.1 200 OK\nx: y\n\n{}",
	"HTTP/1.1 100 Continue\r\n\r\n",
	"HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n",
	"HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n",
	"HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n",
	"HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}",
	"HTTP/1.0 200 OK\r\n\r\n{}",
	"GET / HTTP/1.1\r\n\r\n",
	"HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n{}",
	`HTTP/1.1 200 ${"x".repeat(40_000)}\r\n\r\n`,
] as const;
const CHUNKS = [
	"zz\r\n{}\r\n0\r\n\r\n",
	"ffffffffffffffffff\r\n{}",
	"2\r\n{}0\r\n\r\n",
	"-1\r\n",
	"2\r\n{}\r\n",
	`2;${"a".repeat(30_000)}\r\n{}\r\n0\r\n\r\n`,
	"0\r\n\r\n",
	`0\r\n${"t: u\r\n".repeat(5_000)}\r\n`,
] as const;

function head(status: number, headers: readonly string[]): Buffer {
	return Buffer.from(`HTTP/1.1 ${status} X\r\n${headers.join("\r\n")}\r\n\r\n`, "latin1");
}

function whole(status: number, body: Buffer, headers: readonly string[] = [JSON_TYPE]): WireReply {
	return {
		bytes: Buffer.concat([head(status, [...headers, `content-length: ${body.length}`]), body]),
		ending: "keep",
	};
}

/** What a redirect would carry away, if one were followed. */
const location = (echo: string): string[] => [
	JSON_TYPE,
	`location: http://127.0.0.1:1/${encodeURIComponent(echo.slice(0, 200))}`,
];

function wrongLength(body: Buffer, random: Random): WireReply {
	const claimed = random.pick(
		[0, 1, body.length - 1, body.length + 1, 2 ** 53, 2 ** 31]
			.map(String)
			.concat("abc", "1e3", "", "0x10") as [string],
	);
	return {
		bytes: Buffer.concat([head(200, [JSON_TYPE, `content-length: ${claimed}`]), body]),
		ending: "close",
	};
}

function cutAnywhere(bytes: Buffer, random: Random): WireReply {
	return {
		bytes: bytes.subarray(0, random.integer(0, bytes.length - 1)),
		ending: random.pick(["reset", "close"]),
	};
}

/** A service that repeats what it was sent: as it is, as JSON would write it, cut off, and in the head. */
function errorWithEcho(random: Random, echo: string): WireReply {
	const said = random.pick([
		echo,
		JSON.stringify(echo),
		echo.slice(0, random.integer(0, echo.length)),
		`${echo} ${echo}`,
		echo.repeat(50),
	]);
	const content = random.pick([
		{ message: said },
		{ message: said, detail: said },
		{ message: [said] },
		{ error: said },
		said,
	]);
	const inHead = encodeURIComponent(said.slice(0, 300));
	const headers = [
		JSON_TYPE,
		`retry-after: ${random.pick([inHead, "0", "1e9", "-1", "Mon, 99 Foo"])}`,
		`x-request-id: ${inHead}`,
		`www-authenticate: ${inHead}`,
	];
	return whole(random.pick(ERRORS), Buffer.from(JSON.stringify(content)), headers);
}
