import type { Piece } from "./raw";

/** Tokens of the server under attack: of its team, of another team only, and one that may not write. */
export const TOKENS = { own: "canary-token-own", other: "canary-token-other", reader: "canary-token-reader" };
/** Limits of the server under attack, small so that reaching them takes a moment. */
export const LIMITS = { maxUploadBytes: 65_536, bodyTimeoutMillis: 2_000 };

/** What is tried, the bytes, and the status that refuses it; just any 4xx could be a refusal for another reason. */
export type Attack = readonly [name: string, pieces: readonly Piece[], status: number | "4xx" | "closed"];

const MIB = 1024 * 1024;
const JSON_TYPE = "Content-Type: application/json";
const TEXT_TYPE = "Content-Type: text/plain";
const FORM_TYPE = "Content-Type: multipart/form-data; boundary=XX";
const schedule = { schedule_name: "hostile", pipeline_name: "nightly-images", cron_expression: "@daily" };

interface Extra {
	readonly headers?: readonly string[];
	readonly body?: string | Buffer;
	readonly token?: string | undefined;
	readonly host?: string;
}

/** A request with all that a good one has, and what makes it bad. */
function request(method: string, path: string, extra: Extra = {}): Piece[] {
	const { headers = [], body, token = TOKENS.own, host = "127.0.0.1" } = extra;
	const lines = [`${method} ${path} HTTP/1.1`, `Host: ${host}`, ...headers];
	if (token !== "") lines.push(`Authorization: Bearer ${token}`);
	if (body !== undefined) lines.push(`Content-Length: ${Buffer.byteLength(body)}`);
	return [`${lines.join("\r\n")}\r\n\r\n`, ...(body === undefined ? [] : [body])];
}

const get = (path: string, extra?: Extra) => request("GET", `/api/datachain${path}`, extra);
const post = (path: string, body: unknown, extra: Extra = {}) =>
	request("POST", `/api/datachain${path}`, {
		...extra,
		headers: [...(extra.headers ?? [JSON_TYPE])],
		body: typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body),
	});
const create = (body: unknown, extra?: Extra) => post("/pipeline/create-schedule", body, extra);
const upload = (parts: string) => post("/jobs/files", `${parts}--XX--\r\n`, { headers: [FORM_TYPE] });
const part = (disposition: string, content = "x", more = "") =>
	`--XX\r\nContent-Disposition: form-data; ${disposition}\r\n${more}\r\n${content}\r\n`;
const file = (name: string) => part(`name="file"; filename="${name}"`);
const drip = (text: string) => [...text].flatMap((char) => [char, 60]);

/** Another page in the user's browser, or a name that somebody else points at this machine: neither has the token. */
const ORIGIN = "Origin: https://evil.example";
const foreign: readonly Attack[] = [
	["a page of another origin that reads", get("/clusters/", { headers: [ORIGIN], token: "" }), 401],
	["a form of another origin", create(schedule, { headers: [ORIGIN, TEXT_TYPE] }), 415],
	["a form without a token", create(schedule, { headers: [ORIGIN, TEXT_TYPE], token: "" }), 401],
	["a preflight", request("OPTIONS", "/api/datachain/clusters/", { headers: [ORIGIN] }), "4xx"],
	["a rebound host without a token", get("/clusters/", { host: "evil.example", token: "" }), 401],
	["no Host", ["GET /api/openapi.json HTTP/1.1\r\nConnection: close\r\n\r\n"], 400],
	["two Hosts", request("GET", "/api/openapi.json", { headers: ["Host: evil.example"] }), 400],
	["use as a proxy", ["CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: 127.0.0.1:22\r\n\r\n"], 405],
	["a log socket of another origin", handshake({ headers: [ORIGIN], token: "" }), 401],
];

const reads = [
	"/clusters/?",
	"/jobs/?",
	"/pipeline/schedules?",
	"/pipeline/list?",
	"/pipeline/schedule?schedule_id=1&",
];
const writes: readonly [path: string, body: object][] = [
	["/pipeline/create-schedule", schedule],
	["/pipeline/update-schedule", { schedule_id: 1, schedule_name: "taken" }],
	["/pipeline/delete-schedule", { schedule_id: 1 }],
	["/pipeline/pause", { name: "nightly-images" }],
	["/pipeline/settings", { pipeline_name: "nightly-images", workers: 9 }],
	["/pipeline/trigger", { datasets: ["dev.images.raw"] }],
	["/jobs/", { query: "print(1)", query_type: "PYTHON" }],
];
const asked = (path: string) => get(`${path}team_name=vision`, { token: TOKENS.other });

/** Tokens that are wrong, of another team, or may only read. */
const access: readonly Attack[] = [
	...reads.map((path): Attack => [`another team's token on ${path}`, asked(path), 403]),
	...writes.flatMap(([path, body]): Attack[] => [
		[`another team's ${path}`, post(path, { ...body, team_name: "vision" }, { token: TOKENS.other }), 403],
		[`a reading token on ${path}`, post(path, body, { token: TOKENS.reader }), 403],
		[`no token on ${path}`, post(path, body, { token: "" }), 401],
		[`a wrong token on ${path}`, post(path, body, { token: "wrong" }), 401],
	]),
	["a token of 30,000 characters", get("/clusters/", { token: "x".repeat(30_000) }), 401],
	["a token beyond ASCII", get("/clusters/", { token: "\u00e9\u00ff" }), 401],
	["two tokens", get("/clusters/", { token: `none\r\nAuthorization: Bearer ${TOKENS.own}` }), 401],
	...["VISION", "vision ", "vision\u0000", "*", "../vision", "__proto__"].map((team): Attack => {
		return [`team ${JSON.stringify(team)}`, get(`/clusters/?team_name=${encodeURIComponent(team)}`), "4xx"];
	}),
	["a log socket with a wrong token", handshake({ token: "wrong" }), 401],
	["another team's log socket", handshake({ token: TOKENS.other }, "&team_name=vision"), 403],
];

