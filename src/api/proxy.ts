import { Agent } from "node:https";
import type { Socket } from "node:net";
import { promisify } from "node:util";
import { codedError } from "./errors";
import { percentDecoded } from "./redaction";

/** A place to connect to; the name is what its certificate must have. */
type Target = Pick<URL, "hostname" | "port">;

/**
 * The proxy that the environment names for a URL, read as other tools read it: `HTTPS_PROXY` (or `ALL_PROXY`) and
 * `NO_PROXY`, in either case. Plain http is for loopback addresses only, where a proxy has no business.
 */
export function proxyFor({ protocol, hostname, port }: URL, env = process.env): URL | undefined {
	const named = (name: string) => env[name] || env[name.toLowerCase()] || "";
	const proxy = named("HTTPS_PROXY") || named("ALL_PROXY");
	const isSecure = protocol === "https:" || protocol === "wss:";
	if (proxy === "" || !isSecure || isExempt(named("NO_PROXY"), hostname, port || "443")) return undefined;
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

/** Loaded with the first request that goes through a proxy. */
const undici = () => require("undici") as typeof import("undici");

/** A TLS connection to the target through the proxy, which sees neither what is sent nor the token. */
export async function tunnel(proxy: URL, { hostname, port }: Target, timeout: number): Promise<Socket> {
	const { Client, buildConnector } = undici();
	const client = new Client(proxy.origin, { connect: { timeout }, headersTimeout: timeout });
	const host = `${hostname}:${port || "443"}`;
	const headers = { host, ...(proxy.username !== "" && { "proxy-authorization": basic(proxy) }) };
	try {
		const { statusCode, socket } = await client.connect({ path: host, headers });
		if (statusCode !== 200) {
			socket.destroy();
			throw codedError(`PROXY_${statusCode}`);
		}
		const target = { protocol: "https:", hostname, port: port || "443", servername: hostname };
		const secured = await promisify(buildConnector({ timeout }))({ ...target, httpSocket: socket as Socket });
		return secured as Socket;
	} finally {
		// The tunnel is no longer the client's, so it stays open.
		await client.destroy();
	}
}

const basic = ({ username, password }: URL): string =>
	`Basic ${Buffer.from([username, password].map(percentDecoded).join(":")).toString("base64")}`;

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
