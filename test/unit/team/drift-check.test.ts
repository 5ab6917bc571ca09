import { describe, expect, it, onTestFinished, vi } from "vitest";
import { NotAuthorizedError } from "../../../src/client";
import { KINDS, kindEntry } from "../../../src/schemas/kinds";
import { findUnmanaged } from "../../../src/team/drift-lists";
import { describeDrift } from "../../../src/team/drift-rendering";
import { DRIFT_KINDS, exitCodeOf } from "../../../src/team/drift-report";
import { parseIgnoreFile } from "../../../src/team/ignore-file";
import { reportText } from "../../../src/text/renderings";
import {
	type DriftTeam,
	driftTeam,
	entry,
	secret,
	stateOf,
	TEAM,
} from "../../helpers/drift-team";

const LISTS = { schedule: "listSchedules", pipeline: "listPipelines" } as const;
const DIRECT = { schedule: "getSchedule", pipeline: "pipelineStatus" } as const;

/** Makes the first one of the list one that cannot be read; the first direct requests, for what the list shows as changed, can. */
function spoil({ server }: DriftTeam, kind: keyof typeof LISTS, skip = 0): void {
	server.faults.add({
		kind: "rewrite",
		endpoint: LISTS[kind],
		set: { "0.updated_at": 5 },
	});
	const set = { updated_at: 5, "schedule.updated_at": 5 };
	server.faults.add({ kind: "rewrite", endpoint: DIRECT[kind], set, skip });
}

/** A schedule that is there, and that the stack manages. */
const managed = (team: DriftTeam, name: string) => team.managed(team.schedule(name));
const namesOf = <Name>(found: readonly { readonly name: Name }[]) =>
	found.map(({ name }) => name);

it("writes instants as every other output does, no secret time zone, and no change of clocks for a schedule that is gone", async () => {
	const team = await driftTeam();
	const [first, second] = [managed(team, "nightly"), managed(team, "nightly")];
	vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-03-01T03:00:00Z") });
	onTestFinished(() => void vi.useRealTimers());
	const berlin = { timeZone: secret("Europe/Berlin"), utcCron: "0 2 * * *" };
	const changing = team.managed(team.schedule("berlin"), berlin);
	const gone = team.managed(team.schedule("gone"), berlin);
	team.others.deleteSchedule(Number(gone.id));
	const report = await team.check([
		first,
		{ ...second, urn: `${second.urn}2` },
		changing,
		gone,
	]);
	expect(report.checkedAt).toBe("2026-03-01T03:00:00Z");
	expect(report.clockChanges).toMatchObject([
		{ at: "2026-03-29T01:00:00Z", timeZone: "[redacted]" },
	]);
	expect(report.twins.map(({ createdAt }) => createdAt)).toEqual([
		"2026-01-01T00:00:00Z",
	]);
});

it("a schedule in a time zone that this machine does not know is compared, and its clocks are not called right", async () => {
	const team = await driftTeam();
	const mars = { timeZone: "Mars/Olympus", utcCron: "0 3 * * *" };
	const [odd, fine] = [
		team.managed(team.schedule("odd"), mars),
		team.managed(team.schedule("fine")),
	];
	const report = await team.check([odd, fine]);
	expect(report.summary).toMatchObject({ managed: 2, unchanged: 2, failed: 1 });
	expect(report.failed).toEqual([
		expect.objectContaining({
			what: "resource",
			name: "odd",
			reason: expect.stringMatching(
				/^This machine does not know the time zone "Mars\/Olympus"/,
			),
		}),
	]);
});

describe("a schedule that is managed and does not run", () => {
	it("is named if somebody paused its pipeline or postponed it, and is no drift", async () => {
		const team = await driftTeam(["p1", "p2", "p3"]);
		const [paused, postponed] = [
			team.managed(team.schedule("paused", "p2")),
			managed(team, "postponed"),
		];
		const declared = team.managed(team.schedule("declared", "p3"), { paused: true });
		await team.server.api.post("/pipeline/pause", { team_name: TEAM, name: "p2" });
		await team.server.api.post("/pipeline/pause", { team_name: TEAM, name: "p3" });
		const change = {
			team_name: TEAM,
			schedule_id: Number(postponed.id),
			start_after: "2126-01-01T00:00:00Z",
		};
		await team.server.api.post("/pipeline/update-schedule", change);
		const report = await team.check([
			paused,
			postponed,
			declared,
			managed(team, "fine"),
		]);
		expect(report.summary).toMatchObject({ unchanged: 4, changed: 0, notRunning: 2 });
		expect(report.notRunning).toMatchObject([
			{ name: "paused", why: "paused", pipeline: "p2", startAfter: null },
			{
				name: "postponed",
				why: "postponed",
				pipeline: "p1",
				startAfter: "2126-01-01T00:00:00Z",
			},
		]);
		expect(exitCodeOf(report, [...DRIFT_KINDS])).toBe(0);
		const text = reportText(describeDrift(report));
		expect(text).toContain("Managed, but not running (2)");
		expect(text).toMatch(/paused +audio +Its pipeline "p2" is paused/);
		expect(text).toMatch(
			/postponed +audio +It does not run before 2126-01-01 00:00 UTC/,
		);
	});
});

