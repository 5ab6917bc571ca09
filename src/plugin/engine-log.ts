import * as grpc from "@grpc/grpc-js";
import { EngineClient } from "@pulumi/pulumi/proto/engine_grpc_pb";
import { LogRequest, LogSeverity } from "@pulumi/pulumi/proto/engine_pb";

/** Tells the person at the terminal something. The engine shows nothing of what a plugin prints; this is the way. */
export class EngineLog {
	private client: EngineClient | undefined;
	private readonly sending = new Set<Promise<void>>();

	/** Without an address, which only a start by hand can cause, lines go to the standard error. */
	constructor(private readonly address: string | undefined) {}

	readonly info = (text: string): void => this.send(LogSeverity.INFO, text);
	readonly warn = (text: string): void => this.send(LogSeverity.WARNING, text);

	/** Done when everything said so far has arrived: an answer that came first could end the run. */
	async arrived(): Promise<void> {
		await Promise.all(this.sending);
	}

	private send(severity: LogSeverity, text: string): void {
		if (this.address === undefined) {
			console.error(text);
			return;
		}
		this.client ??= new EngineClient(this.address, grpc.credentials.createInsecure());
		const request = new LogRequest().setSeverity(severity).setMessage(text);
		const { client } = this;
		// An engine that is gone needs no message any more.
		const sent = new Promise<void>((done) => client.log(request, () => done()));
		this.sending.add(sent);
		void sent.then(() => this.sending.delete(sent));
	}
}
