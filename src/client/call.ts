import { randomUUID } from "node:crypto";
import type { Readable } from "node:stream";
import { endpoints } from "../schemas/endpoints";
import type { EndpointName, ReplyOf, RequestOf } from "../schemas/wire/endpoints";
import { Clock } from "./clock";
import type { ConnectionSettings } from "./connection";
import {
	ApiError,
	type CallFacts,
	InvalidRequestError,
	OtherObjectError,
	UploadError,
} from "./errors";
import {
	type CallOptions,
	type CallScope,
	type Limits,
	type PreparedRequest,
	positive,
	type UnreadableInfo,
} from "./options";
import type { Call, Queue } from "./queue";
import { objectLabel, redact, type Secrets, secretsOf } from "./redaction";
import { readReply, serviceTime } from "./reply";
import type { AttemptInfo } from "./request-log";
import { prepareRequest, replySchemas } from "./requests";
import type { RawReply, Transport } from "./transport";

type Fields = Readonly<Record<string, unknown>>;

interface CallerSettings extends ConnectionSettings {
	readonly transport: Transport;
	readonly limits: Limits;
	readonly queue: Queue;
}

/** Makes the calls of a client: each is checked, goes through the queue, is sent, and its reply read. */
export class Caller {
	constructor(
		readonly settings: CallerSettings,
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
		extras: CallExtras<ReplyOf<Name>> = {},
	): Promise<ReplyOf<Name>> {
		const { queue, limits } = this.settings;
		const request = this.prepare(name, { ...input });
		const limit =
			options.deadlineMillis ?? limits.deadlineMillis + (extras.extraMillis ?? 0);
		const { signals, clocks } = this.scopes.endsOf(options);
		const clock = new Clock(positive("deadlineMillis", limit), ...signals);
		const facts = this.factsOf(name, request.fields, request.path);
		const { mayRepeat, onRetry } = options;
		const call: Call<Name> = {
			operation: name,
			facts,
			clock,
			operationClocks: clocks,
			mayRepeat,
			onRetry,
		};
		try {
			return await queue.send(call, () => this.exchange(call, request, extras));
		} finally {
			clock.close();
		}
	}

	private prepare(name: EndpointName, fields: Fields): PreparedRequest {
		const prepared = prepareRequest(name, fields, this.settings.teamName);
		if ("request" in prepared) return prepared.request;
		throw InvalidRequestError.unsent(
			this.factsOf(name, fields, endpoints[name].path),
			prepared.problems,
		);
	}

	private async exchange<Name extends EndpointName>(
		{ operation, facts, clock }: Call<Name>,
		request: PreparedRequest,
		extras: CallExtras<ReplyOf<Name>>,
	): Promise<ReplyOf<Name>> {
		facts.requestId = randomUUID();
		const opened = await extras.openBody?.();
		const startedAt = performance.now();
		const secrets = secretsOf(
			this.settings.token,
			{ ...request.fields, body: extras.privateText },
			this.scopes.secrets,
		);
		const json = request.body && { "content-type": "application/json" };
		let raw: RawReply | undefined;
		let failure: unknown;
		try {
			raw = await this.settings.transport.exchange({
				facts,
				clock,
				target: `${request.path}${request.query}`,
				headers: { ...(opened?.headers ?? json), [REQUEST_ID]: facts.requestId },
				body: opened?.body ?? (request.body && JSON.stringify(request.body)),
			});
			facts.requestId = idOf(raw, facts.requestId, secrets);
			const reply = readReply(raw, {
				call: facts,
				schema: replySchemas[operation].reply,
				secrets,
				onUnreadable: (element) =>
					this.scopes.unreadable({ operation, teamName: facts.teamName, ...element }),
			});
			const other = extras.otherObject?.(reply);
			if (other !== undefined) throw new OtherObjectError(facts, other);
			return reply;
		} catch (error) {
			// A file that cannot be read to its end is the cause, and not the connection that it broke.
			const cause = opened?.body.errored;
			failure = cause instanceof UploadError && !clock.stopped ? cause : error;
			throw failure;
		} finally {
			const { method, path, teamName, attempts: attempt, requestId } = facts;
			this.scopes.report({
				...{ operation, method, path, teamName, attempt, requestId },
				durationMillis: performance.now() - startedAt,
				status: failure instanceof ApiError ? failure.status : raw?.status,
				error: failure instanceof Error ? failure.name : undefined,
				serviceTime: raw && serviceTime(raw),
			});
			await opened?.close();
		}
	}

