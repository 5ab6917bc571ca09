"use strict";
/** A forward proxy as companies run them: CONNECT only, with an account, in a process of its own. Tells each tunnel on stdout. */
const http = require("node:http");
const net = require("node:net");

const [, , account, target] = process.argv;
const wanted = `Basic ${Buffer.from(account).toString("base64")}`;
const server = http.createServer((_, response) => response.writeHead(405).end());
server.on("connect", (request, client, head) => {
	client.on("error", () => {});
	const known = request.headers["proxy-authorization"] === wanted;
	console.log(`${known ? "CONNECT" : "refused"} ${request.url}`);
	if (!known) return client.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
	const upstream = net.connect(Number(target), "127.0.0.1", () => {
		client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
		upstream.write(head);
		upstream.pipe(client).pipe(upstream);
	});
	upstream.on("error", () => client.destroy());
});
server.listen(0, "127.0.0.1", () => console.log(`port ${server.address().port}`));
