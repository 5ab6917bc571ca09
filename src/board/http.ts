import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, isIP } from "node:net";
import { join } from "node:path";
import { getRequestListener } from "@hono/node-server";
import { errorCode } from "../client/errors";
import { type Embedded, KEY_HEADER } from "../team/snapshot";
import { messageOf } from "../text/wording";
import type { Board } from "./board";

interface Access {
	/** Stands in the printed address and nowhere else. */
	readonly key: string;
	/** The name or address that the server listens on. */
	readonly host: string;
}

export const BOARD_PATHS: readonly string[] = [
	"/",
	"/board/data",
	"/board/future",
	"/board/log",
];

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

/** For the page, which carries its policy as an element; only a header can say who may frame it. */
const PAGE_HEADERS = {
	"Content-Security-Policy": "frame-ancestors 'none'",
	"Content-Type": "text/html; charset=utf-8",
};

/** A key that follows from a token without giving it away: whoever knows the token can tell the address. */
export const keyOfToken = (token: string): string =>
	createHmac("sha256", token).update("the board's address").digest("base64url");

/** The page's address. Every view has its own behind the #. */
export const boardUrl = (url: string, key: string): string => `${url}/?key=${key}`;

/** Any address, or the server's own name: no other site can point these at this machine, as it can a name in the DNS. */
function isOwnHost({ hostname }: URL, own: string): boolean {
	return (
		hostname === "localhost" ||
		hostname === own ||
		isIP(hostname.replace(/^\[|\]$/g, "")) !== 0
	);
}

/** Answers a request for the page or its data. */
export async function handle(
	board: () => Board,
	{ key, host }: Access,
	request: Request,
): Promise<Response> {
	const url = new URL(request.url);
	const { pathname: path, searchParams: query } = url;
	const origin = request.headers.get("origin");
	if (!BOARD_PATHS.includes(path)) return plainReply(404, "There is nothing here.");
	if (!isOwnHost(url, host))
		return plainReply(403, "The Host header is not this server's.");
	if (origin !== null && origin !== url.origin)
		return plainReply(403, "Other sites may not ask this server.");
	if (request.method !== "GET")
		return plainReply(405, "Only GET is possible here.", { Allow: "GET" });
	// The page itself is opened by its address; scripts send the key as a header, which no other site can make a browser do.
	const given = path === "/" ? query.get("key") : request.headers.get(KEY_HEADER);
	if (!isEqual(given ?? "", key)) {
		return plainReply(
			401,
			"This address needs its key. Open the whole address that the command printed.\n",
		);
	}
	if (path === "/") {
		board().refresh();
		return plainReply(200, pageHtml(), PAGE_HEADERS);
	}
	if (path === "/board/data") return json(await board().answer(query.get("since")));
	if (path === "/board/future") {
		const [from, to] = [Number(query.get("from")), Number(query.get("to"))];
		// A page shows a week at most.
		if (!(from > 0 && to > from && to - from <= 8 * 86_400_000))
			return plainReply(400, "Give from and to.");
		return json(board().future(from, to));
	}
	const [job, from] = [query.get("job") ?? "", Number(query.get("from") ?? 0)];
	if (!/^[\w-]{1,100}$/.test(job) || !(from >= 0))
		return plainReply(400, "Give the id of a job.");
	return json(await board().log(job, from));
}

/** Compares digests, so that the time it takes says nothing about the key. */
function isEqual(given: string, key: string): boolean {
	const digest = (text: string) => createHash("sha256").update(text).digest();
	return timingSafeEqual(digest(given), digest(key));
}

const plainReply = (
	status: number,
	body: string,
	headers: Record<string, string> = {},
): Response => new Response(body, { status, headers: { ...HEADERS, ...headers } });

const json = (value: unknown): Response =>
	Response.json(value, { headers: { ...HEADERS, "Content-Type": "application/json" } });

/** Nobody on this machine needs long to send a request; whoever does not finish one is cut off. */
const TIMEOUTS = {
	headersTimeout: 10_000,
	requestTimeout: 10_000,
	connectionsCheckingInterval: 2_000,
};

/** Serves the board to this machine alone. */
export async function listen(board: Board, key: string, port: number) {
	const access = { key, host: "127.0.0.1" };
	const respond = (request: Request) =>
		handle(() => board, access, request).catch((error: unknown) =>
			plainReply(500, messageOf(error)),
		);
	const listener = getRequestListener(respond, { overrideGlobalObjects: false });
	const server = createServer(
		TIMEOUTS,
		(request, response) => void listener(request, response),
	);
	await once(server.listen(port, access.host), "listening");
	return {
		url: `http://${access.host}:${(server.address() as AddressInfo).port}`,
		close: () =>
			new Promise<void>((resolve) => {
				server.close(() => resolve());
				server.closeAllConnections();
			}),
	};
}

// ── The page ──

/** Where the build puts the page, and where the sources find it. */
const PLACES = [
	join(__dirname, "page.html"),
	join(__dirname, "..", "..", "dist", "board", "page.html"),
];
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
	return pageHtml().replace(PLACE_OF_DATA, () =>
		PLACE_OF_DATA.replace("null", () => text),
	);
}
