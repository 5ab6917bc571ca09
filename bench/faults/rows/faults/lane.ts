import { setTimeout as sleep } from "node:timers/promises";
import { type ConnectionSettings, createClient } from "../../../../src/api";
import type { Schedule } from "../../../../src/schemas/schedule";
import { type LocalServer, startServer } from "../../../../src/server";
import { Random } from "../../random";
import type { Connections, Contender, Known } from "./contender";
import { ATTEMPT_MILLIS, CALM_ATTEMPT_MILLIS, type Declared, type PlannedFault, type Step } from "./plan";
import { compare, emptyTally, type Tally } from "./tally";

/** Base URLs behind which there is no service. */
export interface Elsewhere {
	readonly closedPort: string;
	readonly unknownHost: string;
}

interface Slot {
	known: Known | undefined;
	declared: Declared | undefined;
	/** Until then a write whose reply was lost may still be done; a person's next change comes later than that. */
	quietUntil: number;
}

const MOST_UPS = 6;
const QUIET_MARGIN_MILLIS = 300;

/** Runs a lane's operations on a server of its own, and compares what is there at the end with what was declared. */
export async function runLane(
	contender: Contender,
	steps: readonly Step[],
	seed: string,
	elsewhere: Elsewhere,
): Promise<Tally> {
	const server = await startServer({ faults: true });
	try {
		return await new Lane(contender, server, new Random(seed), elsewhere).run(steps);
	} finally {
		await server.close();
	}
}

class Lane {
	private readonly slots = new Map<number, Slot>();
	private readonly tally = emptyTally();
	private readonly connection: ConnectionSettings;

	constructor(
		private readonly contender: Contender,
		private readonly server: LocalServer,
		private readonly random: Random,
		private readonly elsewhere: Elsewhere,
	) {
		const { url, token, teamName } = server;
		this.connection = { baseUrl: `${url}/api`, token, teamName };
	}

	async run(steps: readonly Step[]): Promise<Tally> {
		const seeded = await this.allSchedules();
		for (const step of steps) {
			const slot = this.slots.get(step.slot) ?? { known: undefined, declared: undefined, quietUntil: 0 };
			this.slots.set(step.slot, slot);
			await quiet(slot);
			await this.operate(slot, step);
		}
		for (const slot of this.slots.values()) await quiet(slot);
		compare([...this.slots.values()], seeded, await this.allSchedules(), this.tally);
		return this.tally;
	}

	/** The user changes the program and runs `pulumi up` until it succeeds. */
	private async operate(slot: Slot, step: Step): Promise<void> {
		slot.declared = step.declared;
		let last: unknown;
		for (let up = 0; up < MOST_UPS; up += 1) {
			last = await this.up(slot, up === 0 ? step.fault : up === 1 ? step.again : undefined);
			if (last === undefined) return;
			if (up === 0) this.tally.again += 1;
		}
		const why = last instanceof Error ? last.message : String(last);
		const what = step.declared?.scheduleName ?? "a delete";
		this.tally.unsettled.push(`${what} after ${step.fault.kind}: ${why}`);
	}

	/** One `pulumi up`; the result is its error, where it fails. */
	private async up(slot: Slot, fault: PlannedFault | undefined): Promise<unknown> {
		for (const rule of fault?.rules ?? []) this.server.faults.add(rule);
		const at = this.connections(fault);
		const { known, error } = await this.contender.up(at, slot.known, slot.declared);
		this.server.faults.clear();
		slot.known = known;
		const late = fault?.lateMillis ?? 0;
		slot.quietUntil = Math.max(slot.quietUntil, Date.now() + late + QUIET_MARGIN_MILLIS);
		return error;
	}

	private connections(fault: PlannedFault | undefined): Connections {
		const good = this.connection;
		const common = {
			attemptMillis: fault === undefined ? CALM_ATTEMPT_MILLIS : ATTEMPT_MILLIS,
			random: () => this.random.next(),
		};
		if (fault?.instead === undefined) return { checking: good, writing: good, ...common };
		const { closedPort, unknownHost } = this.elsewhere;
		const bad = { ...good, baseUrl: fault.instead === "closed port" ? closedPort : unknownHost };
		return { checking: fault.onlyAtWrite ? good : bad, writing: bad, ...common };
	}

	private async allSchedules(): Promise<Schedule[]> {
		const client = createClient(this.connection);
		try {
			const items = await client.schedules.list();
			return await Promise.all(items.map(({ id }) => client.schedules.get({ schedule_id: id })));
		} finally {
			await client.close();
		}
	}
}

const quiet = (slot: Slot): Promise<void> => sleep(Math.max(0, slot.quietUntil - Date.now()));
