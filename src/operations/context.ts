import type { DataChainClient } from "../client";
import type { ReadBackLags, Time } from "../client/read-back";
import type { Job } from "../schemas/wire/job";
import type { Pipeline } from "../schemas/wire/pipeline";

/** How old a list may be. Who acts on a status that it shows must verify it afterwards. */
export type Freshness =
	/** Shared by reads that follow each other, and never older than the last write of ours. */
	| "shared"
	/** Of up to three seconds ago; our own writes may be missing. */
	| "recent"
	| "now";

/**
 * A moment between two requests for lists. A clock would not do: a list that was asked for in the same millisecond may have been
 * asked for before.
 */
export interface ListMoment {
	/** How many lists had been asked for. */
	readonly asked: number;
}

/** Lists of a team. A deployment shares them between its calls; a command asks each time. */
export interface OperationLists {
	/** The newest ones only. */
	jobs(team: string, how?: Freshness | ListMoment): Promise<readonly Job[]>;
	pipelines(team: string, how?: Freshness | ListMoment): Promise<readonly Pipeline[]>;
	/** Notes that a pipeline exists, so that a read which misses it lags behind. */
	noteNew(team: string, name: string): void;
	/** Whether the pipeline is so new that a replica which lags behind may miss it. */
	isNew(team: string, name: string): boolean;
}

/** What an operation needs of whoever runs it. A call of the provider has it all; a command makes one for itself. */
export interface OperationContext {
	readonly client: DataChainClient;
	readonly lists: OperationLists;
	readonly time: Time;
	/** The delays between reads until the service shows what was written. */
	readonly readBackDelays: readonly number[];
	/** How late reads show what was written. */
	readonly lags: ReadBackLags;
	/** Fires when the user gives up, which ends every wait. */
	readonly interrupt: AbortSignal;
	/** Shows a message to the user. */
	notice(text: string): void;
	/** Shows a line of progress, such as a job's log. */
	line(text: string): void;
}
