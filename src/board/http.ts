import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { isIP } from "node:net";
import { join } from "node:path";
import { errorCode } from "../api/errors";
import { messageOf } from "../report/report";
import type { Board } from "./board";
import type { Embedded } from "./snapshot";

/** What is asked for, wherever the request came from. */
interface BoardRequest {
	readonly method: string;
	readonly path: string;
	readonly query: URLSearchParams;
	readonly host: string | undefined;
	readonly origin: string | undefined;
	/** Of the header by which the page's own requests carry the key. */
	readonly key: string | undefined;
}

interface BoardReply {
	readonly status: number;
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string;
}

export interface Access {
	/** Stands in the printed address and nowhere else. */
	readonly key: string;
	/** Whether requests may be addressed to this host. */
	readonly isOwnHost: (host: string) => boolean;
}

export const KEY_HEADER = "x-board-key";
export const BOARD_PATHS: readonly string[] = ["/", "/board/data", "/board/future", "/board/log"];

/** For every reply: nothing is kept, framed, guessed or told to other sites. */
const HEADERS = {
	"Cache-Control": "no-store",
	"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
	"Content-Type": "text/plain; charset=utf-8",
	"Cross-Origin-Opener-Policy": "same-origin",
	"Cross-Origin-Resource-Policy": "same-origin",
	"Referrer-Policy": "no-referrer",
	"X-Content-Type-Options": "nosniff",
};

/** A key that follows from a token without giving it away: whoever knows the token can tell the address. */
export const keyOfToken = (token: string): string =>
	createHmac("sha256", token).update("the board's address").digest("base64url");

/** The page's address. Every view has its own behind the #. */
export const boardUrl = (url: string, key: string): string => `${url}/?key=${key}`;

/** Only names that no other site can point at this machine: a name in the DNS may lead anywhere. */
function isLoopbackHost(host: string, port: number): boolean {
	return ["127.0.0.1", "localhost", "[::1]"].some((name) => host === `${name}:${port}`);
}

/** The same for a server that listens for others, too: any address, or the name that it was given. */
export function isAddressOr(name: string, host: string): boolean {
	const hostname = host.replace(/:\d+$/, "").replace(/^\[|\]$/g, "");
	return hostname === "localhost" || hostname === name || isIP(hostname) !== 0;
}

/** Answers a request for the page or its data. */
export async function handle(board: () => Board, access: Access, request: BoardRequest): Promise<BoardReply> {
	const { method, path, query, host, origin } = request;
	if (!BOARD_PATHS.includes(path)) return plainReply(404, "There is nothing here.");
	if (host === undefined || !access.isOwnHost(host))
		return plainReply(403, "The Host header is not this server's.");
	if (origin !== undefined && origin !== `http://${host}`)
		return plainReply(403, "Other sites may not ask this server.");
	if (method !== "GET") return plainReply(405, "Only GET is possible here.", { Allow: "GET" });
	// The page itself is opened by its address; scripts send the key as a header, which no other site can make a browser do.
	const given = path === "/" ? query.get("key") : request.key;
	if (!isEqual(given ?? "", access.key)) {
		return plainReply(401, "This address needs its key. Open the whole address that the command printed.\n");
	}
	if (path === "/") {
		board().refresh();
		const html = pageHtml();
		return { status: 200, headers: { ...HEADERS, ...pageHeaders(html) }, body: html };
	}
	if (path === "/board/data") return json(await board().answer(query.get("since")));
	if (path === "/board/future") {
		const [from, to] = [Number(query.get("from")), Number(query.get("to"))];
		// A page shows a week at most.
		if (!(from > 0 && to > from && to - from <= 8 * 86_400_000)) return plainReply(400, "Give from and to.");
		return json(board().future(from, to));
	}
	const [job, from] = [query.get("job") ?? "", Number(query.get("from") ?? 0)];
	if (!/^[\w-]{1,100}$/.test(job) || !(from >= 0)) return plainReply(400, "Give the id of a job.");
	return json(await board().log(job, from));
}

