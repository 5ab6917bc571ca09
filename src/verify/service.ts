import { randomUUID } from "node:crypto";
import { Caller, REQUEST_ID } from "../client/call";
import { Clock } from "../client/clock";
import type { ConnectionSettings } from "../client/connection";
import { ApiError, InvalidRequestError } from "../client/errors";
import { limitsOf } from "../client/options";
import { Queue } from "../client/queue";
import { secretsOf, withoutToken } from "../client/redaction";
import { parseJson, serviceTime, statusError } from "../client/reply";
import { resolveRequestLog } from "../client/request-log";
import { prepareRequest } from "../client/requests";
import { createTransport, type RawReply } from "../client/transport";
import { formBody, openSource } from "../client/upload";
import { endpoints } from "../schemas/endpoints";
import type { EndpointName } from "../schemas/wire/endpoints";

/** A response as it came: no schema has read it. */
export interface Answer {
	readonly status: number;
	/** Undefined if the body is not JSON. */
	readonly json: unknown;
	/** What the service's clock showed, in milliseconds since 1970, if its response says it. */
	readonly serviceTime: number | undefined;
	/** How far this machine's clock was when the response came. */
	readonly receivedAt: number;
	/** Throws the error that the status stands for, unless it is a success. */
	orThrow(): Answer;
}

interface Asking {
	/** The authorization header; null for none. Default: the token in the scheme that the service takes. */
	readonly authorization?: string | null;
	/** Of an upload. */
	readonly file?: { readonly name: string; readonly content: string };
}

const ATTEMPT_MILLIS = 20_000;
const LIMITS = {
	deadlineMillis: 60_000,
	attemptTimeoutMillis: ATTEMPT_MILLIS,
	maxAttempts: 3,
};

/**
 * Sends requests as the client does, over the same transport and the same queue, and shows each response as it came. A
 * read ends with the signal. A write does not: whether it was carried out decides what has to be removed.
 */
export class Service {
	scheme: "Bearer" | "token" = "Bearer";
	readonly teamName: string;
	private readonly limits = limitsOf(LIMITS);
	private readonly queue = new Queue(this.limits);
	private readonly transport: ReturnType<typeof createTransport>;
	private readonly caller: Caller;
	private readonly log = resolveRequestLog();

	constructor(
		private readonly connection: ConnectionSettings,
		private readonly signal: AbortSignal,
	) {
		this.teamName = connection.teamName;
		this.transport = createTransport(connection.baseUrl, connection.token, this.limits);
		const { limits, queue, transport } = this;
		this.caller = new Caller({ ...connection, limits, queue, transport });
	}

	/** Fails with an ApiError if there is no response, or only one that says nothing about the request (429, 5xx). */
	async ask(
		name: EndpointName,
		fields: Readonly<Record<string, unknown>> = {},
		how: Asking = {},
	): Promise<Answer> {
		const { method, path, summary, access } = endpoints[name];
		const prepared = prepareRequest(name, fields, this.connection.teamName);
		const action = summary
			.replace(/[,:].*/, "")
			.replace(/./, (first) => first.toLowerCase());
		const facts = this.caller.facts(action, fields, { method, path });
		if ("problems" in prepared)
			throw InvalidRequestError.unsent(facts, prepared.problems);
		const { request } = prepared;
		const signals = access === "write" ? [] : [this.signal];
		const clock = new Clock(LIMITS.deadlineMillis, ...signals);
		const secrets = secretsOf(this.connection.token, fields);
		const call = { operation: name, facts, clock, operationClocks: [] };
		try {
			const raw = await this.queue.send(call, async () => {
				facts.requestId = randomUUID();
				const startedAt = performance.now();
				const form = how.file && formBody(await openSource(how.file));
				let sent: RawReply | undefined;
				let failure: unknown;
				try {
					sent = await this.transport.exchange({
						facts,
						clock,
						target: `${request.path}${request.query}`,
						headers: {
							...(form?.headers ?? jsonType(request.body)),
							...this.authorization(how),
							[REQUEST_ID]: facts.requestId,
						},
						body: form?.body ?? (request.body && JSON.stringify(request.body)),
					});
					if (sent.status === 408 || sent.status === 429 || sent.status >= 500)
						throw statusError(sent, facts, secrets);
					return sent;
				} catch (error) {
					failure = error;
					throw error;
				} finally {
					this.log?.({
						...{ operation: name, method, path, teamName: this.teamName },
						...{
							attempt: facts.attempts,
							requestId: facts.requestId,
							resource: undefined,
						},
						durationMillis: performance.now() - startedAt,
						status: sent?.status,
						error: failure instanceof Error ? failure.name : undefined,
						serviceTime: sent && serviceTime(sent),
					});
					await form?.close();
				}
			});
			return this.answer(raw, () => statusError(raw, facts, secrets));
		} finally {
			clock.close();
		}
	}

	/** The text without the token, which a response has no reason to hold. */
	withoutToken(text: string): string {
		return withoutToken(text, secretsOf(this.connection.token, {}));
	}

	close(): Promise<void> {
		return this.transport.close();
	}

	private authorization({ authorization }: Asking): Record<string, string | undefined> {
		if (authorization === null) return { authorization: undefined };
		return {
			authorization: authorization ?? `${this.scheme} ${this.connection.token}`,
		};
	}

	private answer(raw: RawReply, error: () => ApiError): Answer {
		const answer: Answer = {
			status: raw.status,
			json: parseJson(raw.body.toString("utf8")),
			serviceTime: serviceTime(raw),
			receivedAt: Date.now(),
			orThrow: () => {
				if (raw.status >= 200 && raw.status < 300) return answer;
				throw error();
			},
		};
		return answer;
	}
}

const jsonType = (body: unknown): Record<string, string> =>
	body === undefined ? {} : { "content-type": "application/json" };

/** Why there was no response, without the team, the address and the service's words. */
export function shortFailure(error: unknown): string {
	if (!(error instanceof ApiError))
		return error instanceof Error ? error.name : "unknown";
	if (error.status !== undefined) return `the service answered with ${error.status}`;
	const code = "code" in error ? ` (${String(error.code)})` : "";
	return `there was no response: ${error.name}${code}`;
}

/** A field of a JSON object; undefined of anything else. */
export const fieldOf = (value: unknown, name: string): unknown =>
	typeof value === "object" && value !== null
		? Object.getOwnPropertyDescriptor(value, name)?.value
		: undefined;

/** What kind of JSON value it is. */
export function typeOf(value: unknown): string {
	if (value === undefined) return "nothing";
	if (value === null) return "null";
	if (Array.isArray(value)) return "an array";
	if (Number.isInteger(value)) return "an integer";
	return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
