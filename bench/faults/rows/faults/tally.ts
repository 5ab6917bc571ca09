import { sameCron } from "../../../../src/schemas/cron";
import { sameInstant } from "../../../../src/schemas/instant";
import type { Schedule } from "../../../../src/schemas/schedule";
import type { Known } from "./contender";
import type { Declared } from "./plan";

/** What became of the schedules. */
export interface Tally {
	readonly lost: string[];
	readonly duplicated: string[];
	readonly orphaned: string[];
	readonly unsettled: string[];
	/** Operations whose first try failed, so that the user ran `pulumi up` again. */
	again: number;
}

export const emptyTally = (): Tally => ({ lost: [], duplicated: [], orphaned: [], unsettled: [], again: 0 });

export function addTo(sum: Tally, tally: Tally): void {
	for (const key of ["lost", "duplicated", "orphaned", "unsettled"] as const) sum[key].push(...tally[key]);
	sum.again += tally.again;
}

/** What the program declares at the end, and what the state holds of it. */
export interface Expected {
	readonly declared: Declared | undefined;
	readonly known: Known | undefined;
}

/** Compares what the service has with what it had before and what was declared since. */
export function compare(
	expected: readonly Expected[],
	seeded: readonly Schedule[],
	live: readonly Schedule[],
	tally: Tally,
): void {
	const accounted = new Set(seeded.map(({ id }) => id));
	for (const before of seeded) {
		const now = live.find(({ id }) => id === before.id);
		if (now?.cron_expression === before.cron_expression && now?.schedule_name === before.schedule_name)
			continue;
		tally.lost.push(`"${before.schedule_name}", which was there before`);
	}
	for (const { declared, known } of expected) {
		if (declared === undefined) continue;
		const found = live.filter(
			(item) => item.schedule_name === declared.scheduleName && !accounted.has(item.id),
		);
		for (const { id } of found) accounted.add(id);
		compareOne(declared, known, found, tally);
	}
	for (const { id, schedule_name } of live.filter((item) => !accounted.has(item.id))) {
		tally.orphaned.push(`"${schedule_name}" (id ${id}) is there, and nobody declares it`);
	}
}

function compareOne(
	declared: Declared,
	known: Known | undefined,
	found: readonly Schedule[],
	tally: Tally,
): void {
	const name = `"${declared.scheduleName}"`;
	const own = found.find(({ id }) => String(id) === known?.id);
	if (found.length === 0) tally.lost.push(`${name} is not there`);
	else if (own === undefined) tally.orphaned.push(`${name} is there, and the state does not have it`);
	else if (!isAsDeclared(declared, own)) tally.lost.push(`${name} has other values than declared`);
	for (const { id } of found.slice(1)) tally.duplicated.push(`${name} (id ${id})`);
}

function isAsDeclared({ startAfter, cronExpression, pipelineName }: Declared, live: Schedule): boolean {
	return (
		sameCron(cronExpression, live.cron_expression ?? "") &&
		live.pipeline?.name === pipelineName &&
		(startAfter === undefined || sameInstant(startAfter, live.start_after ?? ""))
	);
}
