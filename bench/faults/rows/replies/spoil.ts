import type { Random } from "../../../../test/model/random";

/** The bytes of a reply. An HTTP server of Node's would not send all of them. */
export interface WireReply {
	readonly bytes: Buffer;
	/** Nothing else comes on this connection. */
	readonly close: boolean;
}

/** One reply to be spoilt; `echo` is what of the request a careless service may repeat. */
interface Case {
	readonly valid: unknown;
	readonly random: Random;
	readonly echo: string;
}

type Make = (each: Case) => WireReply;

const JSON_TYPE = "content-type: application/json";

/** One of the texts between the bars. */
const oneOf = (random: Random, texts: string): string => random.pick(texts.split("|"));

/** JSON that stands where another type should. */
const VALUES =
	'null|true|false|0|-1|1.5|""|"text"|[]|{}|[[]]|[null]|{"a":{"b":1}}|"\\u0000\\u001b[31m"|"constructor"';
const NUMBERS = `1e400|-1e400|9007199254740993|99999999999999999999999999|1e308|-0|0.1e-400|${"1".repeat(5_000)}`;
const PROTOTYPE_KEYS =
	'"__proto__":{"polluted":true,"toString":1,"ok":true}|"constructor":{"prototype":{"polluted":true}}|"__proto__":null|' +
	'"prototype":{"polluted":true},"hasOwnProperty":1,"toString":null,"then":{}|"toJSON":{"__proto__":{"polluted":true}}';
const BAD_UTF8 = "ff|c080|eda080|f4908080|e228a1";
const NOT_JSON = "| |null|NaN|undefined|\ufeff{}|{}{}|<html>|'a'|0";
const TYPES =
	"text/html|text/plain|image/png|application/json; charset=utf-16|;;;|multipart/mixed|JSON";
const ENCODINGS =
	"x-a: b|content-encoding: gzip|content-encoding: br|content-type: text/html";
const STATUSES =
	"199|201|202|203|204|205|206|226|299|300|301|302|303|304|307|308|402|405|406|410|411|413|415|418|421|451|499|501|504|" +
	"505|507|511|520|599|600|700|999";
const ERRORS = "400|401|403|404|408|409|422|429|500|502|503";
/** `~` is a line's end. */
const HEADS =
	"~~|HTTP/1.1~~|HTTP/9.9 200 OK~~|HTTP/1.1 abc OK~~|HTTP/1.1 99999 OK~~|ICY 200 OK~~|\x16\x03\x01\x02\x00\x01|" +
	"GET / HTTP/1.1~~|HTTP/1.1 100 Continue~~|HTTP/1.0 200 OK~~{}|HTTP/1.1 200 OK~bad header~~|HTTP/1.1 200 OK~: x~~|" +
	"HTTP/1.1 200 OK~x: \x00\x01~~|HTTP/1.1 200 OK~content-length: -1~~|HTTP/1.1 200 OK\nx: y\n\n{}|" +
	"HTTP/1.1 101 Switching Protocols~upgrade: websocket~connection: upgrade~~|" +
	"HTTP/1.1 200 OK~content-length: 2~content-length: 3~~{}|" +
	`HTTP/1.1 200 OK~content-length: 2~transfer-encoding: chunked~~{}|HTTP/1.1 200 ${"x".repeat(40_000)}~~`;

const text = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

export function whole(
	status: number,
	content: Buffer | string,
	headers = [JSON_TYPE],
): WireReply {
	const bytes = Buffer.from(content as string);
	const head = [
		`HTTP/1.1 ${status} X`,
		...headers,
		`content-length: ${bytes.length}`,
	].join("\r\n");
	return {
		bytes: Buffer.concat([Buffer.from(`${head}\r\n\r\n`, "latin1"), bytes]),
		close: false,
	};
}

/** The body of a reply that is fine otherwise. */
const body =
	(make: (each: Case) => Buffer | string): Make =>
	(each) =>
		whole(200, make(each));

/** What goes in instead of one to three values anywhere in the reply, or of all of it: JSON that no `stringify` writes. */
const instead = (make: (random: Random, echo: string) => string): Make =>
	body(({ valid, random, echo }) => {
		if (random.chance(0.05)) return make(random, echo);
		const raws: string[] = [];
		const copy = inSome(valid, random, (inside, key) => {
			Reflect.set(inside, key, `@raw@${raws.push(make(random, echo)) - 1}`);
		});
		return JSON.stringify(copy).replace(
			/"@raw@(\d+)"/g,
			(_, index: string) => raws[Number(index)] ?? "null",
		);
	});

/** Spoils a copy in up to three places. */
function inSome(
	valid: unknown,
	random: Random,
	spoil: (inside: object, key: string) => void,
): unknown {
	const copy: unknown = structuredClone(valid);
	for (let times = random.integer(1, 3); times > 0; times -= 1) {
		const places = objectsIn(copy).flatMap((inside) =>
			Object.keys(inside).map((key) => ({ inside, key })),
		);
		if (places.length === 0) break;
		const { inside, key } = random.pick(places);
		spoil(inside, key);
	}
	return copy;
}

