import { remembering } from "../remember";
import { type ClockChange, clockChanges, DAY_MS, offsetAt } from "../time-zone";
import { CronError } from "./cron-error";
import { parseCron, sameCron } from "./parse";
import { shiftToUtc } from "./shift";
import { splitForUtc } from "./split";
import { type SpreadSeed, spreadCron, usesSpread } from "./spread";

/** Rules of clocks repeat every year; a little more, so that the same change a year later is seen too. */
const AHEAD_DAYS = 400;

/** A cron expression as a program declares it. */
export interface DeclaredCron extends SpreadSeed {
	readonly expression: string;
	/** Whose clocks it follows; UTC where left out. */
	readonly timeZone?: string | undefined;
}

export interface CompiledCron {
	/** What the service gets. */
	readonly utcCron: string;
	/** The same by the clocks of its zone, with every H filled in. */
	readonly local: string;
	/** From then on, in milliseconds since 1970, the zone's clocks need another expression. */
	readonly validUntil?: number;
	/** That other expression. */
	readonly nextCron?: string;
}

/** True where the service cannot be sent the expression as it is written. */
export const needsCompiling = ({ expression, timeZone }: DeclaredCron): boolean =>
	timeZone !== undefined || usesSpread(expression);

/** The expression in UTC, for the offset that holds now. Throws where no single expression says it all year round. */
export function compileCron(declared: DeclaredCron, now: number): CompiledCron {
	const local = spreadCron(declared.expression, declared);
	const { timeZone } = declared;
	if (timeZone === undefined) {
		parseCron(local);
		return { local, utcCron: local };
	}
	const utcCron = inUtc(local, timeZone, offsetAt(timeZone, now), now);
	const changes = comingChanges(timeZone, now).map(({ at, offset }) => ({
		at,
		cron: inUtc(local, timeZone, offset, now),
	}));
	const next = changes.find(({ cron }) => !sameCron(cron, utcCron));
	return { local, utcCron, ...(next && { validUntil: next.at, nextCron: next.cron }) };
}

const shifted = remembering(shiftToUtc);

function inUtc(local: string, zone: string, offset: number, now: number): string {
	const cron = shifted(local, offset);
	if (cron !== undefined) return cron;
	throw notInUtc(local, zone, now);
}

const changesFrom = remembering((zone: string, day: number) =>
	clockChanges(zone, day * DAY_MS, (day + AHEAD_DAYS + 1) * DAY_MS),
);

/** Looked for once a zone and day: a team's schedules have few zones. */
const comingChanges = (zone: string, now: number): ClockChange[] =>
	changesFrom(zone, Math.floor(now / DAY_MS)).filter(({ at }) => at > now);

function notInUtc(local: string, zone: string, now: number): CronError {
	const offsets = [offsetAt(zone, now), ...comingChanges(zone, now).map(({ offset }) => offset)];
	const parts = splitForUtc(local, [...new Set(offsets)]);
	const why =
		`in the time zone ${zone} no single UTC expression says it all year round, because its times or days ` +
		"move over midnight or the end of a month in UTC";
	if (parts === undefined) return new CronError(local, `${why}: write it in UTC, without timeZone`);
	const listed = parts.map((part) => `"${part}"`).join(" and ");
	return new CronError(
		local,
		`${why}: declare ${parts.length} schedules with this timeZone, ${listed}, or write it in UTC, without timeZone`,
	);
}
