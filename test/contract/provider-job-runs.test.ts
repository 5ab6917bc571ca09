import { describe, expect, it } from "vitest";
import type { FaultRule } from "../../src/server";
import { Stack } from "../helpers/provider-harness";
import { HOLD } from "../helpers/provider-kinds";
import {
	consent,
	failuresOf,
	freshStack,
	job,
	jobs,
	leave,
	stack,
	world,
} from "../helpers/provider-scene";
import { testFile } from "../helpers/test-folder";

const OTHER_ID = "6f9619ff-8b86-4d01-b42d-00cf4fc964ff";
const HOUR = 3_600_000;
/** The list shows no job. */
const UNLISTED: FaultRule = {
	kind: "capped-list",
	limit: 0,
	which: "newest",
	endpoint: "listJobs",
};

freshStack();

const statuses = () => jobs().map(({ status }) => status);

describe("a job", () => {
	it("is cancelled on delete while it runs, and left alone once it has ended", async () => {
		await stack.up([
			job({ query: HOLD }),
			job({ query: "print(1)", wait: true }, "done"),
		]);
		world.writes();
		expect((await stack.destroy()).failures).toEqual([]);
		expect(world.writes()).toEqual(["cancelJob"]);
		expect(statuses()).toEqual([expect.stringMatching(/^CANCEL/), "COMPLETE"]);
	});

	it("with a cron becomes a task, which ends with the resource", async () => {
		await stack.up([job({ query: 'print("x")', cronExpression: "0 * * * *" })]);
		await world.time.sleep(2 * HOUR);
		expect(statuses()).toEqual(["TASK", "COMPLETE", expect.any(String)]);
		expect(
			(await stack.up([job({ query: 'print("x")', cronExpression: "@hourly" })])).steps,
		).toEqual(["same train"]);
		expect((await stack.destroy()).failures).toEqual([]);
		await world.time.sleep(3 * HOUR);
		expect(statuses()).toEqual(["CANCELED", "COMPLETE", "COMPLETE"]);
	});

	it("with a cron whose task another user cancels is started again after a refresh, as the preview says", async () => {
		const hourly = [job({ query: 'print("x")', cronExpression: "0 * * * *" })];
		await stack.up(hourly);
		await world
			.process()
			.context.client.jobs.cancel({ job_id: stack.entry("train").id });
		expect((await stack.up(hourly)).steps).toEqual(["same train"]);
		expect((await stack.refresh()).notices).toEqual([]);
		expect((await stack.preview(hourly)).notices).toEqual([
			expect.stringMatching(
				/^Task "train" \(id .*\) in team "ml" was cancelled outside Pulumi. The deployment starts a new one.$/,
			),
		]);
		expect((await stack.up(hourly)).failures).toEqual([]);
		expect((await stack.up(hourly)).steps).toEqual(["same train"]);
	});

	it("that starts later and was cancelled before is not started again", async () => {
		const later = [
			job({
				query: "print(1)",
				startAfter: new Date(world.time.now() + HOUR).toISOString(),
			}),
		];
		await stack.up(later);
		await world
			.process()
			.context.client.jobs.cancel({ job_id: stack.entry("train").id });
		await stack.refresh();
		expect((await stack.up(later)).steps).toEqual(["same train"]);
	});

	it.each([
		["less than an hour ago is taken over with consent", 30 * 60_000, 1],
		["an hour ago is run again, with consent too", HOUR, 2],
	])("that ended %s", async (_, millis, jobs) => {
		const once = [job({ query: "print(1)", wait: true })];
		await stack.up(once);
		stack.entries = [];
		await world.time.sleep(millis);
		expect((await stack.up(once, { adoptEqual: true })).failures).toEqual([]);
		expect(statuses()).toHaveLength(jobs);
	});
});

