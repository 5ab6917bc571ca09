import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "../../../../src/api";
import { createContext } from "../../../../src/provider/context";
import { sameCron } from "../../../../src/schemas/cron";
import { type LocalServer, type ScheduleView, startServer } from "../../../../src/server";
import { closedPort } from "../../../../test/helpers/api-raw-server";
import { atOnce } from "../../at-once";
import { deploy, type Known, messageOf, processWith } from "../../process";
import type { Random } from "../../random";
import { all, none, type Row, type Scale } from "../../row";
import {
	ATTEMPT_MILLIS,
	type Declared,
	drawPlan,
	FAULT_KINDS,
	type Fault,
	PATIENCES,
	PIPELINES,
	type Step,
} from "./plan";

/** Each lane has a team of its own, so that a fault meets the operation it was drawn for. */
const COUNTS = { quick: { lanes: 60, steps: 2, slots: 1 }, full: { lanes: 40, steps: 25, slots: 3 } };
/** More, and a busy machine would be slower than the time an attempt has. */
const LANES_AT_ONCE = 20;
const MOST_UPS = 6;

/** What became of the schedules; operations that failed at first, and those that needed DATACHAIN_ADOPT_EQUAL=true. */
const KINDS = ["lost", "duplicated", "orphaned", "unsettled", "again", "adopted"] as const;
type Tally = Readonly<Record<(typeof KINDS)[number], string[]>>;

/** One failing operation after another, until each has succeeded: nothing is lost, doubled or left over. */
export const faults: Row = {
	number: 2,
	name: "faults",
	async run({ scale, random }) {
		const { lanes, steps, slots } = COUNTS[scale];
		const nowhere = `http://127.0.0.1:${await closedPort()}`;
		const tally = Object.fromEntries(KINDS.map((kind): [string, string[]] => [kind, []])) as unknown as Tally;
		const server = await startServer({ faults: true, empty: true });
		try {
			// Many together, because nearly all of the time is spent waiting.
			await atOnce(LANES_AT_ONCE, Array(lanes).keys(), (lane) => {
				const draws = random.fork(`lane ${lane}`);
				const plan = drawPlan(draws, { name: `lane-${lane}`, steps, slots }, scale, nowhere);
				return new Lane(server, `lane-${lane}`, draws, scale, tally).run(plan);
			});
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

	constructor(
		private readonly server: LocalServer,
		private readonly team: string,
		private readonly random: Random,
		private readonly scale: Scale,
		private readonly tally: Tally,
	) {}

	async run(steps: readonly Step[]): Promise<void> {
		const team = this.server.addTeam(this.team, { pipelines: PIPELINES });
		team.createSchedule({ schedule_name: "theirs", pipeline_name: "p1", cron_expression: "0 0 * * *" });
		const [theirs] = team.schedules();
		const quiet = ({ quietUntil }: Slot) => sleep(Math.max(0, quietUntil - Date.now()));
		for (const step of steps) {
			const slot = this.slots.get(step.slot) ?? { known: undefined, declared: undefined, quietUntil: 0 };
			this.slots.set(step.slot, slot);
			await quiet(slot);
			slot.declared = step.declared;
			await this.operate(slot, step);
		}
		for (const slot of this.slots.values()) await quiet(slot);
		const live = team.schedules();
		if (JSON.stringify(live.find(({ id }) => id === theirs?.id)) !== JSON.stringify(theirs))
			this.tally.lost.push("somebody else's, which was there before");
		this.compare(live.filter(({ id }) => id !== theirs?.id));
	}

	/** The user runs `pulumi up` until it succeeds, and does what the messages say. */
	private async operate(slot: Slot, { declared, faults: planned }: Step): Promise<void> {
		const what = `${declared?.scheduleName ?? "a delete"} after ${planned.map(({ kind }) => kind).join(", ")}`;
		let last: unknown;
		for (let tries = 0; tries < MOST_UPS; tries += 1) {
			const consent = /already exists.*DATACHAIN_ADOPT_EQUAL=true/s.test(messageOf(last));
			if (tries === 1) this.tally.again.push(what);
			if (consent) this.tally.adopted.push(what);
			last = await this.up(slot, planned[tries], consent);
			if (last === undefined) return;
		}
		this.tally.unsettled.push(`${what}: ${messageOf(last)}`);
	}

	/** One `pulumi up`; the result is its error, where it fails. */
	private async up(slot: Slot, fault: Fault | undefined, consent: boolean): Promise<unknown> {
		const { server, team, scale } = this;
		const end = fault?.rule && server.faults.add({ ...fault.rule, team });
		const writing = fault?.instead?.url ?? server.url;
		const env = {
			...server.environment,
			DATACHAIN_STUDIO_TEAM: team,
			DATACHAIN_STUDIO_URL: fault?.instead?.onlyAtWrite ? server.url : writing,
			DATACHAIN_ADOPT_EQUAL: String(consent),
		};
		// Without a fault as long as in a deployment: a busy machine must not look like one.
		const attemptTimeoutMillis = fault === undefined ? 20_000 : ATTEMPT_MILLIS;
		const options = { attemptTimeoutMillis, random: () => this.random.next(), patience: PATIENCES[scale] };
		const context = createContext({ env }, () => {}, options);
		// The same process, but with its connection to where the service is when something is written.
		const connection = { baseUrl: writing, token: server.token, teamName: team };
		const client = fault?.instead?.onlyAtWrite ? createClient(connection, options) : context.client;
		const provider = processWith(context).serve("PipelineSchedule");
		const writer = processWith({ ...context, client }).serve("PipelineSchedule");
		const program = slot.declared && { ...slot.declared };
		const { known, error } = await deploy(provider, slot.known, program, writer);
		await Promise.all([context.client.close(), client.close()]);
		end?.();
		slot.known = known;
		const late = fault?.rule && "ms" in fault.rule ? fault.rule.ms : 0;
		slot.quietUntil = Math.max(slot.quietUntil, Date.now() + late + 300);
		return error;
	}

	private compare(live: readonly ScheduleView[]): void {
		const { lost, duplicated, orphaned } = this.tally;
		const wanted = [...this.slots.values()].flatMap(({ declared, known }) =>
			declared ? [{ declared, known }] : [],
		);
		for (const { declared, known } of wanted) {
			const name = `"${declared.scheduleName}"`;
			const found = live.filter((one) => one.name === declared.scheduleName);
			const own = found.find(({ id }) => String(id) === known?.id);
			if (found.length === 0) lost.push(`${name} is not there`);
			else if (own === undefined) orphaned.push(`${name} is there, and the state does not have it`);
			else if (!isAsDeclared(declared, own)) lost.push(`${name} has other values than declared`);
			duplicated.push(...found.slice(1).map(({ id }) => `${name} (id ${id})`));
		}
		const left = live.filter(({ name }) => !wanted.some(({ declared }) => declared.scheduleName === name));
		orphaned.push(...left.map(({ id, name }) => `"${name}" (id ${id}) is there, and nobody declares it`));
	}
}

const isAsDeclared = (declared: Declared, live: ScheduleView): boolean =>
	sameCron(declared.cronExpression, live.cronExpression ?? "") &&
	live.pipelineName === declared.pipelineName &&
	(declared.startAfter === undefined || Date.parse(declared.startAfter) === live.startAfter);
