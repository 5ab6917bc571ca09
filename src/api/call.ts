import type { Readable } from "node:stream";
import type { EndpointName } from "../schemas/wire/endpoints";
import type { CallClock } from "./call-clock";

/** A checked request, its fields sorted to where they travel. */
export interface PreparedRequest {
	readonly path: string;
	/** With the leading `?`, or empty. */
	readonly query: string;
	readonly body: Readonly<Record<string, unknown>> | undefined;
	readonly fields: Readonly<Record<string, unknown>>;
}

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

/** One call on its way through the caller's steps. */
export interface Call<Name extends EndpointName = EndpointName> {
	readonly operation: Name;
	readonly request: PreparedRequest;
	readonly clock: CallClock;
	readonly extras: CallExtras;
}