/** Compares digests, so that the time it takes says nothing about the key. */
function isEqual(given: string, key: string): boolean {
	const digest = (text: string) => createHash("sha256").update(text).digest();
	return timingSafeEqual(digest(given), digest(key));
}

const plainReply = (status: number, body: string, headers: Record<string, string> = {}): BoardReply => ({
	status,
	headers: { ...HEADERS, ...headers },
	body,
});

const json = (value: unknown): BoardReply => ({
	status: 200,
	headers: { ...HEADERS, "Content-Type": "application/json" },
	body: JSON.stringify(value),
});

export interface Listening {
	readonly url: string;
	close(): Promise<void>;
}

/** Nobody on this machine needs long to send a request; whoever does not finish one is cut off. */
const TIMEOUTS = { headersTimeout: 10_000, requestTimeout: 10_000, connectionsCheckingInterval: 2_000 };

/** Serves the board to this machine alone. */
export async function listen(board: Board, key: string, port: number): Promise<Listening> {
	let ownPort = port;
	const access: Access = { key, isOwnHost: (host) => isLoopbackHost(host, ownPort) };
	const respond = async (request: IncomingMessage, response: ServerResponse) => {
		const url = new URL(request.url ?? "/", "http://board");
		const { status, headers, body } = await handle(() => board, access, {
			method: request.method ?? "",
			path: url.pathname,
			query: url.searchParams,
			host: request.headers.host,
			origin: request.headers.origin,
			key: request.headers[KEY_HEADER]?.toString(),
		});
		response.writeHead(status, headers).end(body);
	};
	const server = createServer(TIMEOUTS, (request, response) => {
		respond(request, response).catch((error: unknown) => {
			if (!response.headersSent) response.writeHead(500, HEADERS);
			response.end(messageOf(error));
		});
	});
	await new Promise<void>((resolve, reject) => {
		server.once("error", reject).listen(port, "127.0.0.1", resolve);
	});
	const address = server.address();
	ownPort = typeof address === "object" && address !== null ? address.port : port;
	return {
		url: `http://127.0.0.1:${ownPort}`,
		close: () =>
			new Promise((resolve) => {
				server.close(() => resolve());
				server.closeAllConnections();
			}),
	};
}

// ── The page ──

/** Where the build puts the page, and where the sources find it. */
const PLACES = [join(__dirname, "page.html"), join(__dirname, "..", "..", "dist", "board", "page.html")];
const PLACE_OF_DATA = '<script type="application/json" id="embedded">null</script>';

/** The page as the build made it: one file that needs nothing else. */
function pageHtml(): string {
	// The single executable carries the page.
	const { isSea, getAsset } = require("node:sea") as typeof import("node:sea");
	if (isSea()) return getAsset("page.html", "utf8");
	for (const place of PLACES) {
		try {
			return readFileSync(place, "utf8");
		} catch (error) {
			if (errorCode(error) !== "ENOENT") throw error;
		}
	}
	throw new Error("The page is not built. Run `npm run build`.");
}

/** The page with its data in it, to be kept as an artifact, mailed, or put on a web server. */
export function pageWith(data: Embedded): string {
	// In JSON these stand only within strings; escaped, no name can end the element.
	const text = JSON.stringify(data).replace(
		/[<>&\u2028\u2029]/g,
		(char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
	);
	return pageHtml().replace(PLACE_OF_DATA, () => PLACE_OF_DATA.replace("null", () => text));
}

/** The page's own rules for the browser, which it carries as an element, and those that only a header can set. */
export function pageHeaders(html: string): Record<string, string> {
	const policy =
		/http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(html)?.[1] ?? "default-src 'none'";
	return {
		"Content-Type": "text/html; charset=utf-8",
		"Content-Security-Policy": `${policy}; frame-ancestors 'none'`,
	};
}