describe("a job whose resource is deleted", () => {
	it.each([400, 404, 409])(
		"and whose cancellation is answered with %d stays in the state if it goes on, and leaves it if it has ended",
		async (status) => {
			await stack.up([job({ query: HOLD })]);
			const refusal: FaultRule = { kind: "status", status, endpoint: "cancelJob" };
			const heal = world.fault(refusal);
			expect((await stack.destroy()).failures).toEqual([
				expect.stringMatching(`^train: Could not cancel .*${status}`),
			]);
			expect(stack.ids()).toHaveProperty("train");
			heal();
			world.fault({ ...refusal, afterWork: true });
			expect((await stack.destroy()).failures).toEqual([]);
			expect(stack.ids()).toEqual({});
		},
	);

	it("and goes on although the cancellation was accepted is reported with what to do", async () => {
		await stack.up([job({ query: HOLD })]);
		const { id } = stack.entry("train");
		world.fault({
			kind: "rewrite",
			endpoint: "listJobs",
			set: { "*.status": "RUNNING" },
		});
		expect((await stack.destroy()).failures).toEqual([
			`train: The service accepted the cancellation of job "train" (id ${id}) in team "ml", but shows it as running. Run the command again; if that does not help, cancel the job in the web UI.`,
		]);
	});

	it("and is being cancelled already is not cancelled again", async () => {
		await stack.up([job({ query: HOLD })]);
		world.fault({
			kind: "rewrite",
			endpoint: "listJobs",
			set: { "*.status": "canceling" },
		});
		world.writes();
		expect((await stack.destroy()).failures).toEqual([]);
		expect(world.writes()).toEqual([]);
	});

	it("and that is young and missed by one look is cancelled", async () => {
		await stack.up([job({ query: HOLD })]);
		world.fault({ ...UNLISTED, times: 1 });
		expect((await stack.destroy()).failures).toEqual([]);
		expect(statuses()).toEqual([expect.stringMatching(/^CANCEL/)]);
	});

	it("and is a task that starts later, as the service shows at once, is cancelled", async () => {
		await stack.up([
			job({ startAfter: new Date(world.time.now() + HOUR).toISOString() }),
		]);
		world.fault({
			kind: "rewrite",
			endpoint: "listJobs",
			set: { "*.status": "TASK" },
			times: 1,
		});
		world.writes();
		expect((await stack.destroy()).failures).toEqual([]);
		expect(world.writes()).toEqual(["cancelJob"]);
	});

	it("and became a task of its own start time is left to it, having run", async () => {
		const startAfter = new Date(world.time.now() + HOUR).toISOString();
		await stack.up([job({ startAfter })]);
		await world.time.sleep(2 * HOUR);
		world.writes();
		expect((await stack.destroy()).failures).toEqual([]);
		expect(world.writes()).toEqual([]);
	});
});

describe("a job that a killed deployment left", () => {
	const held = job({ query: HOLD });

	it("is refused also where the service does not tell who started it", async () => {
		await leave(held);
		world.fault({
			kind: "rewrite",
			endpoint: "listJobs",
			set: { "*.created_by": null },
		});
		const failures = await failuresOf([held]);
		expect(failures).toEqual([
			expect.stringContaining(
				"started by an unknown user). No second job was started.",
			),
		]);
	});

	it("is found by a tag whose form later versions must know", async () => {
		await leave(held);
		expect(jobs()[0]?.environment.PULUMI_DATACHAIN_JOB).toMatch(
			/^[0-9a-f]{16}-[0-9a-f]{16}(-|$)/,
		);
	});

	it("of another stack or project is neither refused nor taken over", async () => {
		const other = new Stack(world, "prod");
		await leave(held);
		const { failures, notices } = await other.up([held], { adoptEqual: true });
		expect({ failures, notices }).toEqual({ failures: [], notices: [] });
		expect(world.writes()).toEqual(["createJob"]);
		expect(jobs()).toHaveLength(2);
	});

	it("and that ended well is run again, with a notice", async () => {
		const { id } = await leave(job({}));
		await world.time.sleep(60_000);
		expect(await stack.up([job({})])).toMatchObject({
			failures: [],
			notices: [
				`Job "train" (id ${id}, COMPLETE) has the same declaration and is not in the state; another one is started. If an interrupted deployment created it, run "DATACHAIN_ADOPT_EQUAL=true pulumi up" once. It adopts an equal object, or creates one if there is none.`,
			],
		});
	});

	it("and that runs is taken over before one that ended later", async () => {
		const hold = await leave(held);
		await world.time.sleep(60_000);
		world.fault({ ...UNLISTED, times: 1 });
		const second = await leave(held);
		await world.process().context.client.jobs.cancel({ job_id: second.id });
		await world.time.sleep(60_000);
		world.writes();
		const notices = [
			expect.stringMatching(
				/^Job "train" \(id .*\) is adopted: it has the same declaration/,
			),
		];
		expect(await consent(held)).toEqual({ id: hold.id, writes: [], notices });
	});

	it("is the newest of those that run", async () => {
		await leave(held);
		await world.time.sleep(60_000);
		world.fault({ ...UNLISTED, times: 1 });
		const newest = await leave(held);
		expect((await consent(held)).id).toBe(newest.id);
	});

	it("is not taken for that of another resource, another declaration, or a task's run", async () => {
		const { id } = await leave(held);
		expect((await consent(job({ query: `${HOLD}#` }))).id).not.toBe(id);
		await stack.up([job({ query: HOLD }, "another")], { adoptEqual: true });
		expect(stack.entry("another").id).not.toBe(id);
		stack.entries = [];
		world.fault({
			kind: "rewrite",
			endpoint: "listJobs",
			set: { "*.parent_job_id": OTHER_ID },
		});
		expect((await consent(held)).id).not.toBe(id);
	});

	it("is the same one however it is waited for, and wherever its query comes from", async () => {
		const source = testFile("train", HOLD);
		const { id } = await leave(held);
		const moved = {
			query: undefined,
			file: source,
			name: "train",
			queryType: "PYTHON",
			timeout: 7,
			wait: false,
		};
		expect((await consent(job(moved))).id).toBe(id);
		stack.entries = [];
		expect((await consent(job({ query: HOLD, __secret: ["query"] }))).id).toBe(id);
	});
});

