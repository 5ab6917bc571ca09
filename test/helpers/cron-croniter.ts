import { z } from "zod";
import { askPython, PythonEnvironment } from "./python-environment";

/** The cron library that services written in Python use, unmodified. */
export const croniterPython = new PythonEnvironment("the Python library croniter", { croniter: "6.2.4" });

/** One expression per line of `expressions`; `runs` has the next `count` seconds since 1970 from each instant. */
const answer = z.discriminatedUnion("status", [
	z.object({ status: z.literal("refused") }),
	z.object({ status: z.literal("never") }),
	z.object({ status: z.literal("runs"), runs: z.array(z.array(z.number())) }),
]);
export type CroniterAnswer = z.infer<typeof answer>;

const NEXT_RUNS = `
import json, sys
from croniter import croniter, CroniterBadCronError, CroniterBadDateError
asked = json.load(sys.stdin)
def ask(expression):
    try:
        runs = []
        for instant in asked["instants"]:
            cron = croniter(expression, instant)
            runs.append([int(cron.get_next()) for _ in range(asked["count"])])
        return {"status": "runs", "runs": runs}
    except CroniterBadDateError:
        return {"status": "never"}
    except CroniterBadCronError:
        return {"status": "refused"}
json.dump([ask(expression) for expression in asked["expressions"]], sys.stdout)
`;

/** Any 28 years of this century have every kind of year, so equal digests are equal days for ever. */
const DIGESTS = `
import hashlib, json, sys
from croniter import croniter
asked = json.load(sys.stdin)
def digest(expression):
    cron = croniter(expression, asked["from"])
    found = hashlib.sha256()
    while (run := cron.get_next()) < asked["to"]:
        found.update(b"%d " % run)
    return found.hexdigest()
json.dump([digest(expression) for expression in asked["expressions"]], sys.stdout)
`;

/** A question to a script: its fields in JSON, and the answers in their order. */
const asking =
	<Answer>(script: string, schema: z.ZodType<Answer>) =>
	async (python: string, question: object): Promise<Answer[]> =>
		z.array(schema).parse(await askPython(python, script, question));

export const askCroniter = asking(NEXT_RUNS, answer);

/** A digest of all runs between two moments, in seconds since 1970. */
export const digestsOfRuns = asking(DIGESTS, z.string());

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
export const zoneinfoChanges = asking(CHANGES, z.array(z.tuple([z.number(), z.number()])));

export interface ZoneCase {
	readonly expression: string;
	readonly zone: string;
	/** Seconds since 1970; within them the zone's clocks must not change. */
	readonly from: number;
	readonly to: number;
}

/** The first runs of each case by the clocks of its zone, in seconds since 1970. */
export const zoneinfoRuns = asking(RUNS, z.array(z.number()));
