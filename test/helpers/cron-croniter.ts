import { z } from "zod";
import { askPython, PythonEnvironment } from "./python-environment";

/** The cron library that services written in Python use, unmodified. */
export const croniterPython = new PythonEnvironment("the Python library croniter", {
	croniter: "6.2.4",
});

/** One expression per line of `expressions`; `runs` has the next `count` seconds since 1970 from each instant. */
const answer = z.discriminatedUnion("status", [
	z.object({ status: z.literal("refused") }),
	z.object({ status: z.literal("never") }),
	z.object({ status: z.literal("runs"), runs: z.array(z.array(z.number())) }),
]);
export type CroniterAnswer = z.infer<typeof answer>;

/** A question to a script: its fields in JSON, and the answers in their order. */
const asking =
	<Answer>(script: string, schema: z.ZodType<Answer>) =>
	async (python: string, question: object): Promise<Answer[]> =>
		z.array(schema).parse(await askPython(python, script, question));

export const askCroniter = asking("croniter_next_runs", answer);

/**
 * A digest of all runs between two moments, in seconds since 1970. Any 28 years of this century have every kind of year, so
 * equal digests are equal days for ever.
 */
export const digestsOfRuns = asking("croniter_digests", z.string());

/** Instants and offsets in minutes, of each zone, between two moments in seconds since 1970, by Python's own IANA database. */
export const zoneinfoChanges = asking(
	"zone_changes",
	z.array(z.tuple([z.number(), z.number()])),
);

export interface ZoneCase {
	readonly expression: string;
	readonly zone: string;
	/** Seconds since 1970; within them the zone's clocks must not change. */
	readonly from: number;
	readonly to: number;
}

/** The first runs of each case by the clocks of its zone, in seconds since 1970. */
export const zoneinfoRuns = asking("zone_runs", z.array(z.number()));
