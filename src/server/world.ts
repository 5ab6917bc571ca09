import { EventEmitter } from "node:events";
import type { EndpointName, RequestOf } from "../schemas/wire/endpoints";
import { formatInstant } from "../text/instant";
import type { Clock } from "./clock";
import { emptyTeam, type JobRecord, type State, type TeamState } from "./state";

/** Somebody's request in a team. Token, team and fields are already right. */
export interface Call<Input = unknown> {
	readonly world: World;
	readonly team: TeamState;
	readonly user: string;
	/** The fields of path, query and body; of an upload the file. */
	readonly input: Input;
	/** How a fault wants the variables of a settings request read. */
	readonly reading?: "merge" | "unquote" | undefined;
}

export type CallOf<Name extends EndpointName> = Call<RequestOf<Name>>;

/** The state, the time, and the things that happen by themselves. Everything in here is synchronous. */
export class World {
	readonly #timers = new Map<string, () => void>();
	#delayed = 0;
	readonly #jobs = new EventEmitter().setMaxListeners(0);
	#closed = false;
	/** Grows with every change. */
	revision = 0;
	/** http://host:port, known once the server listens. */
	url = "";

	constructor(
		readonly state: State,
		readonly clock: Clock,
		readonly stepMillis: number,
		/** Whether cron expressions are stored in one spelling, as the service may do. */
		readonly normalise: boolean,
		private readonly onChange: (team: TeamState) => void,
		/** Pipelines go on when a job ends; jobs do not know of pipelines. */
		readonly jobEnded: (world: World, team: TeamState, job: JobRecord) => void,
	) {}

	/** Called after every change, before the request that made it is answered. */
	changed(team: TeamState): void {
		this.revision += 1;
		this.onChange(team);
	}

	now(): number {
		return this.clock.now();
	}

	/** The same in the form of records and replies. */
	timestamp(): string {
		return formatInstant(this.now());
	}

	team(name: string): TeamState | undefined {
		return this.state.teams.find((team) => team.name === name);
	}

	addTeam(name: string): TeamState {
		const team = emptyTeam(name);
		this.state.teams.push(team);
		return team;
	}

	/** One timer per key; setting it again moves it, null removes it. A team that is gone does nothing any more. */
	setTimer(key: string, team: TeamState, time: number | null, run: () => void): void {
		this.#timers.get(key)?.();
		this.#timers.delete(key);
		if (time === null || this.#closed) return;
		this.#timers.set(
			key,
			this.clock.at(time, () => {
				this.#timers.delete(key);
				if (this.team(team.name) === team) run();
			}),
		);
	}

	/** Does something to a team once, `millis` from now by the server's clock. */
	after(millis: number, team: TeamState, run: () => void): void {
		this.setTimer(`after:${this.#delayed++}`, team, this.now() + millis, run);
	}

	/** Tells log readers that a job's status or log has grown. */
	jobChanged(team: TeamState, job: JobRecord): void {
		this.changed(team);
		this.#jobs.emit(job.id);
	}

	onJobChange(id: string, listener: () => void): () => void {
		this.#jobs.on(id, listener);
		return () => this.#jobs.off(id, listener);
	}

	/** The clock may outlive this server, so its timers are taken back. */
	close(): void {
		this.#closed = true;
		for (const cancel of this.#timers.values()) cancel();
		this.#timers.clear();
	}
}