const objectsIn = (value: unknown): object[] =>
	typeof value === "object" && value !== null
		? [value, ...Object.values(value).flatMap(objectsIn)]
		: [];

function removeKey(inside: object, key: string): void {
	if (Array.isArray(inside)) inside.splice(Number(key), 1);
	else Reflect.deleteProperty(inside, key);
}

/** Written as text, because assigning `__proto__` would not make a key. */
const withPrototypeKey = ({ valid, random }: Case): string =>
	JSON.stringify(
		inSome(valid, random, (inside) => Reflect.set(inside, "@raw@", 0)),
	).replaceAll(`"@raw@":0`, () => oneOf(random, PROTOTYPE_KEYS));

function flipped({ valid, random }: Case): Buffer {
	const bytes = text(valid);
	for (let times = random.integer(1, 4); times > 0; times -= 1)
		bytes[random.integer(0, bytes.length - 1)] = random.integer(0, 255);
	return bytes;
}

const cut = (bytes: Buffer, random: Random): Buffer =>
	bytes.subarray(0, random.integer(0, bytes.length - 1));

/** A service that repeats what it was sent: as it is, as JSON would write it, cut off, and in the head. */
function errorWithEcho({ random, echo }: Case): WireReply {
	const part = echo.slice(0, random.integer(0, echo.length));
	const said = random.pick([
		echo,
		JSON.stringify(echo),
		part,
		`${echo} ${echo}`,
		echo.repeat(50),
	]);
	const content = random.pick([
		{ message: said, detail: said },
		{ message: [said] },
		{ error: said },
		said,
	]);
	const inHead = encodeURIComponent(said.slice(0, 300));
	const after = random.pick([inHead, "0", "1e9", "-1", "Mon, 99 Foo"]);
	const headers = [
		`retry-after: ${after}`,
		`x-request-id: ${inHead}`,
		`www-authenticate: ${inHead}`,
	];
	return whole(Number(oneOf(random, ERRORS)), text(content), [JSON_TYPE, ...headers]);
}

/** What a redirect would carry away, if one were followed. */
function oddStatus({ valid, random, echo }: Case): WireReply {
	const content = random.chance(0.5) ? text(valid) : Buffer.alloc(0);
	const location = `location: http://127.0.0.1:1/${encodeURIComponent(echo.slice(0, 200))}`;
	return {
		...whole(Number(oneOf(random, STATUSES)), content, [JSON_TYPE, location]),
		close: true,
	};
}

/** Every way in which a reply is wrong. What ends too late or never, test/unit/client/transport.test.ts shows. */
const KINDS: Readonly<Record<string, Make>> = {
	"type changed": instead((random) => oneOf(random, VALUES)),
	"field null": instead(() => "null"),
	"huge number": instead((random) => oneOf(random, NUMBERS)),
	"deep lists": instead((random) => listed(random.integer(500, 20_000))),
	"deep nesting": instead((random) => nested(random.integer(500, 20_000))),
	"long text": instead((random) => `"${"x".repeat(random.integer(1_000, 200_000))}"`),
	"lone surrogate": instead(() => `"a\\ud800b"`),
	"echo in a field": instead((_, echo) => JSON.stringify(echo)),
	"field missing": body(({ valid, random }) => text(inSome(valid, random, removeKey))),
	"prototype key": body(withPrototypeKey),
	"long list": body(({ valid, random }) =>
		text(Array(random.integer(10, 200)).fill(valid)),
	),
	"invalid UTF-8": body(({ valid, random }) =>
		Buffer.concat([
			cut(text(valid), random),
			Buffer.from(oneOf(random, BAD_UTF8), "hex"),
			text(valid),
		]),
	),
	"byte flipped": body(flipped),
	"cut off": body(({ valid, random }) => cut(text(valid), random)),
	"not JSON": body(({ random }) => oneOf(random, NOT_JSON)),
	"ok false": body(({ echo }) => text({ ok: false, message: echo })),
	"wrong content type": ({ valid, random }) =>
		whole(200, text(valid), [
			`content-type: ${oneOf(random, TYPES)}`,
			oneOf(random, ENCODINGS),
		]),
	"odd status": oddStatus,
	"error with echo": errorWithEcho,
	"broken head": ({ random }) => ({
		bytes: Buffer.from(oneOf(random, HEADS).replaceAll("~", "\r\n"), "latin1"),
		close: true,
	}),
	"cut off on the wire": ({ valid, random }) => ({
		bytes: cut(whole(200, text(valid)).bytes, random),
		close: true,
	}),
};

const listed = (depth: number): string => `${"[".repeat(depth)}${"]".repeat(depth)}`;
const nested = (depth: number): string =>
	`${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;

export const KIND_COUNT = Object.keys(KINDS).length;

/** A spoilt reply, and how it is spoilt. */
export function spoilt(each: Case): WireReply & { readonly kind: string } {
	const [kind, make] = each.random.pick(Object.entries(KINDS));
	return { kind, ...make(each) };
}
