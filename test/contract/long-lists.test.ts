import { expect, it } from "vitest";
import { listJobs } from "../../src/commands/jobs";
import type { Session } from "../../src/commands/session";
import { newJob } from "../../src/server/state";
import { clientOfTest } from "../helpers/api-connect";
import { apiOf, seededServer } from "../helpers/server-harness";

const ROWS = 20_000;

/**
 * It is under two on a quiet machine, and up to five on a busy one, whose garbage collector then costs more. With a
 * table that grows with the square of its rows it would be fifty.
 */
const MOST_TIMES = 12;
const TRIES = { retry: 2, timeout: 180_000 };

it(
	"a list of 20,000 jobs takes not much longer than the plain HTTP list, as text and as JSON",
	TRIES,
	async () => {
		const jobs = Array.from({ length: ROWS }, (_, at) =>
			newJob({
				name: `job-${at}.py`,
				query: "import datachain as dc\n",
				created_at: "2026-01-01T00:00:00.000000+00:00",
				created_by: "data-eng",
				error_message: "no module named PIL",
				environment: { LOG_LEVEL: "debugging", API_KEY: `sesame-open-${at}` },
			}),
		);
		const server = await seededServer({ jobs });
		const client = clientOfTest(server.environment);
		const listed = (print: Session["print"]) =>
			listJobs({ client, print } as Session, { limit: ROWS });
		const raw = await cpuMillis(async () =>
			expect((await apiOf(server).get(`/jobs/?limit=${ROWS}`)).json).toHaveLength(ROWS),
		);
		const text = await cpuMillis(() =>
			listed((_, shown) => expect(shown().split("\n")).toHaveLength(ROWS + 2)),
		);
		const json = await cpuMillis(() =>
			listed((result) =>
				expect(JSON.stringify(result, undefined, 2)).toContain('"id"'),
			),
		);
		expect(
			Math.max(text, json) / raw,
			JSON.stringify({ raw, text, json }),
		).toBeLessThan(MOST_TIMES);
	},
);

/** The processor's time: others at work on the machine do not count. */
async function cpuMillis(work: () => unknown): Promise<number> {
	const before = process.cpuUsage();
	await work();
	const { user, system } = process.cpuUsage(before);
	return (user + system) / 1_000;
}
