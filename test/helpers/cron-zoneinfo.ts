import { z } from "zod";
import { croniterPython, runScript } from "./cron-croniter";

export { croniterPython as zonePython };

/** Python has the IANA database itself, apart from Node's; croniter counts by the clocks on the wall. */
const CHANGES = `
import json, sys
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo
asked = json.load(sys.stdin)
def offset(zone, at):
    return int(datetime.fromtimestamp(at, zone).utcoffset().total_seconds()) // 60
def changes(name):
    zone, found, at = ZoneInfo(name), [], asked["from"]
    before = offset(zone, at)
    while at < asked["to"]:
        then = offset(zone, at + 43200)
        if then != before:
            low, high = at, at + 43200
            while high - low > 60:
                middle = (low + high) // 120 * 60
                if offset(zone, middle) == before: low = middle
                else: high = middle
            found.append([high, then])
            before = then
        at += 43200
    return found
json.dump([changes(name) for name in asked["zones"]], sys.stdout)
`;

const RUNS = `
import json, sys
from datetime import datetime, timezone
from zoneinfo import ZoneInfo
from croniter import croniter
asked = json.load(sys.stdin)
def runs(case):
    zone, found = ZoneInfo(case["zone"]), []
    clock = datetime.fromtimestamp(case["from"], zone).replace(tzinfo=None)
    cron = croniter(case["expression"], clock)
    while len(found) < asked["count"]:
        at = int(cron.get_next(datetime).replace(tzinfo=zone).timestamp())
        if at >= case["to"]: break
        found.append(at)
    return found
json.dump([runs(case) for case in asked["cases"]], sys.stdout)
`;

/** Instants and offsets in minutes, of each zone, between two moments in seconds since 1970. */
export async function zoneinfoChanges(
	python: string,
	question: { zones: readonly string[]; from: number; to: number },
): Promise<[number, number][][]> {
	return z
		.array(z.array(z.tuple([z.number(), z.number()])))
		.parse(await runScript(python, CHANGES, question));
}

export interface ZoneCase {
	readonly expression: string;
	readonly zone: string;
	/** Seconds since 1970; within them the zone's clocks must not change. */
	readonly from: number;
	readonly to: number;
}

/** The first runs of each case by the clocks of its zone, in seconds since 1970. */
export async function zoneinfoRuns(
	python: string,
	question: { cases: readonly ZoneCase[]; count: number },
): Promise<number[][]> {
	return z.array(z.array(z.number())).parse(await runScript(python, RUNS, question));
}
