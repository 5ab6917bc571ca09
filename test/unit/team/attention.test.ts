import { describe, expect, it } from "vitest";
import {
	type AttentionInput,
	attention,
	type KnownSchedule,
} from "../../../src/team/attention";
import type { JobRow, PipelineRow, ScheduleRow } from "../../../src/team/snapshot";
import { sampleReport } from "../../helpers/drift-reports";

const NOW = Date.parse("2026-03-04T12:00:00Z");
const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];

const schedule = (more: Partial<ScheduleRow> = {}): ScheduleRow => ({
	id: "1",
	name: "nightly",
	pipeline: "images",
	pipelineId: null,
	cron: "0 3 * * *",
	words: "every day at 03:00 UTC",
	zone: "UTC",
	next: NOW + 15 * HOUR,
	state: "active",
	why: null,
	managedBy: null,
	createdBy: null,
	usual: null,
	...more,
});

let made = 0;
const run = (start: number, more: Partial<PipelineRow> = {}): PipelineRow => ({
	id: `run-${++made}`,
	name: `images-${made}`,
	status: "COMPLETED",
	isTemplate: false,
	schedule: "nightly",
	from: null,
	start,
	end: start + 30 * MINUTE,
	error: null,
	steps: [],
	...more,
});

const job = (more: Partial<JobRow> = {}): JobRow => ({
	id: `job-${++made}`,
	name: "a.py",
	status: "COMPLETE",
	created: NOW - HOUR,
	start: NOW - HOUR,
	end: NOW,
	by: null,
	cluster: null,
	error: null,
	...more,
});

const known = (row: ScheduleRow): KnownSchedule => ({
	row,
	times: { cron: row.cron, startAfter: undefined },
	changedAt: NOW - 30 * DAY,
});

type Given = Partial<Omit<AttentionInput, "schedules">> & {
	readonly schedules?: readonly ScheduleRow[];
};

function findings({ schedules = [], ...more }: Given, changedAt?: number) {
	const all = schedules.map((row) => ({
		...known(row),
		...(changedAt !== undefined && { changedAt }),
	}));
	const input = {
		now: NOW,
		schedules: all,
		pipelines: [],
		jobs: [],
		drift: undefined,
		...more,
	};
	return attention(input).map(({ id: _, at: __, ...shown }) => shown);
}
const kinds = (given: Given, changedAt?: number) =>
	findings(given, changedAt).map(({ kind }) => kind);
/** Runs at 03:00 of the last days, this one included. */
const lastDays = (count: number) =>
	Array.from({ length: count }, (_, ago) => run(NOW - 9 * HOUR - ago * DAY));

