import {
	type ClientRequest,
	request as httpRequest,
	type IncomingMessage,
} from "node:http";
import { Agent, request as httpsRequest } from "node:https";
import type { Socket } from "node:net";
import { connect as tlsConnect } from "node:tls";
import { codedError, errorCode } from "./errors";
import { percentDecoded } from "./redaction";

/** A place to connect to; the name is what its certificate must have. */
type Target = Pick<URL, "hostname" | "port">;

/**
 * The proxy that the environment names for a URL, read as other tools read it: `HTTPS_PROXY` (or `ALL_PROXY`) and
 * `NO_PROXY`, in either case. Plain http is for loopback addresses only, where a proxy has no business.
 */
export function proxyFor(
	{ protocol, hostname, port }: URL,
	env = process.env,
): URL | undefined {
	const named = (name: string) => env[name] || env[name.toLowerCase()] || "";
	const proxy = named("HTTPS_PROXY") || named("ALL_PROXY");
	const isSecure = protocol === "https:" || protocol === "wss:";
	if (proxy === "" || !isSecure || isExempt(named("NO_PROXY"), hostname, port || "443"))
		return undefined;
	const url = URL.canParse(proxy) ? new URL(proxy) : undefined;
	if (url?.protocol === "http:" || url?.protocol === "https:") return url;
	throw codedError("PROXY_URL");
}

/** `example.com` and `.example.com` both mean the host and everything below it. */
function isExempt(list: string, hostname: string, port: string): boolean {
	return list
		.split(/[\s,]+/)
		.filter((entry) => entry !== "")
		.some((entry) => {
			const [host = "", onlyPort] = entry.toLowerCase().split(":");
			const name = host.replace(/^\*?\./, "");
			if (onlyPort !== undefined && onlyPort !== port) return false;
			return entry === "*" || hostname === name || hostname.endsWith(`.${name}`);
		});
}

/** A TLS connection to the target through the proxy, which sees neither what is sent nor the token. */
export function tunnel(
	proxy: URL,
	target: Target,
	timeoutMillis: number,
): Promise<Socket> {
	return new Promise((resolve, reject) => {
		const path = `${target.hostname}:${target.port || "443"}`;
		const request = askForTunnel(proxy, path, timeoutMillis);
		request.once("connect", (reply: IncomingMessage, socket: Socket) => {
			if (reply.statusCode !== 200) {
				socket.destroy();
				reject(codedError(`PROXY_${reply.statusCode}`));
				return;
			}
			socket.setTimeout(0);
			const secured = tlsConnect({ socket, servername: target.hostname });
			// The socket keeps the process alive for as long as somebody waits for it.
			const late = setTimeout(() => secured.destroy(timedOut()), timeoutMillis).unref();
			secured.once("error", reject).once("secureConnect", () => {
				clearTimeout(late);
				resolve(secured);
			});
		});
		request.once("timeout", () => request.destroy(timedOut()));
		request.once("error", (error) => reject(ofProxy(error)));
		request.end();
	});
}

/** Why the proxy itself cannot be reached: without the word, the service would seem to be the one. */
function ofProxy(error: Error): Error {
	const code = errorCode(error);
	return code.startsWith("UND_") ? error : codedError(`PROXY_${code}`);
}

const timedOut = () => codedError("UND_ERR_CONNECT_TIMEOUT");

function askForTunnel(proxy: URL, path: string, timeout: number): ClientRequest {
	const { username, password } = proxy;
	const account = [username, password].map(percentDecoded).join(":");
	const basic = `Basic ${Buffer.from(account).toString("base64")}`;
	const ask = proxy.protocol === "https:" ? httpsRequest : httpRequest;
	return ask({
		hostname: proxy.hostname,
		port: proxy.port,
		method: "CONNECT",
		path,
		headers: { host: path, ...(username !== "" && { "proxy-authorization": basic }) },
		agent: false,
		timeout,
	});
}

/** The same in the form in which undici and agents ask for a connection. */
export const tunnelling =
	(proxy: URL, target: Target, timeoutMillis: number) =>
	(_: unknown, done: (...result: [Error, null] | [null, Socket]) => void): void => {
		tunnel(proxy, target, timeoutMillis).then(
			(socket) => done(null, socket),
			(error: Error) => done(error, null),
		);
	};

/** For those who take an agent: WebSockets. */
export const tunnelAgent = (...to: Parameters<typeof tunnelling>): Agent =>
	Object.assign(new Agent(), { createConnection: tunnelling(...to) });
