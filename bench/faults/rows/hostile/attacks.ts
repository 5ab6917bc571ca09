/** Tokens of the server under attack: of its team, of another team only, and one that may not write. */
export const TOKENS = { own: "canary-token-own", other: "canary-token-other", reader: "canary-token-reader" };

/** What is tried, the request, and the status that refuses it; just any 4xx could be a refusal for another reason. */
export type Attack = readonly [name: string, request: string, status: number | "4xx"];

const JSON_TYPE = "Content-Type: application/json";
const TEXT_TYPE = "Content-Type: text/plain";
const FORM_TYPE = "Content-Type: multipart/form-data; boundary=XX";
const schedule = { schedule_name: "hostile", pipeline_name: "nightly-images", cron_expression: "@daily" };

interface Extra {
	readonly headers?: readonly string[];
	readonly body?: string;
	readonly token?: string | undefined;
	readonly host?: string;
}

/** A request with all that a good one has, and what makes it bad. */
function request(method: string, path: string, extra: Extra = {}): string {
	const { headers = [], body = "", token = TOKENS.own, host = "127.0.0.1" } = extra;
	const lines = [`${method} ${path} HTTP/1.1`, `Host: ${host}`, ...headers];
	if (token !== "") lines.push(`Authorization: Bearer ${token}`);
	if (body !== "") lines.push(`Content-Length: ${Buffer.byteLength(body)}`);
	return `${lines.join("\r\n")}\r\n\r\n${body}`;
}

const get = (path: string, extra?: Extra) => request("GET", `/api/datachain${path}`, extra);
const post = (path: string, body: object, extra: Extra = {}) =>
	request("POST", `/api/datachain${path}`, { headers: [JSON_TYPE], ...extra, body: JSON.stringify(body) });
const create = (extra: Extra) => post("/pipeline/create-schedule", schedule, extra);
const upload = (disposition: string) =>
	request("POST", "/api/datachain/jobs/files", {
		headers: [FORM_TYPE],
		body: `--XX\r\nContent-Disposition: form-data; name="file"; ${disposition}\r\n\r\nx\r\n--XX--\r\n`,
	});

/** Another page in the user's browser, or a name that somebody else points at this machine: neither has the token. */
const ORIGIN = "Origin: https://evil.example";
const foreign: readonly Attack[] = [
	["a page of another origin that reads", get("/clusters/", { headers: [ORIGIN], token: "" }), 401],
	["a form of another origin", create({ headers: [ORIGIN, TEXT_TYPE] }), 415],
	["a form without a token", create({ headers: [ORIGIN, TEXT_TYPE], token: "" }), 401],
	["a preflight", request("OPTIONS", "/api/datachain/clusters/", { headers: [ORIGIN] }), "4xx"],
	["a rebound host without a token", get("/clusters/", { host: "evil.example", token: "" }), 401],
	["no Host", "GET /api/openapi.json HTTP/1.1\r\nConnection: close\r\n\r\n", 400],
	["two Hosts", request("GET", "/api/openapi.json", { headers: ["Host: evil.example"] }), 400],
	["use as a proxy", "CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: 127.0.0.1:22\r\n\r\n", 405],
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
		"/../../../../etc/passwd",
		"/%2e%2e/%2e%2e/etc/passwd",
		"/jobs/..%2F..%2F..%2Fetc%2Fpasswd/logs",
		"/jobs/a%00b/logs",
		"/jobs/a%0d%0aX-Injected:%201/logs",
		"/jobs/%ff%fe/logs",
		"/jobs/__proto__/logs",
		"/..%2f_blobs%2f..%2fetc",
	].map((path): Attack => [`path ${path}`, get(path), "4xx"]),
	..."../../etc/passwd /etc/passwd ..\\\\..\\\\x C:\\\\x ....//x .. . a\u0000.py a\nb a\rb \u001b[2Ja"
		.split(" ")
		.map((name): Attack => [`an upload named ${JSON.stringify(name)}`, upload(`filename="${name}"`), 400]),
	["an upload with an encoded path", upload("filename*=UTF-8''..%2Fx"), 400],
	["two names, one a path", upload('filename="a"; filename="../b"'), 400],
];

function handshake(extra: Extra, query = ""): string {
	const headers = ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"];
	const key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==";
	const all = [...headers, key, ...(extra.headers ?? [])];
	return request("GET", `/api/logs/follow/?job_id=x${query}`, { ...extra, headers: all });
}

export const ATTACKS = [...foreign, ...access, ...paths];