describe("variables that the program does not declare", () => {
	it("are named, and are no drift", async () => {
		const team = await driftTeam(["p1"]);
		team.others.setVariable("p1", "OURS", "1");
		team.others.setVariable("p1", "THEIRS", "their-secret");
		const report = await team.check([
			team.settings("p1", { environment: { OURS: "1" } }),
		]);
		expect(report.summary).toMatchObject({
			unchanged: 1,
			changed: 0,
			unmanagedVariables: 1,
		});
		expect(report.unmanagedVariables).toMatchObject([
			{ name: "p1", variables: ["THEIRS"] },
		]);
		expect(exitCodeOf(report, [...DRIFT_KINDS])).toBe(0);
		expect(reportText(describeDrift(report))).toMatch(
			/Unmanaged variables \(1\)[\s\S]*p1 .*THEIRS/,
		);
		expect(JSON.stringify(report)).not.toContain("their-secret");
	});
});

it("says when a schedule that differs was last changed", async () => {
	const team = await driftTeam();
	const changed = managed(team, "changed");
	team.server.clock.advance(3_600_000);
	await team.server.api.post("/pipeline/update-schedule", {
		team_name: TEAM,
		schedule_id: Number(changed.id),
		cron_expression: "9 9 * * *",
	});
	const report = await team.check([changed]);
	expect(report.changed).toMatchObject([
		{ name: "changed", changedAt: "2026-01-01T01:00:00Z" },
	]);
	expect(reportText(describeDrift(report))).toMatch(
		/changed at[\s\S]*2026-01-01 01:00 UTC/,
	);
});

describe("a resource that cannot be read", () => {
	it("is named with the reason, and the rest of the report is there", async () => {
		const team = await driftTeam();
		const [odd, changed, gone] = [
			managed(team, "odd"),
			managed(team, "changed"),
			managed(team, "gone"),
		];
		changeCron(Number(changed.id), team);
		team.others.deleteSchedule(Number(gone.id));
		spoil(team, "schedule", 1);
		// Nor can it be ignored by its name.
		const report = await team.check([odd, changed, gone], ["*"]);
		expect([namesOf(report.changed), namesOf(report.missing)]).toEqual([
			["changed"],
			["gone"],
		]);
		expect(
			report.failed.map(({ what, kind, name, resource }) => [
				what,
				kind,
				name,
				resource,
			]),
		).toEqual([
			["element", "schedule", "odd", null],
			["resource", "PipelineSchedule", "odd", "odd"],
		]);
		for (const { reason } of report.failed) expect(reason).toMatch(/updated_at/);
		const counts = {
			managed: 3,
			unchanged: 0,
			changed: 1,
			missing: 1,
			failed: 2,
			unlisted: 0,
		};
		expect(report.summary).toMatchObject(counts);
	});

	it("may be of a kind that this version does not have", async () => {
		const team = await driftTeam();
		const report = await team.check([entry("Alert", "a", "1", { teamName: TEAM })]);
		expect(report.failed).toMatchObject([
			{
				what: "resource",
				kind: "Alert",
				reason: expect.stringMatching(/no resource "Alert"/),
			},
		]);
	});

	it.each(["canary-schedule", "cny"])(
		"does not give away a name that the program keeps secret: %s",
		async (scheduleName) => {
			const team = await driftTeam();
			const schedule = team.schedule("somebody-else");
			const report = await team.check([
				entry("PipelineSchedule", "s", String(schedule.id), {
					scheduleName: secret(scheduleName),
					pipelineName: "p3",
					teamName: TEAM,
				}),
			]);
			expect(report.failed[0]?.reason).toMatch(/ is another schedule: /);
			expect(JSON.stringify(report)).not.toMatch(/canary|cny/);
		},
	);

	it.each([
		["schedule", "listSchedules", { "0.updated_at": 5 }],
		["pipeline", "listPipelines", { "0.workers": [] }],
	] as const)(
		"does not give it away where the list of %ss has it in an odd form",
		async (kind, endpoint, set) => {
			const team = await driftTeam(["canary-1", "canary-2"]);
			const ours = ["canary-1", "canary-2"].map((name) =>
				team.managed(team.schedule(name, name), {
					scheduleName: secret(name),
					pipelineName: secret(name),
				}),
			);
			team.server.faults.add({ kind: "rewrite", endpoint, set });
			const { failed, summary } = await team.check(ours);
			expect(summary).toMatchObject({ unchanged: 2, unlisted: 0 });
			expect(failed).toContainEqual(
				expect.objectContaining({ what: "element", kind, name: "[redacted]" }),
			);
			expect(failed.map(({ reason }) => reason).join()).not.toContain("canary");
		},
	);
});

