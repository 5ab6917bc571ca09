import { randomUUID } from "node:crypto";
import { endpoints } from "../schemas/endpoints";
import type { EndpointName, ReplyOf, RequestOf } from "../schemas/wire/endpoints";
import type { Call, CallExtras, OpenBody, PreparedRequest } from "./call";
import { CallClock } from "./call-clock";
import { type CallScope, Scopes } from "./call-scope";
import type { ConnectionSettings } from "./connection";
import { ApiError, DataChainError, InvalidRequestError, type WasReceived } from "./errors";
import type { CallFacts } from "./errors/api-error";
import { faultError } from "./fault-error";
import { type CallOptions, positive } from "./options";
import { type Secrets, secretsOf, whichObject } from "./redact";
import { takeOut } from "./redaction/take-out";
import { readReply } from "./reply";
import { prepareRequest, replySchemas } from "./requests";
import { type RetrySettings, retried } from "./retry";
import { ExchangeFault, type RawReply, type Transport } from "./transport";

type SentFacts = CallFacts & { readonly requestId: string };

export interface CallerSettings extends ConnectionSettings, RetrySettings {
	readonly transport: Transport;
}

/** The one way in for requests: prepare, deadline, retry, admission, send, read; each step wraps those after it. */
export class Caller {
	constructor(
		private readonly settings: CallerSettings,
		readonly scopes = new Scopes(),
	) {}

	/** The same connections, queues and budget, narrowed by one more scope. */
	scoped(scope: CallScope): Caller {
		return new Caller(this.settings, this.scopes.with(scope));
	}

	async call<Name extends EndpointName>(
		name: Name,
		input: RequestOf<Name> & object,
		options: CallOptions = {},
		extras: CallExtras = {},
	): Promise<ReplyOf<Name>> {
		const { lanes, limits } = this.settings;
		const request = this.prepare(name, { ...input });
		const limit = options.deadlineMillis ?? limits.deadlineMillis + (extras.extraMillis ?? 0);
		const clock = new CallClock(positive("deadlineMillis", limit), ...this.scopes.signalsFor(options.signal));
		const call: Call<Name> = { operation: name, request, clock, extras };
		try {
			return await retried(call, this.settings, (attempt, before) => {
				const facts = this.facts(name, request.fields, request.path, attempt, before);
				return lanes.admitted(call, facts, this.scopes, () => this.exchange(call, facts));
			});
		} finally {
			clock.close();
		}
	}

	private prepare(name: EndpointName, fields: Readonly<Record<string, unknown>>): PreparedRequest {
		const prepared = prepareRequest(name, fields, this.settings.teamName);
		if ("request" in prepared) return prepared.request;
		const facts = this.facts(name, fields, endpoints[name].path, 0, false);
		throw InvalidRequestError.unsent(facts, prepared.problems);
	}

	private async exchange<Name extends EndpointName>(
		call: Call<Name>,
		facts: SentFacts,
	): Promise<ReplyOf<Name>> {
		const { operation, request, extras } = call;
		const { token, limits } = this.settings;
		const opened = await extras.openBody?.();
		const ended = this.scopes.trace(operation, facts);
		const secrets = secretsOf(token, { ...request.fields, body: extras.privateText });
		let { requestId } = facts;
		let status: number | undefined;
		try {
			const raw = await this.send(call, facts, opened);
			status = raw.status;
			requestId = idOf(raw, requestId, secrets);
			const reply = readReply(raw, {
				call: { ...facts, requestId },
				schema: replySchemas[operation].reply,
				secrets,
				allowText: extras.allowText ?? false,
				onUnreadable: (element) => limits.onUnreadable({ operation, teamName: facts.teamName, ...element }),
			});
			ended(requestId, status, undefined);
			return reply;
		} catch (error) {
			const name = error instanceof DataChainError ? error.name : "Error";
			ended(requestId, error instanceof ApiError ? error.status : status, name);
			throw error;
		}
	}

	private async send(
		{ request, clock }: Call,
		facts: SentFacts,
		opened: OpenBody | undefined,
	): Promise<RawReply> {
		const json = request.body && { "content-type": "application/json" };
		try {
			return await this.settings.transport.exchange({
				method: facts.method,
				target: `${request.path}${request.query}`,
				headers: { ...(opened?.headers ?? json), [REQUEST_ID]: facts.requestId },
				body: opened?.body ?? (request.body && JSON.stringify(request.body)),
				signal: clock.signal,
			});
		} catch (error) {
			// A call that ran out of time or was cancelled tears its body; the body is not the cause then.
			if (opened?.failure && !clock.stopped) throw opened.failure;
			if (!(error instanceof ExchangeFault)) throw error;
			throw faultError(error, facts, clock, this.settings.limits);
		} finally {
			await opened?.close();
		}
	}

	private facts(
		name: EndpointName,
		fields: Readonly<Record<string, unknown>>,
		path: string,
		attempts: number,
		receivedBefore: WasReceived,
	): SentFacts {
		const { summary, method } = endpoints[name];
		const { baseUrl } = this.settings;
		const teamName = typeof fields.team_name === "string" ? fields.team_name : this.settings.teamName;
		// The summaries explain after the first comma or colon; a message needs only what was tried.
		const action = summary.replace(/[,:].*$/, "").replace(/^./, (first) => first.toLowerCase());
		const object = whichObject(fields);
		const what = `${action}${object} in team ${JSON.stringify(teamName)}`;
		return {
			what,
			method,
			path,
			attempts,
			teamName,
			namesObject: object !== "" || fields.datasets !== undefined,
			receivedBefore,
			baseUrl,
			requestId: randomUUID(),
		};
	}
}

/** By this name a request is found in the service's own log. */
const REQUEST_ID = "x-request-id";

/** The reply's own id, or ours: some gateways answer with what they were sent, and an id is printed and logged. */
function idOf({ headers }: RawReply, ours: string, secrets: Secrets): string {
	const id = headers[REQUEST_ID];
	if (typeof id !== "string" || id === ours || !/^[\w.:-]{1,100}$/.test(id)) return ours;
	return takeOut(id, secrets.all()) === id ? id : ours;
}
