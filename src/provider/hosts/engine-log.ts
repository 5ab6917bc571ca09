/** Sends a line to the engine, and calls `done` when it has arrived. */
export type SendLine = (
	severity: "INFO" | "WARNING",
	text: string,
	urn: string,
	done: () => void,
) => void;

/**
 * Shows lines in the deployment's output, through the engine's own log: what a plugin prints is not shown at all, and what
 * a dynamic provider prints is never shown with its resource.
 */
export class EngineLog {
	/** Lines are sent one after another: of two at once the engine may show either first. */
	private last = Promise.resolve();
	private send: SendLine | undefined;

	constructor(
		private address: string | undefined,
		private readonly connect: (address: string) => SendLine | undefined,
		/** For lines that cannot be sent. */
		private readonly print: (text: string) => void,
	) {}

	/** A URN puts the line below that resource; without one the engine shows it with the stack. */
	readonly info = (text: string, urn?: string): void => this.say("INFO", text, urn);
	readonly warn = (text: string, urn?: string): void => this.say("WARNING", text, urn);

	/** From now on to this engine: a plugin that somebody started by hand learns the address later. */
	attach(address: string): void {
		this.address = address;
		this.send = undefined;
	}

	/** Done when everything said so far has arrived: an answer that came first could end the run. */
	arrived(): Promise<void> {
		return this.last;
	}

	private say(severity: "INFO" | "WARNING", text: string, urn = ""): void {
		if (this.address !== undefined) this.send ??= this.connect(this.address);
		const { send } = this;
		if (send === undefined) {
			this.print(text);
			return;
		}
		this.last = this.last.then(
			() => new Promise((done) => send(severity, text, urn, done)),
		);
	}
}

/** The part of the SDK's modules that is used below. */
interface Grpc {
	readonly credentials: { createInsecure(): unknown };
}
interface Services {
	readonly EngineClient: new (
		address: string,
		credentials: unknown,
	) => { log(request: LogRequest, done: () => void): void };
}
interface Messages {
	readonly LogRequest: new () => LogRequest;
	readonly LogSeverity: Readonly<Record<"INFO" | "WARNING", number>>;
}
interface LogRequest {
	setSeverity(severity: number): LogRequest;
	setMessage(text: string): LogRequest;
	setUrn(urn: string): LogRequest;
}

/**
 * From the process of the dynamic host, with the modules of the SDK that it has loaded already. Undefined if this is not
 * that process, or the SDK is built in another way.
 */
export function connectThroughHost(
	address: string,
	host: Pick<NodeJS.Module, "require"> | undefined = require.main,
): SendLine | undefined {
	const load = (name: string): unknown => host?.require(name);
	try {
		const { credentials } = load("@grpc/grpc-js") as Grpc;
		const { EngineClient } = load("../../proto/engine_grpc_pb") as Services;
		const messages = load("../../proto/engine_pb") as Messages;
		return sendThrough(
			new EngineClient(address, credentials.createInsecure()),
			messages,
		);
	} catch {
		return undefined;
	}
}

/** An engine that is gone needs no message any more, so a failure counts as arrived. */
export const sendThrough =
	(
		client: { log(request: LogRequest, done: () => void): void },
		{ LogRequest, LogSeverity }: Messages,
	): SendLine =>
	(severity, text, urn, done) =>
		client.log(
			new LogRequest().setSeverity(LogSeverity[severity]).setMessage(text).setUrn(urn),
			() => done(),
		);
