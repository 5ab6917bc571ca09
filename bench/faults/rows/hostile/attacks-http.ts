import { type Attack, get, JSON_TYPE, request, type Target } from "./attack";

const HOST = "Host: 127.0.0.1";

/** What is not quite HTTP, or uses it against its reader. */
export function httpAttacks(target: Target): Attack[] {
	return [...smuggling(target), ...malformed(target), ...methods(target), ...paths(target)];
}

/** Two readings of one message: where they differ, a second request hides in the first. */
function smuggling(target: Target): Attack[] {
	const auth = `Authorization: Bearer ${target.token}`;
	const head = `POST /api/datachain/pipeline/pause HTTP/1.1\r\n${HOST}\r\n${auth}\r\n${JSON_TYPE}\r\n`;
	const hidden = `POST /api/datachain/pipeline/pause HTTP/1.1\r\n${HOST}\r\n${auth}\r\nContent-Length: 25\r\n\r\n{"name":"nightly-images"} `;
	const raw = (name: string, bytes: string): Attack => ({ name, pieces: [bytes] });
	return [
		raw("two different Content-Lengths", `${head}Content-Length: 2\r\nContent-Length: 40\r\n\r\n{}${hidden}`),
		raw(
			"Content-Length and chunked",
			`${head}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`,
		),
		raw(
			"chunked and Content-Length",
			`${head}Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n${hidden}`,
		),
		raw("chunked twice over", `${head}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${hidden}`),
		raw("an unknown transfer encoding", `${head}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${hidden}`),
		raw("a space before the colon", `${head}Content-Length : 2\r\n\r\n{}${hidden}`),
		raw("a folded header", `${head}Content-Length: 2\r\n X: y\r\n\r\n{}`),
		raw("a negative Content-Length", `${head}Content-Length: -1\r\n\r\n${hidden}`),
		raw("a Content-Length of letters", `${head}Content-Length: 0x10\r\n\r\n${hidden}`),
		raw("a Content-Length beyond any number", `${head}Content-Length: ${"9".repeat(30)}\r\n\r\n{}`),
		raw("a Content-Length list", `${head}Content-Length: 2, 2\r\n\r\n{}${hidden}`),
		raw("a chunk size that is none", `${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`),
		raw("a chunk size beyond any number", `${head}Transfer-Encoding: chunked\r\n\r\n${"f".repeat(30)}\r\n{}`),
		raw("a chunk longer than its size", `${head}Transfer-Encoding: chunked\r\n\r\n1\r\n{}}}}\r\n0\r\n\r\n`),
		raw(
			"a chunk extension without end",
			`${head}Transfer-Encoding: chunked\r\n\r\n2;${"x".repeat(40_000)}\r\n{}\r\n0\r\n\r\n`,
		),
		raw("a bare line feed after a header", `${head.replaceAll("\r\n", "\n")}Content-Length: 2\n\n{}`),
		raw("a bare carriage return in a header", `${head}X-A: b\rContent-Length: 2\r\n\r\n{}`),
	];
}

