import { EventEmitter } from "node:events";
import type { Clock } from "./clock";
import { emptyTeam, type JobRecord, type State, type TeamState } from "./state";

/** The state, the time, and the things that happen by themselves. Everything in here is synchronous. */
export class World {
	readonly #timers = new Map<string, () => void>();
	readonly #jobs = new EventEmitter().setMaxListeners(0);
	#onJobEnd: (team: TeamState, job: JobRecord) => void = () => {};
	#closed = false;

	constructor(
		readonly state: State,
		readonly clock: Clock,
		readonly stepMillis: number,
		/** Whether cron expressions are stored in one spelling, as the service may do. */
		readonly normalise: boolean,
		/** Called after every change, before the request that made it is answered. */
		private readonly onChange: () => void,
	) {}

	now(): number {
		return this.clock.now();
	}

	team(name: string): TeamState | undefined {
		return this.state.teams.find((team) => team.name === name);
	}

	addTeam(name: string): TeamState {
		const team = emptyTeam(name);
		this.state.teams.push(team);
		this.changed();
		return team;
	}

	changed(): void {
		this.onChange();
	}

	/** One timer per key; setting it again moves it, null removes it. */
	setTimer(key: string, time: number | null, run: () => void): void {
		this.#timers.get(key)?.();
		this.#timers.delete(key);
		if (time === null || this.#closed) return;
		this.#timers.set(
			key,
			this.clock.at(time, () => {
				this.#timers.delete(key);
				run();
			}),
		);
	}

	/** Tells log readers that a job's status or log has grown. */
	jobChanged(job: JobRecord): void {
		this.changed();
		this.#jobs.emit(job.id);
	}

	onJobChange(id: string, listener: () => void): () => void {
		this.#jobs.on(id, listener);
		return () => this.#jobs.off(id, listener);
	}

	/** Pipelines go on when a job ends; jobs do not know of pipelines. */
	set jobEnd(listener: (team: TeamState, job: JobRecord) => void) {
		this.#onJobEnd = listener;
	}

	jobEnded(team: TeamState, job: JobRecord): void {
		this.#onJobEnd(team, job);
	}

	/** The clock may outlive this server, so its timers are taken back. */
	close(): void {
		this.#closed = true;
		for (const cancel of this.#timers.values()) cancel();
		this.#timers.clear();
	}
}
