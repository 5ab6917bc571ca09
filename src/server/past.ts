import type { State, TeamState } from "./state";

const KEPT = 200;

/** How the state was a while ago, for lists that lag behind. Recorded only while a fault asks for it. */
export class Past {
	#snapshots: { at: number; state: State }[] = [];

	record(state: State): void {
		this.#snapshots.push({ at: performance.now(), state: structuredClone(state) });
		if (this.#snapshots.length > KEPT) this.#snapshots.shift();
	}

	forget(): void {
		this.#snapshots = [];
	}

	/** The team as it was `millis` ago, or as far back as is known. */
	team(name: string, millis: number): TeamState | undefined {
		const then = performance.now() - millis;
		const old = this.#snapshots.filter((snapshot) => snapshot.at <= then).at(-1) ?? this.#snapshots[0];
		return old?.state.teams.find((team) => team.name === name);
	}
}
