import { describe, expect, it } from "vitest";
import { Team } from "../../../src/board/team";
import { NotAuthorizedError } from "../../../src/client";
import {
	newJob,
	newPipeline,
	newSchedule,
	newUser,
	type PipelineRecord,
} from "../../../src/server/state";
import { clientOfTest } from "../../helpers/api-connect";
import { sampleReport } from "../../helpers/drift-reports";
import { seededServer } from "../../helpers/server-harness";

const NOW = Date.parse("2026-03-04T12:05:00Z");
const MADE = { created_at: "2026-02-20T00:00:00Z", created_by: "data-eng" };
const DENIED = { kind: "status", status: 403 } as const;
const BROKEN = { kind: "status", status: 400, message: "broken" } as const;

/** A team of a service that has these records. */
async function teamOf(records: Parameters<typeof seededServer>[0] = {}) {
	const { environment, faults, requests } = await seededServer(records, {
		now: NOW,
		faults: true,
	});
	const team = new Team(clientOfTest(environment), () => NOW);
	const read = async () => {
		await team.read();
		if (team.isPartial) await team.readOlder();
		await team.readPipelineNames();
		return team.rows();
	};
	return { team, faults, requests, read };
}

const pipeline = (id: string, name: string, more: Partial<PipelineRecord> = {}) =>
	newPipeline({
		...MADE,
		pipeline_id: id,
		name,
		triggered_from: "dev.images.raw@1.0.0",
		...more,
	});
const paused = pipeline("t", "etl", { paused: true });
const schedules = (count: number) =>
	Array.from({ length: count }, (_, index) =>
		newSchedule({
			...MADE,
			id: index + 1,
			schedule_name: `hourly-${index}`,
			created_by: newUser("data-eng"),
			cron_expression: "0 * * * *",
			pipeline_id: paused.pipeline_id,
		}),
	);
const jobs = (count: number) =>
	Array.from({ length: count }, (_, index) =>
		newJob({ ...MADE, id: `j${index}`, name: "a.py", query: "1", status: "COMPLETE" }),
	);

describe("a team", () => {
	it("knows a paused pipeline that is older than all that the service lists", async () => {
		const others = Array.from({ length: 2_000 }, (_, index) =>
			pipeline(`run-${index}`, `run-${index}`),
		);
		// A newer run has the pipeline's name.
		const newer = pipeline("r", "etl", { schedule_name: "hourly-0" });
		const { team, requests } = await teamOf({
			schedules: schedules(1),
			pipelines: [paused, ...others, newer],
		});
		await team.read();
		await team.readPipelineNames();
		const { schedules: shown, attention } = team.rows();
		expect(shown).toMatchObject([{ state: "paused", next: null }]);
		expect(attention).toMatchObject([{ kind: "paused", link: "/pipeline/t" }]);
		expect(requests.count({ endpoint: "listPipelines" })).toBe(2);
	});

	it("does not ask for the pipelines that the project's stack names", async () => {
		const { team, requests, read } = await teamOf({
			schedules: schedules(3),
			pipelines: [paused],
		});
		team.project = {
			stack: "dev",
			managed: new Map(),
			pipelines: new Map([
				[1, "etl"],
				[3, "etl"],
			]),
			drift: sampleReport(),
		};
		const { schedules: shown } = await read();
		expect(requests.count({ endpoint: "getSchedule" })).toBe(1);
		expect(shown.map(({ pipeline, state }) => `${pipeline} ${state}`)).toEqual(
			Array(3).fill("etl paused"),
		);
	});

	it("asks for at most a hundred schedules a second, several of them at once", async () => {
		const { team, requests, faults } = await teamOf({
			schedules: schedules(160),
			pipelines: [paused],
		});
		await team.read();
		faults.add({ kind: "delay", ms: 20, times: 160 });
		const began = performance.now();
		await team.readPipelineNames();
		expect(performance.now() - began).toBeGreaterThan(1_500);
		expect(requests.count({ endpoint: "getSchedule" })).toBe(160);
		expect(requests.maxInFlight).toBe(8);
	});

	it("goes on with its newest jobs if the service refuses more of them", async () => {
		const { team, read, faults } = await teamOf({ jobs: jobs(3_000) });
		for (let reading = 0; reading < 2; reading += 1) {
			faults.add({ ...BROKEN, endpoint: "listJobs", skip: 1, times: 1 });
			expect((await read()).jobs).toHaveLength(2_000);
			expect(team.notes).toEqual([
				expect.stringMatching(/^Only the newest jobs .* not be read: .*"broken"/),
			]);
		}
		expect((await read()).jobs).toHaveLength(3_000);
		expect(team.notes).toEqual([]);
	});

	it.each([
		["schedules", { ...DENIED, endpoint: "listSchedules" }, [0, 1, 1]],
		["pipelines", { ...DENIED, endpoint: "listPipelines" }, [1, 0, 1]],
		["jobs", { ...DENIED, endpoint: "listJobs" }, [1, 1, 0]],
		["clusters", { ...BROKEN, endpoint: "listClusters" }, [1, 1, 1]],
	] as const)(
		"is shown without its %s if only they cannot be read, and says why",
		async (list, fault, lengths) => {
			const records = { schedules: schedules(1), pipelines: [paused], jobs: jobs(1) };
			const { team, read, faults } = await teamOf(records);
			faults.add(fault);
			const rows = await read();
			expect([rows.schedules.length, rows.pipelines.length, rows.jobs.length]).toEqual(
				lengths,
			);
			expect(team.notes).toEqual([
				expect.stringContaining(`The ${list} could not be read: Could not list`),
			]);
		},
	);

	it("fails to be read if the service refuses every list, or one for another reason", async () => {
		const { read, faults } = await teamOf();
		const withdraw = faults.add(DENIED);
		await expect(read()).rejects.toThrow(NotAuthorizedError);
		withdraw();
		faults.add({ ...BROKEN, endpoint: "listJobs" });
		await expect(read()).rejects.toThrow("broken");
	});

	it("says why the pipelines of schedules are not known, and soon stops asking", async () => {
		const { team, read, faults, requests } = await teamOf({
			schedules: schedules(200),
			pipelines: [paused],
		});
		faults.add({ ...DENIED, endpoint: "getSchedule" });
		await read();
		expect(team.notes).toEqual([
			expect.stringMatching(
				/^The pipelines of 200 of 200 schedules are not known, .* paused: .* 403/,
			),
		]);
		expect(requests.count({ endpoint: "getSchedule" })).toBeLessThan(30);
	});

	it("finds that a schedule which nobody changed since it was created did not run", async () => {
		const running = { ...paused, paused: false };
		const { read, faults } = await teamOf({
			schedules: schedules(1),
			pipelines: [running, pipeline("run", "run", { schedule_name: "other" })],
		});
		faults.add({
			endpoint: "listSchedules",
			kind: "rewrite",
			set: { "*.updated_at": null },
		});
		expect((await read()).attention).toMatchObject([{ kind: "missed" }]);
	});
});
