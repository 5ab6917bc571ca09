import { randomUUID } from "node:crypto";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createClient, resolveConnection } from "../../src/api";
import { listClusters, listJobs } from "../../src/commands/jobs";
import { listPipelines } from "../../src/commands/pipelines";
import { listSchedules } from "../../src/commands/schedules";
import { type Session, withSession } from "../../src/commands/session";
import { formatInstant } from "../../src/schemas/instant";
import { newCluster, newJob, newPipeline, newUser, type TeamState } from "../../src/server/state";
import { apiOf, seededServer } from "../helpers/server-harness";

const ROWS = 20_000;
const START = Date.UTC(2026, 0, 1);
const after = (millis: number) => formatInstant(START + millis);
const rows = <Row>(make: (index: number) => Row): Row[] => Array.from({ length: ROWS }, (_, at) => make(at));

type Records = Partial<Omit<TeamState, "name">>;

const jobs = (): Records => ({
	jobs: rows((at) =>
		newJob({
			name: `job-${at}.py`,
			query: "import datachain as dc\n",
			created_at: after(at * 1_000),
			created_by: "data-eng",
			status: at % 7 === 0 ? "FAILED" : "COMPLETE",
			error_message: at % 7 === 0 ? "no module named PIL" : null,
			environment: { LOG_LEVEL: "debugging", API_KEY: `sesame-open-${at}` },
		}),
	),
});

const pipelines = (): Records => ({
	pipelines: rows((at) =>
		newPipeline({
			name: `pipeline-${at}`,
			created_at: after(at),
			created_by: "x",
			triggered_from: `dev.a.d${at}`,
		}),
	),
});

const schedules = (): Records => ({
	schedules: rows((at) => ({
		id: at + 1,
		schedule_name: `schedule-${at}`,
		created_at: after(0),
		created_by: newUser("data-eng"),
		updated_at: after(0),
		start_after: after(0),
		cron_expression: `${at % 60} ${at % 24} * * ${at % 7}`,
		next_run: "2099-01-01T00:00:00.000000+00:00",
		pipeline_id: randomUUID(),
		latest_run_id: null,
	})),
});

const clusters = (): Records => ({
	clusters: rows((at) => newCluster({ id: at + 1, name: `cluster-${at}`, max_workers: 8 })),
});

type List = (session: Session, options: { limit: number }) => Promise<void>;

/**
 * It is under two on a quiet machine, and up to five on a busy one, whose garbage collector then costs more. With a
 * table that grows with the square of its rows it would be fifty.
 */
const MOST_TIMES = 12;
const TRIES = 3;

describe("a list of 20,000 rows", { timeout: 180_000 }, () => {
	it.each<[string, string, () => Records, List]>([
		["jobs", `/jobs/?limit=${ROWS}`, jobs, listJobs],
		["pipelines", `/pipeline/list?limit=${ROWS}`, pipelines, listPipelines],
		["schedules", "/pipeline/schedules", schedules, listSchedules],
		["clusters", "/clusters/", clusters, listClusters],
	])(
		"of %s takes not much longer than the plain HTTP list, as text and as JSON",
		async (_, path, records, list) => {
			const server = await seededServer(records());
			const client = createClient(resolveConnection({ env: server.environment }));
			onTestFinished(() => client.close());
			const listed = (print: Session["print"]) => list({ client, print } as Session, { limit: ROWS });
			const work = {
				raw: async () => expect((await apiOf(server).get(path)).json).toHaveLength(ROWS),
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
		},
	);
});

/** The processor's time: others at work on the machine do not count. */
async function cpuMillis(work: () => unknown): Promise<number> {
	const before = process.cpuUsage();
	await work();
	const { user, system } = process.cpuUsage(before);
	return (user + system) / 1_000;
}

it("with --json no text is made of a result", async () => {
	const server = await seededServer({});
	for (const [name, value] of Object.entries(server.environment)) vi.stubEnv(name, value);
	onTestFinished(() => void vi.unstubAllEnvs());
	const written = vi.spyOn(process.stdout, "write").mockReturnValue(true);
	onTestFinished(() => written.mockRestore());
	const text = vi.fn(() => "text\n");
	await withSession({ json: true }, async ({ print }) => print([1], text));
	expect([text.mock.calls, written.mock.calls]).toEqual([[], [["[\n  1\n]\n"]]]);
	await withSession({}, async ({ print }) => print([1], text));
	expect(written).toHaveBeenLastCalledWith("text\n");
});
