import * as grpc from "@grpc/grpc-js";
import { EngineClient } from "@pulumi/pulumi/proto/engine_grpc_pb";
import * as messages from "@pulumi/pulumi/proto/engine_pb";
import { EngineLog, sendThrough } from "../engine-log";

/** Without an address, which only a start by hand can cause, lines go to the standard error. */
export const engineLog = (address: string | undefined): EngineLog =>
	new EngineLog(
		address,
		(engine) =>
			sendThrough(
				new EngineClient(engine, grpc.credentials.createInsecure()),
				messages,
			),
		(text) => console.error(text),
	);

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
		for (const signal of ["SIGINT", "SIGTERM"] as const)
			process.on(signal, () => this.end());
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