/** What asks for a file of this machine. */
const paths: readonly Attack[] = [
	...[
		..."/../../../../etc/passwd /%2e%2e/%2e%2e/etc/passwd /jobs/..%2F..%2F..%2Fetc%2Fpasswd/logs /jobs/a%00b/logs".split(
			" ",
		),
		..."/jobs/a%0d%0aX-Injected:%201/logs /jobs/%ff%fe/logs /jobs/__proto__/logs /..%2f_blobs%2f..%2fetc".split(
			" ",
		),
	].map((path): Attack => [`path ${path}`, get(path), "4xx"]),
	..."../../etc/passwd /etc/passwd ..\\\\..\\\\x C:\\\\x ....//x .. . a\u0000.py a\nb a\rb \u001b[2Ja"
		.split(" ")
		.map((name): Attack => [`an upload named ${JSON.stringify(name)}`, upload(file(name)), 400]),
	["an upload with an encoded path", upload(part("name=\"file\"; filename*=UTF-8''..%2Fx")), 400],
	["two names, one a path", upload(part('name="file"; filename="a"; filename="../b"')), 400],
];

const head = `POST /api/datachain/jobs/ HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${TOKENS.own}\r\n${JSON_TYPE}\r\n`;
const CHUNKED = "Transfer-Encoding: chunked\r\n\r\n";

/** What would fill the memory, or keep the server busy. */
const memory: readonly Attack[] = [
	["a header of 40,000 characters", get("/clusters/", { headers: [`X-A: ${"y".repeat(40_000)}`] }), 431],
	["ten thousand headers", get("/clusters/", { headers: Array(10_000).fill("X: y") }), 431],
	["a path of 100,000 characters", request("GET", `/${"a".repeat(100_000)}`), 431],
	["100,000 levels of nesting", create(`${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`), 400],
	["100,000 open brackets", create("[".repeat(100_000)), 400],
	["a body over the limit", create({ ...schedule, note: "x".repeat(MIB + 1) }), 413],
	["a name of 1 MB", create({ ...schedule, schedule_name: "n".repeat(MIB - 200) }), 400],
	["a cron of 1 MB", create({ ...schedule, cron_expression: "* ".repeat(MIB / 2 - 100) }), 400],
	["a cron of many lists", create({ ...schedule, cron_expression: `${"1,".repeat(200_000)}1 * * * *` }), 400],
	[
		"a chunked body over the limit",
		[`${head}${CHUNKED}`, ...Array(20).fill(`10000\r\n${"x".repeat(0x10000)}\r\n`)],
		413,
	],
	["a compressed body", post("/jobs/", "x", { headers: [JSON_TYPE, "Content-Encoding: gzip"] }), "4xx"],
	["an upload over the limit", upload(part('name="file"; filename="a"', "x".repeat(70_000))), 413],
	["a part header of 1 MB", upload(part('name="file"', "x", `X-A: ${"y".repeat(MIB)}\r\n`)), "4xx"],
	["ten thousand parts", upload(part('name="t"').repeat(10_000) + file("a")), "4xx"],
	["everything behind __proto__", create(`{"__proto__": ${JSON.stringify(schedule)}}`), 400],
];

/** Clients that take their time, to keep a connection and what hangs on it. */
const slow: readonly Attack[] = [
	["headers that never end", ["GET / HTTP/1.1\r\nHost: x\r\n"], 408],
	["headers a character at a time", drip(`GET / HTTP/1.1\r\nX: ${"y".repeat(100)}`), 408],
	["a body that never comes", [`${head}Content-Length: 50\r\n\r\n`], 408],
	["a body a character at a time", [`${head}Content-Length: 500\r\n\r\n`, ...drip("{".repeat(100))], 408],
	["chunks a byte at a time", [`${head}${CHUNKED}`, ...Array(80).fill(["1\r\n{\r\n", 60]).flat()], 408],
	[
		"an upload that stops",
		[`${head.replace(JSON_TYPE, FORM_TYPE)}Content-Length: 9999\r\n\r\n`, file("a")],
		408,
	],
];

function handshake(extra: Extra, query = "", jobId = "x"): Piece[] {
	const headers = ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"];
	const key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==";
	const all = [...headers, key, ...(extra.headers ?? [])];
	return request("GET", `/api/logs/follow/?job_id=${jobId}${query}`, { ...extra, headers: all });
}

/** A good handshake, and then a frame that no client sends. The server must hang up, and stay up. */
const frames = (jobId: string): Attack[] =>
	Object.entries({
		"an unmasked frame": Buffer.from([0x81, 0x02, 0x68, 0x69]),
		"a reserved opcode": Buffer.from([0x83, 0x80, 0, 0, 0, 0]),
		"text that is not UTF-8": Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0xff, 0xfe]),
		"a frame of 2^62 bytes": Buffer.from([0x82, 0xff, 0x40, ...Array(11).fill(0)]),
		"a frame over the limit": Buffer.from([0x82, 0xff, 0, 0, 0, 0, 0, 2, ...Array(131_078).fill(0)]),
	}).map(([name, bytes]) => [`WebSocket: ${name}`, [...handshake({}, "", jobId), 20, bytes], "closed"]);

export const attacks = (jobId: string): Attack[] =>
	[slow, foreign, access, paths, memory, frames(jobId)].flat();