describe("attention", () => {
	it("names failures since yesterday once for each schedule, pipeline or job, with the log to read", () => {
		const failed = { status: "FAILED", error: 'Job "clean" failed: boom' };
		const steps = [{ job: "j-7", name: "clean", status: "FAILED", after: [] }];
		const pipelines = [
			run(NOW - 9 * HOUR, { ...failed, steps }),
			run(NOW - 33 * HOUR, failed),
			run(NOW - 80 * HOUR, failed),
		];
		const [first, ...rest] = findings({
			schedules: [schedule()],
			pipelines,
			jobs: [
				job({ status: "FAILED", created: null, start: null }),
				job({ id: "j-7", name: "clean", status: "FAILED" }),
			],
		});
		expect(first).toMatchObject({
			kind: "failed",
			severity: "bad",
			text: 'Job "a.py" failed at 2026-03-04 12:00 UTC.',
		});
		expect(rest).toEqual([
			{
				kind: "failed",
				severity: "bad",
				text: 'Schedule "nightly" failed 2 times since yesterday, last at 2026-03-04 03:30 UTC: Job "clean" failed: boom.',
				link: `/pipeline/${pipelines[0]?.id}`,
				command: "pulumi-datachain logs j-7",
			},
		]);
	});

	it("asks for no action if a failed schedule has succeeded since, and of what is all right", () => {
		const pipelines = [run(NOW - 9 * HOUR), run(NOW - 33 * HOUR, { status: "FAILED" })];
		expect(
			findings({ schedules: [schedule()], pipelines, jobs: [job()] }),
		).toMatchObject([
			{
				kind: "recovered",
				severity: "info",
				text: expect.stringContaining("It has succeeded since."),
			},
		]);
	});

	it("calls nothing recovered by a success that came before the failure", () => {
		const failed = run(NOW - 9 * HOUR, {
			status: "FAILED",
			end: NOW - HOUR,
			error: "out of disk",
		});
		const between = run(NOW - 8 * HOUR, { end: NOW - 7 * HOUR });
		const quick = run(NOW - 5 * HOUR, {
			status: "FAILED",
			end: NOW - 4 * HOUR,
			error: "no such file",
		});
		expect(
			findings({ schedules: [schedule()], pipelines: [quick, between, failed] }),
		).toMatchObject([
			{
				severity: "bad",
				text: 'Schedule "nightly" failed 2 times since yesterday, last at 2026-03-04 11:00 UTC: out of disk.',
			},
		]);
	});

	it.each(["RUNNING", "PAUSED", "CANCELED"])(
		"names a failed job of a pipeline that is %s",
		(status) => {
			const failed = job({ status: "FAILED" });
			const steps = [failed, job({ status: "RUNNING" })].map((step) => ({
				job: step.id,
				name: step.name,
				status: step.status,
				after: [],
			}));
			const pipelines = [
				run(NOW - 9 * HOUR, { status, end: null, steps }),
				...lastDays(2),
			];
			expect(
				findings({ schedules: [schedule()], pipelines, jobs: [failed] }),
			).toMatchObject([{ kind: "failed", severity: "bad", link: `/log/${failed.id}` }]);
		},
	);

	it("names what runs far longer than usual, if there are enough runs to compare with", () => {
		const slow = run(NOW - 9 * HOUR, { status: "RUNNING", end: null });
		const before = lastDays(6).slice(1);
		expect(
			findings({ schedules: [schedule()], pipelines: [slow, ...before] }),
		).toMatchObject([
			{
				kind: "slow",
				text: 'Schedule "nightly" has been running for 9 h 00 min; it usually takes 30 min.',
			},
		]);
		expect(
			kinds({ schedules: [schedule()], pipelines: [slow, ...before.slice(0, 3)] }),
		).toEqual(["slow"]);
		expect(
			kinds({ schedules: [schedule()], pipelines: [slow, ...before.slice(0, 2)] }),
		).toEqual([]);
		const short = run(NOW - 35 * MINUTE, { status: "RUNNING", end: null });
		expect(
			kinds({ schedules: [schedule()], pipelines: [short, ...lastDays(6)] }),
		).toEqual([]);
	});

	it("names a schedule that should have run and did not", () => {
		const pipelines = lastDays(5).slice(1);
		expect(findings({ schedules: [schedule()], pipelines })).toMatchObject([
			{
				kind: "missed",
				severity: "bad",
				text: 'Schedule "nightly" should have run at 2026-03-04 03:00 UTC and did not; it last ran at 2026-03-03 03:00 UTC.',
				link: "/schedules?q=nightly",
				command: "pulumi-datachain schedules nightly",
			},
		]);
	});

	it.each([
		["it is paused", schedule({ state: "paused" })],
		["its pipeline is not known yet", schedule({ pipeline: null })],
		["its cron expression cannot be read", schedule({ state: "unreadable" })],
	])("does not call a schedule missed if %s", (_, row) => {
		expect(kinds({ schedules: [row], pipelines: lastDays(5).slice(1) })).not.toContain(
			"missed",
		);
	});

	it("does not call a schedule missed that is only a few minutes late", () => {
		const pipelines = [1, 2, 3].map((ago) => run(NOW - 10 * MINUTE - ago * DAY));
		expect(
			kinds({ schedules: [schedule({ cron: "50 11 * * *" })], pipelines }),
		).toEqual([]);
	});

	it("does not call a schedule missed that was changed since, or whose run the list no longer has", () => {
		const row = schedule();
		const old = run(NOW - 10 * DAY, { schedule: "other" });
		expect(kinds({ schedules: [row], pipelines: [old] }, NOW - HOUR)).toEqual([]);
		expect(
			kinds({ schedules: [row], pipelines: [run(NOW - HOUR, { schedule: "other" })] }),
		).toEqual([]);
		expect(kinds({ schedules: [row], pipelines: [old] })).toEqual(["missed"]);
	});

	it("does not call a schedule missed because a paused run is older than all that the list has", () => {
		const others = [1, 2, 3].map((ago) => run(NOW - ago * HOUR, { schedule: "other" }));
		const paused = run(NOW - 20 * DAY, { status: "PAUSED", schedule: "third" });
		const weekly = schedule({ cron: "0 3 * * 0" });
		expect(kinds({ schedules: [weekly], pipelines: [...others, paused] })).toEqual([]);
	});

	it("names a paused pipeline with its schedules, and the command that resumes it", () => {
		const rows = ["a", "b"].map((name) =>
			schedule({ id: name, name, state: "paused", pipeline: "my images" }),
		);
		expect(findings({ schedules: rows })).toMatchObject([
			{
				kind: "paused",
				severity: "odd",
				text: 'Pipeline "my images" is paused, so its 2 schedules do not run.',
				command: "pulumi-datachain resume 'my images'",
			},
		]);
	});

	it("names schedules with the same name, and those that run one pipeline at the same times", () => {
		const rows = [
			schedule({ id: "1", name: "a", pipeline: "p" }),
			schedule({ id: "2", name: "a", pipeline: "q" }),
			schedule({ id: "3", name: "b", pipeline: "p", cron: "00 03 * * *" }),
			schedule({ id: "4", name: "c", pipeline: "p", cron: "0 4 * * *" }),
			schedule({ id: "5", name: "d", pipeline: "r" }),
			schedule({ id: "6", name: "d", pipeline: null, state: "paused" }),
		];
		const command = (name: string) => `pulumi-datachain schedules ${name}`;
		expect(findings({ schedules: rows })).toMatchObject([
			{ text: '2 schedules have the name "a"; each one runs.', command: command("a") },
			{ text: '2 schedules have the name "d".' },
			{
				text: 'Schedules "a" and "b" run pipeline "p" at the same times.',
				link: "/schedules?q=p",
				command: command("b"),
			},
		]);
	});

	it("finds that a schedule in a time zone and one in UTC run at the same times", () => {
		const inUtc = { cron: "0 2 * * *" };
		const berlin = known(schedule({ id: "1", name: "berlin", ...inUtc }));
		const row = { ...berlin.row, cron: "0 3 * * *", zone: "Europe/Berlin" };
		const schedules = [
			{ ...berlin, row },
			known(schedule({ id: "2", name: "by hand", ...inUtc })),
		];
		expect(
			attention({ now: NOW, schedules, pipelines: [], jobs: [], drift: undefined }),
		).toMatchObject([
			{
				text: 'Schedules "berlin" and "by hand" run pipeline "images" at the same times.',
			},
		]);
	});

	it("names schedules that never run again", () => {
		const rows = [
			schedule({
				state: "never",
				cron: null,
				why: "it was to run once, and that time has passed",
			}),
			schedule({
				id: "2",
				name: "b",
				state: "unreadable",
				why: "its cron expression cannot be read",
			}),
		];
		expect(findings({ schedules: rows })).toMatchObject([
			{
				severity: "odd",
				text: 'Schedule "b" has no known next run: its cron expression cannot be read.',
			},
			{
				severity: "info",
				text: 'Schedule "nightly" never runs again: it was to run once, and that time has passed.',
			},
		]);
	});

	it("names drift and unmanaged objects of the project's stack", () => {
		const found = findings({ drift: sampleReport() });
		const count = (wanted: string) =>
			found.filter(({ kind }) => kind === wanted).length;
		expect([found.length, count("drift"), count("unmanaged")]).toEqual([7, 5, 2]);
		expect(found[0]).toMatchObject({
			severity: "bad",
			command: "pulumi up --refresh --stack dev",
		});
		const text =
			"The team's list does not contain 1 managed object; other objects may be missing too.";
		expect(found).toContainEqual(expect.objectContaining({ text }));
	});

	it.each([
		["PipelineSchedule", "/schedules?q=a%20b"],
		["PipelineSettings", "/pipelines?q=a%20b"],
		["Pipeline", "/pipelines?q=a%20b"],
		["Job", "/jobs?q=a%20b"],
		["JobFile", "/jobs?q="],
	])("sends who looks at drift of a %s to %s", (kind, link) => {
		const { changed, missing, ...report } = sampleReport("a b");
		const ofKind = <Row extends object>(rows: readonly Row[]) =>
			rows.map((row) => ({ ...row, kind, name: "a b" }));
		const drift = { ...report, changed: ofKind(changed), missing: ofKind(missing) };
		const links = findings({ drift })
			.filter(({ text }) => text.startsWith(`${kind} "a b" `))
			.map((found) => found.link);
		expect(links).toEqual([link, link]);
	});

	it("names a schedule that runs at another local time since the clocks changed, as drift does", () => {
		const { clockChanges, ...report } = sampleReport();
		const past = clockChanges.map((change) => ({ ...change, isPast: true }));
		const of = (changes: typeof clockChanges) =>
			findings({ drift: { ...report, clockChanges: changes } }).filter(({ text }) =>
				text.includes("berlin"),
			);
		expect([of(clockChanges), of(past)]).toMatchObject([
			[],
			[
				{
					kind: "drift",
					text: 'PipelineSchedule "berlin" runs at a different local time than declared since the daylight-saving change at 2026-03-29 01:00 UTC.',
					command: "pulumi up --stack dev",
				},
			],
		]);
	});
});
