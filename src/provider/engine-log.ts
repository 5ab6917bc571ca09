/** The part of the SDK's modules that is used here. They are those of Pulumi's own process, which has loaded them already. */
interface Grpc {
	readonly credentials: { createInsecure(): unknown };
}
interface Services {
	readonly EngineClient: new (address: string, credentials: unknown) => Client;
}
interface Messages {
	readonly LogRequest: new () => LogRequest;
	readonly LogSeverity: { readonly INFO: number };
}
interface LogRequest {
	setSeverity(severity: number): LogRequest;
	setMessage(text: string): LogRequest;
	setUrn(urn: string): LogRequest;
}
interface Client {
	log(request: LogRequest, done: () => void): void;
}

type Send = (text: string, urn: string, done: () => void) => void;

/**
 * Shows lines in the deployment's output. What a dynamic provider prints is shown with the stack; the engine's own log
 * takes a URN, and shows the line with that resource.
 */
export class EngineLog {
	private readonly sending = new Set<Promise<void>>();
	private send: Send | undefined;

	constructor(private readonly address: string | undefined) {}

	readonly say = (text: string, urn?: string): void => {
		const send = urn === undefined || this.address === undefined ? undefined : this.connected(this.address);
		if (send === undefined || urn === undefined) {
			console.log(text);
			return;
		}
		const sent = new Promise<void>((done) => send(text, urn, done));
		this.sending.add(sent);
		void sent.then(() => this.sending.delete(sent));
	};

	/** Done when everything said so far has arrived: an answer that came first could end the run. */
	async arrived(): Promise<void> {
		await Promise.all(this.sending);
	}

	private connected(address: string): Send | undefined {
		this.send ??= connect(address);
		return this.send;
	}
}

/** Undefined if this is not Pulumi's process, or the SDK is built in another way. */
function connect(address: string): Send | undefined {
	const host = require.main;
	if (host === undefined) return undefined;
	try {
		const { credentials } = host.require("@grpc/grpc-js") as Grpc;
		const { EngineClient } = host.require("../../proto/engine_grpc_pb") as Services;
		const { LogRequest, LogSeverity } = host.require("../../proto/engine_pb") as Messages;
		const client = new EngineClient(address, credentials.createInsecure());
		// An engine that is gone needs no message any more.
		return (text, urn, done) =>
			client.log(new LogRequest().setSeverity(LogSeverity.INFO).setMessage(text).setUrn(urn), () => done());
	} catch {
		return undefined;
	}
}