	private factsOf(name: EndpointName, fields: Fields, path: string): CallFacts {
		const { summary, method } = endpoints[name];
		// The summaries explain after the first comma or colon; a message needs only what was tried.
		const action = summary
			.replace(/[,:].*/, "")
			.replace(/./, (first) => first.toLowerCase());
		return this.facts(action, fields, { method, path });
	}

	/** What is known of a call before its first attempt. */
	facts(
		action: string,
		fields: Fields,
		where: Pick<CallFacts, "method" | "path">,
	): CallFacts {
		const { baseUrl } = this.settings;
		const teamName =
			typeof fields.team_name === "string" ? fields.team_name : this.settings.teamName;
		const object = objectLabel(fields);
		const attempted = `${action}${object} in team ${JSON.stringify(teamName)}`;
		const namesObject = object !== "" || fields.datasets !== undefined;
		return {
			...where,
			action: attempted,
			teamName,
			namesObject,
			baseUrl,
			attempts: 0,
			receivedBefore: false,
		};
	}
}

/** The header by whose value a request is found in the service's own log. */
export const REQUEST_ID = "x-request-id";

/** The response's own id if it is fit to print, else ours: a gateway may send back what it was sent, secrets included. */
function idOf({ headers }: RawReply, ours: string, secrets: Secrets): string {
	const id = headers[REQUEST_ID];
	if (typeof id !== "string" || !/^[\w.:-]{1,100}$/.test(id)) return ours;
	return redact(id, secrets.all()) === id ? id : ours;
}

/** A streamed body, opened anew for each attempt. */
export interface OpenBody {
	readonly headers: Readonly<Record<string, string>>;
	readonly body: Readable;
	close(): Promise<void>;
}

/** What some endpoints need beyond their request. */
interface CallExtras<Reply> {
	readonly openBody?: () => Promise<OpenBody>;
	/** What the body holds, if it may be secret: redacted in messages that repeat it. */
	readonly privateText?: string | undefined;
	/** Added to the deadline unless the caller gave one. */
	readonly extraMillis?: number;
	/** What the reply is about, if it is not what was asked for. */
	readonly otherObject?: (reply: Reply) => string | undefined;
}

/** The scopes a client was narrowed by, outermost first: each of them hears of each call. */
class Scopes {
	constructor(private readonly scopes: readonly CallScope[] = []) {}

	with(scope: CallScope): Scopes {
		return new Scopes([...this.scopes, scope]);
	}

	/** What ends a call: its own signal, those of all scopes, and the times that it shares with other calls. */
	endsOf({ signal: own, untimed }: CallOptions): {
		signals: AbortSignal[];
		clocks: Clock[];
	} {
		const given = [...this.scopes.map(({ signal }) => signal), own];
		const signals = given.flatMap((signal) =>
			typeof signal === "function" ? signal() : (signal ?? []),
		);
		const clocks = untimed ? [] : this.scopes.flatMap(({ clock }) => clock?.() ?? []);
		return { signals: [...signals, ...clocks.map((clock) => clock.signal)], clocks };
	}

	readonly secrets = (): readonly string[] =>
		this.scopes.flatMap(({ secrets }) => secrets?.() ?? []);

	unreadable(info: UnreadableInfo): void {
		for (const scope of this.scopes) scope.onUnreadable?.(info);
	}

	/** Tells of an attempt that has ended. */
	report(attempt: Omit<AttemptInfo, "resource">): void {
		const resource = this.scopes.flatMap((scope) => scope.resource ?? []).at(-1);
		for (const scope of this.scopes) {
			try {
				scope.onAttempt?.({ ...attempt, resource });
			} catch (error) {
				// A listener that throws must not fail the request: a create that was done would count as failed.
				const why = error instanceof Error ? error.message : "unknown";
				process.emitWarning(`a listener of requests failed: ${why}`);
			}
		}
	}
}
