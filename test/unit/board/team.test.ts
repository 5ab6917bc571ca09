import { describe, expect, it } from "vitest";
import type { DataChainClient } from "../../../src/api";
import { type CallFacts, NotAuthorizedError } from "../../../src/api/errors";
import { Team } from "../../../src/board/team";
import type { Job } from "../../../src/schemas/wire/job";
import type { Pipeline } from "../../../src/schemas/wire/pipeline";
import type { Schedule } from "../../../src/schemas/wire/schedule";

const NOW = Date.parse("2026-03-04T12:05:00Z");
const DENIED = new NotAuthorizedError({ what: "list", teamName: "ml" } as CallFacts, { status: 403 });
const HOURLY = { cron_expression: "0 * * * *", updated_at: "2026-01-01T00:00:00Z" };

interface Lists {
	readonly schedules?: readonly Schedule[];
	readonly pipelines?: readonly Pipeline[];
	readonly jobs?: readonly Job[];
	/** Why a request fails, by its name; undefined if it does not. */
	readonly refuses?: (request: string, limit: number | undefined) => Error | undefined;
}

/** A team of a service that answers so, and the requests that it gets. */
function teamOf({ schedules = [], pipelines = [], jobs = [], refuses }: Lists) {
	const asked: string[] = [];
	const ask = async <T>(request: string, reply: T, limit?: number): Promise<T> => {
		asked.push(request);
		const problem = refuses?.(request, limit);
		if (problem !== undefined) throw problem;
		return reply;
	};
	const calls = {
		teamName: "ml",
		scoped: () => calls,
		schedules: {
			list: () => ask("schedules", schedules),
			get: ({ schedule_id }: { schedule_id: number }) =>
				ask(
					"schedule",
					schedules.find(({ id }) => id === schedule_id),
				),
		},
		pipelines: {
			list: ({ limit, status }: { limit: number; status?: string[] }) =>
				ask(
					status === undefined ? "pipelines" : "pipelines by status",
					pipelines
						.filter((one) => status === undefined || status.includes(one.status ?? ""))
						.slice(0, limit),
					limit,
				),
		},
		jobs: {
			list: ({ limit }: { limit: number }) => ask("jobs", jobs.slice(0, limit), limit),
		},
		clusters: { list: () => ask("clusters", []) },
	};
	const team = new Team(calls as unknown as DataChainClient, () => NOW);
	const read = async () => {
		await team.read();
		if (team.isPartial) await team.readOlder();
		await team.readPipelineNames();
		return team.rows();
	};
	return { team, asked, read };
}

const runs = (count: number): Pipeline[] =>
	Array.from({ length: count }, (_, index) => ({
		pipeline_id: `run-${index}`,
		name: `run-${index}`,
		status: "COMPLETED",
		schedule_name: "other",
		created_at: "2026-02-20T00:00:00Z",
	}));
const paused: Pipeline = { pipeline_id: "t", name: "etl", status: "PAUSED", is_template: true };
const nightly: Schedule = { id: 1, schedule_name: "nightly", ...HOURLY, pipeline: paused };

describe("a team", () => {
	it("knows a paused pipeline that is older than all that the service lists", async () => {
		// A newer run has the pipeline's name.
		const newer = { ...runs(1)[0], pipeline_id: "r", name: "etl", schedule_name: "nightly" };
		const { read, asked } = teamOf({ schedules: [nightly], pipelines: [newer, ...runs(20_000), paused] });
		const { schedules, attention } = await read();
		expect(schedules).toMatchObject([{ state: "paused", next: null }]);
		expect(attention).toMatchObject([{ kind: "paused", link: "/pipeline/t" }]);
		expect(asked.filter((request) => request === "pipelines by status")).toHaveLength(2);
	});

	it("goes on with its newest jobs if the service refuses more of them", async () => {
		const jobs = Array.from({ length: 3_000 }, (_, index) => ({ id: `j${index}`, status: "COMPLETE" }));
		const refused = { is: true };
		const { team, read } = teamOf({
			jobs,
			refuses: (request, limit = 0) =>
				refused.is && request === "jobs" && limit > 2_000
					? new Error("the response is too large")
					: undefined,
		});
		for (let reading = 0; reading < 2; reading += 1) {
			expect((await read()).jobs).toHaveLength(2_000);
			expect(team.notes).toEqual([
				"Only the newest jobs and pipelines are shown; the others could not be read: the response is too large",
			]);
		}
		refused.is = false;
		expect((await read()).jobs).toHaveLength(3_000);
		expect(team.notes).toEqual([]);
	});

	const everything = { schedules: [nightly], pipelines: [paused], jobs: [{ id: "j", status: "COMPLETE" }] };

	it.each([
		["schedules", DENIED, [0, 1, 1]],
		["pipelines", DENIED, [1, 0, 1]],
		["jobs", DENIED, [1, 1, 0]],
		["clusters", new Error("broken"), [1, 1, 1]],
	])("is shown without its %s if only they cannot be read, and says why", async (list, error, lengths) => {
		const { team, read } = teamOf({
			...everything,
			refuses: (request) => (request === list ? error : undefined),
		});
		const { schedules, pipelines, jobs } = await read();
		expect([schedules.length, pipelines.length, jobs.length]).toEqual(lengths);
		expect(team.notes).toEqual([`The ${list} could not be read: ${error.message}`]);
	});

	it("fails to be read if the service refuses every list, or one for another reason", async () => {
		await expect(teamOf({ refuses: () => DENIED }).read()).rejects.toBe(DENIED);
		const broken = new Error("broken");
		const fails = teamOf({ refuses: (request) => (request === "jobs" ? broken : undefined) });
		await expect(fails.read()).rejects.toBe(broken);
	});

	it("says why the pipelines of schedules are not known, and soon stops asking", async () => {
		const schedules = Array.from({ length: 200 }, (_, id) => ({ id, schedule_name: `s${id}`, ...HOURLY }));
		const { team, read, asked } = teamOf({
			schedules,
			refuses: (request) => (request === "schedule" ? DENIED : undefined),
		});
		await read();
		expect(team.notes).toEqual([
			`The pipelines of 200 of 200 schedules are not known, nor whether they are paused: ${DENIED.message}`,
		]);
		expect(asked.filter((request) => request === "schedule").length).toBeLessThan(30);
	});

	it("finds that a schedule which nobody changed since it was created did not run", async () => {
		const template = { ...paused, status: "COMPLETED" };
		const schedule = { ...nightly, updated_at: null, created_at: "2026-01-01T00:00:00Z", pipeline: template };
		const { attention } = await teamOf({
			schedules: [schedule],
			pipelines: [template, ...runs(1)],
		}).read();
		expect(attention).toMatchObject([{ kind: "missed" }]);
	});
});
