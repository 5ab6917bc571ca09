import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { invalid, Refusal } from "../refusal";

/** A browser sends some twenty; beyond a few thousand Node would drop them without a word. */
const MOST_HEADERS = 200;

/** What Node lets pass, or refuses without a message, though it is wrong; undefined where nothing is. */
export function headProblem(incoming: IncomingMessage): Refusal | undefined {
	if (incoming.rawHeaders.length > MOST_HEADERS * 2) {
		return new Refusal(431, `The request has more than ${MOST_HEADERS} headers.`);
	}
	const hosts = incoming.headersDistinct.host?.length ?? 0;
	return hosts === 1 ? undefined : invalid("The request must have exactly one Host header.");
}

/** Answers without the app, and reads nothing more from the connection. */
export function refuseRequest(outgoing: ServerResponse, refusal: Refusal): void {
	const body = JSON.stringify({ message: refusal.message });
	outgoing.writeHead(refusal.status, {
		"Content-Type": "application/json",
		"Content-Length": Buffer.byteLength(body),
		Connection: "close",
	});
	outgoing.end(body);
}

/** The same where there is no reply object, because what came is not HTTP or wants to be something else. */
export function refuseSocket(socket: Duplex, { status, message }: Refusal): void {
	const body = JSON.stringify({ message });
	const headers = [
		`HTTP/1.1 ${status} Refused`,
		"Content-Type: application/json",
		`Content-Length: ${Buffer.byteLength(body)}`,
		"Connection: close",
	];
	socket.end(`${headers.join("\r\n")}\r\n\r\n${body}`);
}
