import { setTimeout as sleep } from "node:timers/promises";
import { sameCron } from "../../../../src/schemas/cron";
import { type LocalServer, type ScheduleView, startServer } from "../../../../src/server";
import { closedPort } from "../../../../test/helpers/api-raw-server";
import { atOnce } from "../../at-once";
import { messageOf } from "../../process";
import type { Random } from "../../random";
import { all, none, type Row, type Scale } from "../../row";
import { type Declared, drawPlan, FAULT_KINDS, PIPELINES, type PlannedFault, type Step, TIMES } from "./plan";
import { type Known, up } from "./up";

/** Each lane has a team of its own, so that a fault meets the operation it was drawn for. */
const COUNTS = { quick: { lanes: 75, steps: 2, slots: 1 }, full: { lanes: 40, steps: 25, slots: 3 } };
/** More, and a busy machine would be slower than the time an attempt has. */
const LANES_AT_ONCE = 20;
const MOST_UPS = 6;

/** What became of the schedules. */
interface Tally {
	readonly lost: string[];
	readonly duplicated: string[];
	readonly orphaned: string[];
	readonly unsettled: string[];
	/** Operations whose first try failed, so that the user ran `pulumi up` again. */
	readonly again: string[];
	/** Of these, operations that needed the documented way back: one run with DATACHAIN_ADOPT_EQUAL=true. */
	readonly adopted: string[];
}

/** One failing operation after another, until each has succeeded: nothing is lost, doubled or left over. */
export const faults: Row = {
	number: 2,
	name: "faults",
	async run({ scale, random }) {
		const { lanes, steps, slots } = COUNTS[scale];
		const plans = Array.from({ length: lanes }, (_, lane) =>
			drawPlan(random.fork(`lane ${lane}`), lane, steps, slots, scale),
		);
		const nowhere = await closedPort();
		const tally: Tally = { lost: [], duplicated: [], orphaned: [], unsettled: [], again: [], adopted: [] };
		const server = await startServer({ faults: true, empty: true });
		try {
			// Many together, because nearly all of the time is spent waiting.
			await atOnce(LANES_AT_ONCE, plans.entries(), ([lane, plan]) =>
				new Lane(server, lane, random.fork(`draws ${lane}`), scale, tally, nowhere).run(plan),
			);
		} finally {
			await server.close();
		}
		const operations = lanes * steps;
		return {
			load:
				`${operations.toLocaleString("en-US")} creates, updates, replacements and deletes, each with one of ${FAULT_KINDS} ` +
				`kinds of fault; ${tally.again.length} failed at first and were run again, ${tally.adopted.length} of them with consent to adopt`,
			figures: [
				none("schedules lost", tally.lost),
				none("schedules duplicated", tally.duplicated),
				none("schedules orphaned", tally.orphaned),
				all(
					"operations that came to an end",
					operations - tally.unsettled.length,
					operations,
					tally.unsettled,
				),
			],
		};
	},
};

interface Slot {
	known: Known | undefined;
	declared: Declared | undefined;
	/** Until then a write whose reply was lost may still be done; a person's next change comes later than that. */
	quietUntil: number;
}

/** Runs a lane's operations, and compares what is there at the end with what was declared. */
class Lane {
	private readonly slots = new Map<number, Slot>();
	private readonly team: string;

	constructor(
		private readonly server: LocalServer,
		lane: number,
		private readonly random: Random,
		private readonly scale: Scale,
		private readonly tally: Tally,
		private readonly nowhere: number,
	) {
		this.team = `lane-${lane}`;
	}

	async run(steps: readonly Step[]): Promise<void> {
		const team = this.server.addTeam(this.team, { pipelines: PIPELINES });
		team.createSchedule({ schedule_name: "theirs", pipeline_name: "p1", cron_expression: "0 0 * * *" });
		const seeded = team.schedules();
		const quiet = ({ quietUntil }: Slot) => sleep(Math.max(0, quietUntil - Date.now()));
		for (const step of steps) {
			const slot = this.slots.get(step.slot) ?? { known: undefined, declared: undefined, quietUntil: 0 };
			this.slots.set(step.slot, slot);
			await quiet(slot);
			slot.declared = step.declared;
			await this.operate(slot, step);
		}
		for (const slot of this.slots.values()) await quiet(slot);
		this.compare(seeded, team.schedules());
	}

