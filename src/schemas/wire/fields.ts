/*
 * The objects on the wire, written out and not inferred: whoever imports the client or the server would otherwise load
 * zod's declarations. `test/unit/public-types.test.ts` keeps them equal to the schemas.
 */

type Tolerant<Fields> = { [Name in keyof Fields]?: Fields[Name] | null | undefined };

/** An object in a reply: any of these fields may be missing or null, and fields that are not listed pass. */
export type Reply<Fields> = Tolerant<Fields & { [field: string]: unknown }>;

/** Fields of a request that may be left out. */
export type Optional<Fields> = { [Name in keyof Fields]?: Fields[Name] | undefined };

/** What a job runs with, whether it was created by itself or for a pipeline. */
export interface RunOptions {
	python_version: string;
	/** Lines joined with a newline. */
	requirements: string;
	/** Clone URL with an optional `@revision`. */
	repository: string;
	workers: number;
	/** 0 to 5, lower runs sooner. */
	priority: number;
	/** `NAME=VALUE` lines joined with a newline; of a pipeline the whole set of variables. */
	environment: string;
	/** Ids of uploaded files. */
	files: string[];
}

/** Without a team a request works in the client's. */
export type InTeam = Optional<{ team_name: string }>;
