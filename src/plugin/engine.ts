import * as grpc from "@grpc/grpc-js";
import { EngineClient } from "@pulumi/pulumi/proto/engine_grpc_pb";
import { LogRequest, LogSeverity } from "@pulumi/pulumi/proto/engine_pb";

/** Tells the person at the terminal something. The engine shows nothing of what a plugin prints; this is the way. */
export class EngineLog {
	private client: EngineClient | undefined;
	private readonly sending = new Set<Promise<void>>();

	/** Without an address, which only a start by hand can cause, lines go to the standard error. */
	constructor(private address: string | undefined) {}

	/** A URN puts the line below that resource; without one the engine shows it with the stack. */
	readonly info = (text: string, urn?: string): void => this.send(LogSeverity.INFO, text, urn);
	readonly warn = (text: string, urn?: string): void => this.send(LogSeverity.WARNING, text, urn);

	/** From now on to this engine: a plugin that somebody started by hand learns the address later. */
	attach(address: string): void {
		this.client?.close();
		this.client = undefined;
		this.address = address;
	}

	/** Done when everything said so far has arrived: an answer that came first could end the run. */
	async arrived(): Promise<void> {
		await Promise.all(this.sending);
	}

	private send(severity: LogSeverity, text: string, urn = ""): void {
		if (this.address === undefined) {
			console.error(text);
			return;
		}
		this.client ??= new EngineClient(this.address, grpc.credentials.createInsecure());
		const request = new LogRequest().setSeverity(severity).setMessage(text).setUrn(urn);
		const { client } = this;
		// An engine that is gone needs no message any more.
		const sent = new Promise<void>((done) => client.log(request, () => done()));
		this.sending.add(sent);
		void sent.then(() => this.sending.delete(sent));
	}
}

/** The engine sends its cancel and its interrupt in either order, and a cancel that comes second needs an answer. */
const ANSWER_MILLIS = 50;
/** How often the process looks whether whoever started it is still there. */
const LOOK_MILLIS = 1_000;

/**
 * When the plugin's process ends. The engine sends a cancel and an interrupt at every normal end, and at Ctrl-C; an
 * operation that is under way then is let come to its end, because what it made must reach the state.
 */
export class Lifetime {
	private underWay = 0;
	private isEnding = false;

	constructor(private readonly exit: () => void) {
		const parent = process.ppid;
		for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => this.end());
		// An engine that was killed sends nothing.
		setInterval(() => {
			if (process.ppid !== parent) this.end();
		}, LOOK_MILLIS).unref();
	}

	async during<T>(work: () => Promise<T>): Promise<T> {
		this.underWay += 1;
		try {
			return await work();
		} finally {
			this.underWay -= 1;
			if (this.isEnding) this.leaveSoon();
		}
	}

	private end(): void {
		this.isEnding = true;
		this.leaveSoon();
	}

	/** Unless another operation has begun by then. */
	private leaveSoon(): void {
		setTimeout(() => this.underWay === 0 && this.exit(), ANSWER_MILLIS);
	}
}