	/** The user runs `pulumi up` until it succeeds, and does what the messages say. */
	private async operate(slot: Slot, { declared, fault, again }: Step): Promise<void> {
		const what = `${declared?.scheduleName ?? "a delete"} after ${fault.kind}`;
		let last: unknown;
		for (let tries = 0; tries < MOST_UPS; tries += 1) {
			const consent =
				/already exists/.test(messageOf(last)) && /DATACHAIN_ADOPT_EQUAL=true/.test(messageOf(last));
			if (tries === 1) this.tally.again.push(what);
			if (consent) this.tally.adopted.push(what);
			last = await this.up(slot, [fault, again][tries], consent);
			if (last === undefined) return;
		}
		this.tally.unsettled.push(`${what}: ${messageOf(last)}`);
	}

	/** One `pulumi up`; the result is its error, where it fails. */
	private async up(slot: Slot, fault: PlannedFault | undefined, consent: boolean): Promise<unknown> {
		const faults = (fault?.rules ?? []).map((rule) => this.server.faults.add({ ...rule, team: this.team }));
		const good = this.server.url;
		// No label of a host name may be that long, so the resolver refuses it without asking anybody.
		const unknown = `https://${"x".repeat(70)}.invalid`;
		const bad = fault?.instead === "unknown host" ? unknown : `http://127.0.0.1:${this.nowhere}`;
		const writing = fault?.instead === undefined ? good : bad;
		const { attemptMillis, patience } = TIMES[this.scale];
		const { known, error } = await up(
			{
				env: {
					...this.server.environment,
					DATACHAIN_STUDIO_TEAM: this.team,
					...(consent && { DATACHAIN_ADOPT_EQUAL: "true" }),
				},
				urls: { checking: fault?.onlyAtWrite ? good : writing, writing },
				// Without a fault as long as in a deployment: a busy machine must not look like one.
				attemptMillis: fault === undefined ? 20_000 : attemptMillis,
				patience,
				random: () => this.random.next(),
			},
			slot.known,
			slot.declared,
		);
		for (const end of faults) end();
		slot.known = known;
		slot.quietUntil = Math.max(slot.quietUntil, Date.now() + (fault?.lateMillis ?? 0) + 300);
		return error;
	}

	private compare(seeded: readonly ScheduleView[], live: readonly ScheduleView[]): void {
		const { lost, duplicated, orphaned } = this.tally;
		const accounted = new Set(seeded.map(({ id }) => id));
		for (const { id, name, cronExpression } of seeded) {
			if (!live.some((now) => now.id === id && now.name === name && now.cronExpression === cronExpression))
				lost.push(`"${name}", which was there before`);
		}
		for (const { declared, known } of this.slots.values()) {
			if (declared === undefined) continue;
			const found = live.filter(({ id, name }) => name === declared.scheduleName && !accounted.has(id));
			for (const { id } of found) accounted.add(id);
			const own = found.find(({ id }) => String(id) === known?.id);
			const name = `"${declared.scheduleName}"`;
			if (found.length === 0) lost.push(`${name} is not there`);
			else if (own === undefined) orphaned.push(`${name} is there, and the state does not have it`);
			else if (!isAsDeclared(declared, own)) lost.push(`${name} has other values than declared`);
			duplicated.push(...found.slice(1).map(({ id }) => `${name} (id ${id})`));
		}
		const left = live.filter(({ id }) => !accounted.has(id));
		orphaned.push(...left.map(({ id, name }) => `"${name}" (id ${id}) is there, and nobody declares it`));
	}
}

const isAsDeclared = (declared: Declared, live: ScheduleView): boolean =>
	sameCron(declared.cronExpression, live.cronExpression ?? "") &&
	live.pipelineName === declared.pipelineName &&
	(declared.startAfter === undefined || Date.parse(declared.startAfter) === live.startAfter);
