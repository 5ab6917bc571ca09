import type { Exchange, Piece } from "./raw";
import { messageOf } from "./raw";

/** Where attacks go, and with what. */
export interface Target {
	readonly url: string;
	readonly token: string;
	/** Valid for another team only. */
	readonly otherToken: string;
	/** May read, not write. */
	readonly readToken: string;
}

/** One thing that a server must refuse. */
export interface Attack {
	readonly name: string;
	readonly pieces: readonly Piece[];
	/** A reply to HEAD has no body, so no message. */
	readonly bodyless?: boolean;
	/** The status, where just any 4xx would hide a refusal for another reason. */
	readonly status?: number;
}

export const JSON_TYPE = "Content-Type: application/json";

/** A request with all that a good one has; `headers` are lines. */
export function request(
	target: Target,
	method: string,
	path: string,
	{
		headers = [],
		body,
		token = target.token,
	}: { headers?: string[]; body?: string | Buffer; token?: string } = {},
): Piece[] {
	const lines = [
		`${method} ${path} HTTP/1.1`,
		"Host: 127.0.0.1",
		`Authorization: Bearer ${token}`,
		...headers,
	];
	if (body !== undefined) lines.push(`Content-Length: ${Buffer.byteLength(body)}`);
	const head = `${lines.join("\r\n")}\r\n\r\n`;
	return body === undefined ? [head] : [head, body];
}

/** A JSON body to an endpoint below /api/datachain. */
export function post(target: Target, path: string, body: unknown, token?: string): Piece[] {
	const text = typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body);
	return request(target, "POST", `/api/datachain${path}`, {
		headers: [JSON_TYPE],
		body: text,
		...(token === undefined ? {} : { token }),
	});
}

export function get(target: Target, path: string, token?: string): Piece[] {
	return request(target, "GET", `/api/datachain${path}`, token === undefined ? {} : { token });
}

/** Why an answer is no proper refusal; undefined where it is one. */
export function problemOf(attack: Attack, answer: Exchange, secrets: readonly string[]): string | undefined {
	const [reply, second] = answer.replies;
	if (reply === undefined) return `no reply (${answer.received.slice(0, 60) || "nothing"})`;
	// A second reply is the reply to a smuggled request, unless it also refuses.
	if (second !== undefined && (second.status < 400 || second.status > 499))
		return `a second reply: ${second.status}`;
	if (reply.status < 400 || reply.status > 499) return `${reply.status} ${reply.body.slice(0, 120)}`;
	if (attack.status !== undefined && reply.status !== attack.status) {
		return `${reply.status}, not ${attack.status}: ${reply.body.slice(0, 120)}`;
	}
	if (attack.bodyless !== true && messageOf(reply) === undefined) return `${reply.status} without a message`;
	if (secrets.some((secret) => answer.received.includes(secret))) return "the reply has a secret in it";
	return answer.received.length > 10_000 ? "the refusal repeats too much" : undefined;
}
