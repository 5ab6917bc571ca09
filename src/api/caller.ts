import type { Readable } from "node:stream";
import { type Endpoint, type EndpointName, endpoints } from "../schemas/endpoints";
import { CallClock } from "./call-clock";
import {
	ApiError,
	type CallFacts,
	InvalidRequestError,
	RateLimitedError,
	type Received,
	worseOf,
} from "./errors";
import { ExchangeFault } from "./exchange-fault";
import { faultError, stopError } from "./fault-error";
import { type CallOptions, type Limits, positive } from "./options";
import { secretsOf, whichObject } from "./redact";
import { readReply } from "./reply";
import { type PreparedRequest, prepareRequest, type ReplyOf, type RequestOf, replySchemas } from "./requests";
import type { RetryBudget } from "./retry-budget";
import { askedDelay, mayRepeat } from "./retry-policy";
import { backoffMillis } from "./retry-timing";
import type { RawReply, Transport } from "./transport";
import type { Pass, WriteGate } from "./write-gate";

/** A streamed body, opened anew for each attempt. */
export interface OpenBody {
	readonly headers: Readonly<Record<string, string>>;
	readonly body: Readable;
	/** Why the body could not be read to its end; then that is the cause, and not the connection it broke. */
	readonly failure: Error | undefined;
	close(): Promise<void>;
}

/** What some endpoints need beyond their request. */
export interface CallExtras {
	readonly openBody?: () => Promise<OpenBody>;
	readonly allowText?: boolean;
	/** What the body holds, where it may be secret: taken out of messages that repeat it. */
	readonly privateText?: string | undefined;
	/** False where a second attempt could not send the same again. */
	readonly repeatable?: () => boolean;
	/** Added to the deadline unless the caller gave one. */
	readonly extraMillis?: number;
}

export interface CallerSettings {
	readonly transport: Transport;
	readonly token: string;
	readonly teamName: string;
	readonly limits: Limits;
	readonly budget: RetryBudget;
	readonly gate: WriteGate;
}

/** Runs calls: checks the request, sends it, reads the reply, and repeats what may be repeated. */
export class Caller {
	constructor(private readonly settings: CallerSettings) {}

	async call<Name extends EndpointName>(
		name: Name,
		input: RequestOf<Name> & object,
		options: CallOptions = {},
		extras: CallExtras = {},
	): Promise<ReplyOf<Name>> {
		const { limits, teamName } = this.settings;
		const fields: Readonly<Record<string, unknown>> = { ...input };
		const prepared = prepareRequest(name, fields, teamName);
		if ("problems" in prepared) {
			throw InvalidRequestError.unsent(
				this.facts(name, fields, endpoints[name].path, 0, false),
				prepared.problems,
			);
		}
		const limit = options.deadlineMillis ?? limits.deadlineMillis + (extras.extraMillis ?? 0);
		const clock = new CallClock(positive("deadlineMillis", limit), options.signal);
		try {
			return await this.repeat(name, prepared.request, clock, extras);
		} finally {
			clock.close();
		}
	}

	private async repeat<Name extends EndpointName>(
		name: Name,
		request: PreparedRequest,
		clock: CallClock,
		extras: CallExtras,
	): Promise<ReplyOf<Name>> {
		let before: Received = false;
		for (let attempt = 1; ; attempt += 1) {
			const facts = this.facts(name, request.fields, request.path, attempt, before);
			const pass = facts.method === "POST" ? await this.settings.gate.enter(clock) : undefined;
			if (clock.stopped) {
				pass?.leave();
				throw stopError({ ...facts, attempts: attempt - 1 }, clock, false);
			}
			try {
				const reply = await this.attempt(name, request, facts, clock, extras, pass);
				this.settings.budget.succeeded();
				return reply;
			} catch (error) {
				if (!(error instanceof ApiError)) throw error;
				before = worseOf(before, error.received);
				await this.pause(endpoints[name], error, facts, clock, extras);
			}
		}
	}

	private async attempt<Name extends EndpointName>(
		name: Name,
		request: PreparedRequest,
		facts: CallFacts,
		clock: CallClock,
		extras: CallExtras,
		pass: Pass | undefined,
	): Promise<ReplyOf<Name>> {
		try {
			const raw = await this.send(request, facts, clock, await extras.openBody?.());
			const reply = readReply(raw, {
				call: facts,
				schema: replySchemas[name].reply,
				secrets: secretsOf(this.settings.token, { ...request.fields, body: extras.privateText }),
				allowText: extras.allowText ?? false,
			});
			pass?.succeeded();
			return reply;
		} catch (error) {
			if (error instanceof RateLimitedError) pass?.refused();
			throw error;
		} finally {
			pass?.leave();
		}
	}

	private async send(
		request: PreparedRequest,
		facts: CallFacts,
		clock: CallClock,
		opened: OpenBody | undefined,
	): Promise<RawReply> {
		const json = request.body && { "content-type": "application/json" };
		try {
			return await this.settings.transport.exchange({
				method: facts.method,
				target: `${request.path}${request.query}`,
				headers: opened?.headers ?? json ?? {},
				body: opened?.body ?? (request.body && JSON.stringify(request.body)),
				signal: clock.signal,
			});
		} catch (error) {
			if (opened?.failure) throw opened.failure;
			if (!(error instanceof ExchangeFault)) throw error;
			throw faultError(error, facts, clock, this.settings.limits);
		} finally {
			await opened?.close();
		}
	}

	/** Waits before the next attempt, or throws the error where there will be none. */
	private async pause(
		endpoint: Endpoint,
		error: ApiError,
		facts: CallFacts,
		clock: CallClock,
		extras: CallExtras,
	): Promise<void> {
		const { limits, budget } = this.settings;
		if (facts.attempts >= limits.maxAttempts || !mayRepeat(endpoint.repeat, error)) throw error;
		if (extras.repeatable?.() === false) throw error;
		const jitter = backoffMillis(facts.attempts, limits.random);
		const asked = askedDelay(error);
		// Jitter on top of what the service asked, or everyone it sent away would return in the same moment.
		const delayMillis = asked === undefined ? jitter : asked + Math.floor(jitter / 4);
		if ((asked ?? delayMillis) >= clock.leftMillis || !budget.take()) throw error;
		limits.onRetry({
			method: facts.method,
			path: facts.path,
			attempt: facts.attempts,
			delayMillis,
			because: error.name,
		});
		await clock.wait(delayMillis);
	}

	private facts(
		name: EndpointName,
		fields: Readonly<Record<string, unknown>>,
		path: string,
		attempts: number,
		receivedBefore: Received,
	): CallFacts {
		const { summary, method } = endpoints[name];
		const teamName = typeof fields.team_name === "string" ? fields.team_name : this.settings.teamName;
		// The summaries explain after the first comma or colon; a message needs only what was tried.
		const action = summary.replace(/[,:].*$/, "").replace(/^./, (first) => first.toLowerCase());
		const what = `${action}${whichObject(fields)} in team ${JSON.stringify(teamName)}`;
		return { what, method, path, attempts, teamName, receivedBefore };
	}
}
