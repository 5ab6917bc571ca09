import { createServer } from "node:http";
import { connect, type Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { loopbackOfTest } from "./api-servers";
import { CERTIFICATE, identity, TLS_HOST } from "./raw-server";

/**
 * The only way to the host of the certificate, which no name server knows: a proxy that asks for an account, and whose
 * tunnels end with TLS at a server on this port. It lasts until the test's end.
 */
export async function proxyTo(port: number) {
	/** What each tunnel was asked for, and with which account. */
	const asked: unknown[] = [];
	const proxy = createServer().on("connect", ({ url, headers }, client: Socket) => {
		asked.push([url, headers["proxy-authorization"]]);
		client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
		const secured = new TLSSocket(client, { isServer: true, ...identity() });
		const upstream = connect(port, "127.0.0.1");
		for (const socket of [secured, upstream]) socket.on("error", () => {});
		secured.pipe(upstream).pipe(secured);
	});
	const { url } = await loopbackOfTest(proxy);
	return {
		asked,
		/** What an entry of `asked` is for a client that has the account. */
		tunnel: [`${TLS_HOST}:443`, `Basic ${Buffer.from("ada:p@ss").toString("base64")}`],
		url: url.replace("://", "://ada:p%40ss@"),
	};
}

/** Of a process whose service is behind the proxy. Node reads NODE_EXTRA_CA_CERTS only when a process starts. */
export const behindProxy = {
	DATACHAIN_STUDIO_URL: `https://${TLS_HOST}`,
	NODE_EXTRA_CA_CERTS: CERTIFICATE,
};