function malformed(target: Target): Attack[] {
	const raw = (name: string, bytes: string | Buffer, status?: number): Attack => ({
		name,
		pieces: [bytes],
		...(status === undefined ? {} : { status }),
	});
	const good = `GET /api/datachain/clusters/ HTTP/1.1\r\n${HOST}\r\nAuthorization: Bearer ${target.token}\r\n`;
	return [
		raw("no HTTP at all", "\u0000\u0001\u0002 hello\r\n\r\n"),
		raw("a TLS handshake", Buffer.from("16030100c8010000c40303", "hex")),
		raw("the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
		raw("a version that does not exist", `GET / HTTP/9.9\r\n${HOST}\r\n\r\n`),
		raw("no Host", "GET /api/openapi.json HTTP/1.1\r\nConnection: close\r\n\r\n"),
		raw("two Hosts", `GET /api/openapi.json HTTP/1.1\r\n${HOST}\r\nHost: other\r\nConnection: close\r\n\r\n`),
		raw("a Host that is none", "GET /api/openapi.json HTTP/1.1\r\nHost: a b/c@d\r\n\r\n"),
		raw("a header of 40,000 characters", `${good}X-A: ${"y".repeat(40_000)}\r\n\r\n`, 431),
		raw("ten thousand headers", `${good}${"X: y\r\n".repeat(10_000)}\r\n`, 431),
		raw("a path of 100,000 characters", `GET /${"a".repeat(100_000)} HTTP/1.1\r\n${HOST}\r\n\r\n`, 431),
		raw("a NUL in a header", `${good}X-A: a\u0000b\r\n\r\n`),
		raw("a control character in a header's name", `${good}X\u0007A: b\r\n\r\n`),
		raw("an expectation nobody knows", `${good}Expect: a-miracle\r\n\r\n`, 417),
		raw(
			"a token with a line break folded in",
			`GET /api/datachain/clusters/ HTTP/1.1\r\n${HOST}\r\nAuthorization: Bearer\r\n ${target.token}\r\n\r\n`,
		),
		{
			name: "two tokens, the second good",
			pieces: request(target, "GET", "/api/datachain/clusters/", {
				token: `none\r\nAuthorization: Bearer ${target.token}`,
			}),
			status: 401,
		},
		{
			name: "a token of 30,000 characters",
			pieces: get(target, "/clusters/", "x".repeat(30_000)),
			status: 401,
		},
		{ name: "a token beyond ASCII", pieces: get(target, "/clusters/", "\u00e9\u00ff"), status: 401 },
	];
}

function methods(target: Target): Attack[] {
	const known = [
		"PUT",
		"PATCH",
		"DELETE",
		"OPTIONS",
		"TRACE",
		"PROPFIND",
		"SEARCH",
		"M-SEARCH",
		"PURGE",
		"QUERY",
	];
	return [
		...known.map((method) => ({
			name: `method ${method}`,
			pieces: request(target, method, "/api/datachain/clusters/"),
		})),
		{ name: "method CONNECT", pieces: [`CONNECT 127.0.0.1:22 HTTP/1.1\r\n${HOST}\r\n\r\n`] },
		{ name: "method OPTIONS for *", pieces: [`OPTIONS * HTTP/1.1\r\n${HOST}\r\n\r\n`] },
		{ name: "a method nobody knows", pieces: request(target, "BREW", "/api/datachain/clusters/") },
		{ name: "a method in lower case", pieces: request(target, "get", "/api/datachain/clusters/") },
		{
			name: "HEAD of a path for POST",
			pieces: request(target, "HEAD", "/api/datachain/pipeline/pause"),
			bodyless: true,
		},
	];
}

function paths(target: Target): Attack[] {
	const path = (name: string, text: string): Attack => ({ name, pieces: request(target, "GET", text) });
	return [
		path("dots in the path", "/api/datachain/../../../../etc/passwd"),
		path("encoded dots in the path", "/api/datachain/%2e%2e/%2e%2e/etc/passwd"),
		path("an encoded slash for a slash", "/api%2Fdatachain%2Fclusters%2F"),
		path("a job id with encoded slashes", "/api/datachain/jobs/..%2F..%2F..%2Fetc%2Fpasswd/logs"),
		path("a job id with an encoded NUL", "/api/datachain/jobs/a%00b/logs"),
		path("a job id with an encoded line break", "/api/datachain/jobs/a%0d%0aX-Injected:%201/logs"),
		path("a job id of __proto__", "/api/datachain/jobs/__proto__/logs"),
		path("a job id that is not UTF-8", "/api/datachain/jobs/%ff%fe/logs"),
		path("a job id that is not encoded well", "/api/datachain/jobs/%zz%/logs"),
		path("a NUL in the path", "/api/datachain/jobs/\u0000/logs"),
		path("a line feed in the path", "/api/datachain/jobs/\n/logs"),
		path("a backslash in the path", "/api\\datachain\\clusters\\"),
		path("another server's address", "http://example.invalid/api/datachain/nothing/"),
		path("no path", ""),
		path("a blob's name with dots", "/api/_blobs/..%2f..%2fetc%2fpasswd"),
		path("a doubled slash", "//api//datachain//clusters//"),
	];
}