it("another job than the one asked for tells nothing of it", async () => {
	await stack.up([job({ query: HOLD })]);
	const { id, outs } = stack.entry("train");
	world.fault({
		kind: "rewrite",
		endpoint: "listJobs",
		set: { "*.id": OTHER_ID, "*.status": "COMPLETE" },
	});
	await world.time.sleep(HOUR);
	await stack.refresh();
	expect(stack.entry("train")).toMatchObject({
		id,
		outs: { jobId: id, status: outs.status },
	});
});

it("the id of a new job is believed where the service shows no environment, of this job or of others", async () => {
	await stack.up([job({ query: HOLD }, "another")]);
	world.fault({ kind: "rewrite", endpoint: "listJobs", remove: ["*.environment"] });
	expect(
		await failuresOf([job({ query: HOLD }, "another"), job({ query: HOLD })]),
	).toEqual([]);
	expect(jobs().map(({ id }) => id)).toEqual(Object.values(stack.ids()));
});

describe("a job that is waited for", () => {
	it("shows its status and its log while it runs, without the secrets it was given", async () => {
		const query = 'print("hello")\nprint("the key is sesame-open-42")\n';
		const inputs = {
			query,
			wait: true,
			environment: { KEY: "sesame-open-42" },
			__secret: ["environment.KEY"],
		};
		const { failures, notices } = await stack.up([job(inputs)]);
		expect(failures).toEqual([]);
		expect(notices).toContain("train | hello");
		expect(notices).toContain("train | the key is [redacted]");
		expect(
			notices
				.filter((line) => line.startsWith("train: job "))
				.map((line) => line.split(" ").at(-1)),
		).toEqual(expect.arrayContaining(["RUNNING", "COMPLETE"]));
		expect(stack.entry("train").outs).toMatchObject({
			status: "COMPLETE",
			exitCode: 0,
			name: "train",
		});
	});

	it("and fails after its timeout fails the next deployment as well, and is run again by the one after that", async () => {
		const waiting = [
			job({ query: 'print("no disk")\nexit(3)\n', wait: true, timeout: 0.001 }),
		];
		expect((await stack.up(waiting)).failures).toEqual([
			expect.stringMatching(/which is its timeout/),
		]);
		const { id } = stack.entry("train");
		await world.time.sleep(600_000);
		const next = await stack.up(waiting);
		expect(next.steps).toEqual(["update train"]);
		expect(next.failures).toEqual([
			expect.stringMatching(
				/ended as FAILED with exit code 3: [\s\S]* {2}no disk\n {2}SystemExit: 3$/,
			),
		]);
		expect(next.notices.filter((line) => line.startsWith("train | "))).toEqual([]);
		expect(stack.entry("train")).toMatchObject({ id, outs: { status: "FAILED" } });
		expect(await stack.preview(waiting)).toMatchObject({
			steps: ["replace train"],
			notices: [],
		});
	});

	it("and that one look misses is waited for, and what is known of one that the service forgets stays", async () => {
		world.fault({ ...UNLISTED, skip: 2, times: 1 });
		expect(await failuresOf([job({ wait: true })])).toEqual([]);
		stack.alter("train", { status: "RUNNING" });
		const { outs } = stack.entry("train");
		world.fault(UNLISTED);
		expect(await failuresOf([job({ wait: true })])).toEqual([
			expect.stringContaining(
				'is RUNNING, and the service does not show it. It was not stopped. Run "pulumi up"',
			),
		]);
		expect(stack.entry("train").outs).toMatchObject(outs);
	});
});
