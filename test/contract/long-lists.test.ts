import { expect, it } from "vitest";
import { listJobs } from "../../src/commands/jobs";
import type { Session } from "../../src/commands/session";
import { formatInstant } from "../../src/schemas/instant";
import { newJob } from "../../src/server/state";
import { clientOfTest } from "../helpers/api-connect";
import { apiOf, seededServer } from "../helpers/server-harness";

const ROWS = 20_000;
const START = Date.UTC(2026, 0, 1);

/**
 * It is under two on a quiet machine, and up to five on a busy one, whose garbage collector then costs more. With a
 * table that grows with the square of its rows it would be fifty.
 */
const MOST_TIMES = 12;
const TRIES = 3;

it("a list of 20,000 jobs takes not much longer than the plain HTTP list, as text and as JSON", async () => {
	const jobs = Array.from({ length: ROWS }, (_, at) =>
		newJob({
			name: `job-${at}.py`,
			query: "import datachain as dc\n",
			created_at: formatInstant(START + at * 1_000),
			created_by: "data-eng",
			status: at % 7 === 0 ? "FAILED" : "COMPLETE",
			error_message: at % 7 === 0 ? "no module named PIL" : null,
			environment: { LOG_LEVEL: "debugging", API_KEY: `sesame-open-${at}` },
		}),
	);
	const server = await seededServer({ jobs });
	const client = clientOfTest(server.environment);
	const listed = (print: Session["print"]) => listJobs({ client, print } as Session, { limit: ROWS });
	const work = {
		raw: async () => expect((await apiOf(server).get(`/jobs/?limit=${ROWS}`)).json).toHaveLength(ROWS),
		text: () => listed((_result, text) => expect(text().split("\n")).toHaveLength(ROWS + 2)),
		json: () => listed((result) => expect(JSON.stringify(result, undefined, 2)).toContain('"id"')),
	};
	const times = {
		raw: Number.POSITIVE_INFINITY,
		text: Number.POSITIVE_INFINITY,
		json: Number.POSITIVE_INFINITY,
	};
	const ratio = () => Math.max(times.text, times.json) / times.raw;
	for (let tries = 0; tries < TRIES && !(ratio() < MOST_TIMES); tries++) {
		for (const what of ["raw", "text", "json"] as const)
			times[what] = Math.min(times[what], await cpuMillis(work[what]));
	}
	expect(ratio(), JSON.stringify(times)).toBeLessThan(MOST_TIMES);
}, 180_000);

/** The processor's time: others at work on the machine do not count. */
async function cpuMillis(work: () => unknown): Promise<number> {
	const before = process.cpuUsage();
	await work();
	const { user, system } = process.cpuUsage(before);
	return (user + system) / 1_000;
}