describe("a list that cannot be read", () => {
	it("is named, and what the other list and the other teams show is reported", async () => {
		const team = await driftTeam();
		team.server.addTeam("locked", { pipelines: ["p1"] });
		team.server.faults.add({ kind: "status", team: "locked", status: 403 });
		team.server.faults.add({ kind: "status", endpoint: "listPipelines", status: 403 });
		team.schedule("theirs");
		const locked = entry("PipelineSettings", "x", "locked/p1", {
			pipelineName: "p1",
			teamName: "locked",
		});
		const report = await team.check([managed(team, "ours"), locked]);
		expect(
			report.failed.map(({ what, kind, name, team }) => [what, kind, name, team]),
		).toEqual([
			["list", "pipeline", null, "audio"],
			["list", "schedule", null, "locked"],
			["list", "pipeline", null, "locked"],
			["resource", "PipelineSchedule", "ours", "audio"],
			["resource", "PipelineSettings", "p1", "locked"],
		]);
		expect(namesOf(report.unmanaged)).toEqual(["theirs"]);
	});

	it("is an error if no list can be read at all", async () => {
		const team = await driftTeam();
		const ours = managed(team, "ours");
		team.server.faults.add({ kind: "status", status: 403 });
		await expect(team.check([ours])).rejects.toThrow(NotAuthorizedError);
	});
});

it("a malformed object that the stack does not manage is reported once, and left out if its name is ignored", async () => {
	const team = await driftTeam();
	for (const name of ["odd", "fine"]) team.schedule(name);
	for (const kind of ["schedule", "pipeline"] as const) spoil(team, kind);
	const report = await team.check([]);
	expect(report.failed.map(({ what, kind }) => [what, kind])).toEqual([
		["element", "schedule"],
		["element", "pipeline"],
	]);
	expect(namesOf(report.unmanaged.filter(({ kind }) => kind === "schedule"))).toEqual([
		"fine",
	]);
	const ignoring = await team.check([], ["\\odd", "p?"]);
	expect([ignoring.failed, ignoring.summary.ignored]).toEqual([[], 3]);
});

it("pipelines that the service does not list, because it accepts only a low limit, are not said to be looked at", async () => {
	const names = Array.from({ length: 101 }, (_, index) => `p${index}`);
	const team = await driftTeam(names);
	team.server.faults.add({
		kind: "status",
		status: 422,
		endpoint: "listPipelines",
		times: 2,
	});
	const report = await team.check([]);
	expect(report.failed).toEqual([
		expect.objectContaining({
			what: "list",
			kind: "pipeline",
			team: TEAM,
			reason:
				"The service lists at most 100 objects, the newest. Older ones were not checked.",
		}),
	]);
});

it.each(Object.keys(KINDS).filter((kind) => kindEntry(kind)?.listedIn !== undefined))(
	"a %s that the team's list leaves out is found, as its kind says which list that is",
	async (kind) => {
		const team = await driftTeam();
		const { id = "", name = "" } = team.others.pipelines()[0] ?? {};
		const made = { datasets: ["a.b.c"], teamName: TEAM };
		const ofKind: Readonly<Record<string, () => object>> = {
			PipelineSchedule: () => managed(team, "s1"),
			PipelineSettings: () => team.settings("p1"),
			Pipeline: () => entry("Pipeline", "p", id, made, { name, status: "COMPLETED" }),
		};
		for (const endpoint of ["listSchedules", "listPipelines"] as const)
			team.server.faults.add({
				kind: "capped-list",
				endpoint,
				limit: 0,
				which: "newest",
			});
		const report = await team.check([{ ...ofKind[kind]?.() }]);
		expect(report.unlisted.map((each) => each.kind)).toEqual([kind]);
	},
);

const changeCron = (id: number, { others }: DriftTeam) =>
	others.updateSchedule({ schedule_id: id, cron_expression: "9 9 * * *" });
it.each<[string, number, (id: number, team: DriftTeam) => unknown]>([
	["two requests if nothing happened", 0, () => {}],
	["one more for each that changed", 1, changeCron],
	[
		"two more for each that is missing",
		2,
		(id, { others }) => others.deleteSchedule(id),
	],
	["one more for each duplicate", 1, (id, team) => team.schedule(`s${id}`)],
])("costs %s", async (_what, each, change) => {
	const team = await driftTeam();
	const all = [1, 2, 3, 4].map((id) => managed(team, `s${id}`));
	for (const { id } of all.slice(0, 3)) change(Number(id), team);
	expect((await team.check(all)).requests).toBe(2 + 3 * each);
});

it("a job that was waited for and failed runs again, and one that the service forgot is not missing", async () => {
	const team = await driftTeam();
	const made = {
		name: "train.py",
		contentHash: "abc",
		queryType: "PYTHON",
		wait: true,
		teamName: TEAM,
	};
	const jobId = "6f9619ff-8b86-4d01-b42d-00cf4fc964ff";
	const job = (status: string) =>
		entry("Job", status, jobId, { ...made, jobId, status });
	const report = await team.check([job("COMPLETE"), job("FAILED")]);
	expect(report.summary).toMatchObject({ unchanged: 1, changed: 1, missing: 0 });
	expect(report.changed).toMatchObject([{ resource: "FAILED", repair: "replace" }]);
});

it("an ignore file has one pattern a line, comments and blank lines", () => {
	expect(parseIgnoreFile("# ours\r\n\n  tmp-*  \n\\#odd\n")).toEqual([
		"tmp-*",
		"\\#odd",
	]);
});

it("unmanaged objects are the schedules and pipelines that no resource of the stack manages or runs", () => {
	const pipeline = (name: string, more: object = {}) => ({
		pipeline_id: `id-${name}`,
		name,
		...more,
	});
	const { resources } = stateOf(
		entry("PipelineSchedule", "s", "1", { pipelineName: "scheduled" }),
		entry("PipelineSettings", "p", "t/set", { pipelineName: "set" }),
		entry("Pipeline", "p", "id-made", {}, { name: "made" }),
		entry("OfANewerVersion", "n", "x", { pipelineName: "newer" }),
	);
	const theirs = { id: 3, schedule_name: "theirs", created_by: { username: "ann" } };
	const schedules = [{ id: 1 }, { id: 2 }, theirs];
	const pipelines = [
		...["scheduled", "set", "made", "newer"].map((name) => pipeline(name)),
		pipeline("run", { schedule_name: "theirs", is_template: false }),
		pipeline("template", { schedule_name: "theirs", is_template: true }),
		pipeline("by-hand", { created_at: "2026-01-01T00:00:00Z" }),
		{ pipeline_id: "without-a-name" },
	];
	const found = findUnmanaged({ team: "t", schedules, pipelines }, resources, ["2"]);
	expect(found.map(({ kind, name, createdBy }) => [kind, name, createdBy])).toEqual([
		["schedule", "theirs", "ann"],
		["pipeline", "", null],
		["pipeline", "by-hand", null],
		["pipeline", "template", null],
	]);
});

describe("a second schedule of a managed name", () => {
	/** A team with a managed schedule and, unless told otherwise, a second one of its name. */
	async function doubled(
		second: (team: DriftTeam) => unknown = (team) => team.schedule("nightly"),
	) {
		const team = await driftTeam();
		const ours = managed(team, "nightly");
		second(team);
		return { ...team, ours };
	}

	it("is a duplicate that runs the pipeline a second time, and not just unmanaged", async () => {
		const team = await doubled();
		team.schedule("another");
		// It cannot be ignored by its name.
		const report = await team.check([team.ours], ["night*"]);
		expect(report.twins).toEqual([
			{
				id: expect.any(String),
				name: "nightly",
				team: "audio",
				createdBy: "colleague",
				createdAt: expect.stringMatching(/^\d{4}-/),
				pipeline: "p1",
				samePipeline: true,
				twinOf: expect.objectContaining({ id: team.ours.id, resource: "nightly" }),
			},
		]);
		expect(report.twins[0]?.id).not.toBe(team.ours.id);
		expect(namesOf(report.unmanaged.filter(({ kind }) => kind === "schedule"))).toEqual(
			["another"],
		);
		expect(report).toMatchObject({ summary: { twins: 1, unchanged: 1 }, requests: 3 });
	});

	it("may run another pipeline, or one that cannot be read", async () => {
		const team = await doubled(({ schedule }) => schedule("nightly", "p2"));
		expect((await team.check([team.ours])).twins).toMatchObject([
			{ pipeline: "p2", samePipeline: false },
		]);
		team.server.faults.add({ kind: "status", endpoint: "getSchedule", status: 403 });
		const { twins, failed } = await team.check([team.ours]);
		expect([twins, failed]).toMatchObject([
			[{ pipeline: null, samePipeline: null }],
			[],
		]);
	});

	it("is no duplicate if it is deleted and only the list still shows it", async () => {
		const team = await doubled((made) => {
			const twin = made.schedule("nightly");
			made.server.faults.add({
				kind: "stale-list",
				endpoint: "listSchedules",
				ms: 60_000,
			});
			made.others.deleteSchedule(twin.id);
		});
		expect((await team.check([team.ours])).summary).toMatchObject({
			twins: 0,
			unmanaged: 1,
		});
	});

	it("is no duplicate if the managed one is missing: nothing runs twice", async () => {
		const team = await doubled();
		team.others.deleteSchedule(Number(team.ours.id));
		const report = await team.check([team.ours]);
		expect(report.summary).toMatchObject({ twins: 0, missing: 1 });
		expect(namesOf(report.unmanaged)).toContain("nightly");
	});

	it("is found by the managed schedule's declared name, and by its name on the service", async () => {
		const team = await doubled();
		team.others.updateSchedule({
			schedule_id: Number(team.ours.id),
			schedule_name: "renamed",
		});
		team.schedule("renamed");
		expect(namesOf((await team.check([team.ours])).twins).sort()).toEqual([
			"nightly",
			"renamed",
		]);
	});

	it("does not reveal names that the program keeps secret", async () => {
		const team = await driftTeam(["canary-p"]);
		const schedule = () => team.schedule("canary-name", "canary-p");
		const teamName = secret(TEAM);
		const names = {
			scheduleName: secret("canary-name"),
			pipelineName: secret("canary-p"),
			teamName,
		};
		const ours = team.managed({ ...schedule(), name: "s" }, names);
		schedule();
		team.server.faults.add({ kind: "status", status: 403, endpoint: "listPipelines" });
		const report = await team.check([ours]);
		expect(report.teams).toEqual(["[redacted]"]);
		expect(report.twins).toMatchObject([
			{ pipeline: "[redacted]", samePipeline: true, team: "[redacted]" },
		]);
		expect(JSON.stringify(report)).not.toMatch(`canary|${TEAM}`);
	});

	it("in another team is no duplicate", async () => {
		const team = await doubled(() => {});
		const elsewhere = team.server.addTeam("video", { pipelines: ["p1", "p2"] });
		elsewhere.createSchedule({
			schedule_name: "nightly",
			pipeline_name: "p1",
			cron_expression: "@daily",
		});
		const settings = entry("PipelineSettings", "v", "video/p2", {
			teamName: "video",
			pipelineName: "p2",
		});
		const report = await team.check([team.ours, settings]);
		expect(report.twins).toEqual([]);
		// Nor is a pipeline managed whose name is managed in another team only.
		expect(report.unmanaged.map(({ name, team }) => `${name} of ${team}`)).toEqual([
			"p2 of audio",
			"nightly of video",
			"p1 of video",
		]);
	});
});

it("waits for a list that takes longer than the usual minute of a call", async () => {
	const team = await driftTeam();
	const resources = [managed(team, "nightly"), managed(team, "hourly")];
	// Limits of about a minute and more pass 50 times as fast: two seconds are 100.
	const realTimeout = setTimeout;
	const hurried: typeof setTimeout = Object.assign(
		(work: (...given: unknown[]) => void, millis = 0, ...given: unknown[]) =>
			realTimeout(work, millis < 50_000 ? millis : millis / 50, ...given),
		realTimeout,
	);
	vi.stubGlobal("setTimeout", hurried);
	onTestFinished(() => void vi.unstubAllGlobals());
	team.server.faults.add({ kind: "delay", endpoint: "listPipelines", ms: 2_000 });
	const report = await team.check(resources);
	expect(report.failed).toEqual([]);
	expect(report.summary).toMatchObject({ unchanged: 2, failed: 0 });
});
