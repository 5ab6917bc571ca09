import { describe, expect, it } from "vitest";
import {
	theirs as colleagues,
	freshStack,
	named,
	pipelineThere,
	stack,
	there,
	theySet,
	world,
} from "../helpers/provider-scene";
import type { Resource } from "../model/stack";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const IF_RENAMED =
	"If a resource of this stack that you renamed or moved manages it, declare its earlier name in aliases.";
const WHO = { kind: "PipelineSchedule", name: "a" } as const;

let seen = 0;
freshStack(() => {
	seen = 0;
});
const a = (inputs: object = {}, more: Partial<Resource> = {}) =>
	named("a", "a", inputs, more);
const theirs = (inputs: object = {}) => colleagues("a", inputs);
/** Everything that the service was asked for since the last call, one after the other. */
const asked = () => {
	const names = world.server.requests.entries
		.slice(seen)
		.map(({ endpoint }) => endpoint);
	seen += names.length;
	return names;
};
async function deployed(...program: Resource[]): Promise<void> {
	expect(await stack.up(program.length > 0 ? program : [a()])).toMatchObject({
		failures: [],
		notices: [],
	});
	world.writes();
	asked();
}
/** The state, with other values than the provider gave it. */
const told = (change: object): void => stack.alter("a", change, change);

describe("a new schedule", () => {
	it("is made without a wait, and shows what the service knows of it", async () => {
		const before = world.time.now();
		expect(await stack.up([a()])).toMatchObject({ failures: [], notices: [] });
		expect(world.time.now()).toBe(before);
		expect(asked()).toEqual([
			"listPipelines",
			"listSchedules",
			"createSchedule",
			"getSchedule",
			"listSchedules",
		]);
		const at = new Date(before).toISOString();
		expect(stack.entry("a").outs).toMatchObject({
			scheduleId: 1,
			nextRun: expect.stringMatching(/T03:00:00Z$/),
			updatedAt: expect.stringMatching(
				new RegExp(`^${at.slice(0, 19)}(\\.\\d*[1-9])?Z$`),
			),
			createdBy: { username: "developer" },
			pipeline: { name: "p1", pipelineId: expect.any(String), completed: 0, total: 0 },
			cronDescription: "every day at 03:00 UTC",
			adopted: false,
			serviceUrl: `${world.server.url}/api`,
		});
		expect(stack.entry("a").outs).not.toHaveProperty("latestRun");
	});

	it.each([true, false])(
		"sets paused to %s first, also where no list has its pipeline",
		async (paused) => {
			world.fault({
				kind: "rewrite",
				endpoint: "listPipelines",
				set: { "*.name": "another" },
			});
			world.colleague[paused ? "resume" : "pause"]("p1");
			expect((await stack.up([a({ paused })])).failures).toEqual([]);
			expect(pipelineThere().paused).toBe(paused);
			expect(world.writes()).toEqual([
				paused ? "pausePipeline" : "resumePipeline",
				"createSchedule",
			]);
		},
	);

	it("tells of a list that does not show it", async () => {
		world.fault({ kind: "stale-list", ms: 15 * SECOND });
		expect(await stack.up([a()])).toMatchObject({
			failures: [],
			notices: [
				'The service\'s list does not contain the new objects: "a" (id 1). The list is delayed or cut short, so the provider ' +
					'may miss a duplicate. Run "pulumi refresh" to check again.',
			],
		});
	});

	it("stays in the state where something fails after it was made", async () => {
		world.fault({
			kind: "status",
			status: 403,
			endpoint: "listSchedules",
			skip: 1,
			times: 1,
		});
		const scheduleName = "run in team ml";
		expect((await stack.up([a({ scheduleName })])).failures).toEqual([
			expect.stringMatching(
				/^a: Schedule "run in team ml" \(id 1\) in team "ml" was created, but: .*403/,
			),
		]);
		expect(stack.entry("a")).toMatchObject({
			id: "1",
			outs: { scheduleName, scheduleId: 1 },
		});
		expect(await stack.up([a({ scheduleName })])).toMatchObject({
			steps: ["update a"],
			failures: [],
		});
	});
});

describe("a schedule that is already there", () => {
	it("only in the list is created, and not adopted", async () => {
		const { id } = theirs();
		world.fault({ kind: "stale-list", ms: 15 * SECOND });
		world.colleague.deleteSchedule(id);
		expect((await stack.up([a({ adopt: true })])).failures).toEqual([]);
		expect(stack.entry("a").outs.adopted).toBe(false);
		expect(there().map(({ id }) => String(id))).toEqual([stack.ids().a]);
	});

	const both = (one: number, two: number) =>
		`id ${one}, created by colleague less than a minute ago; id ${two}, created by colleague less than a minute ago`;

	it("twice is not taken, with or without adopt", async () => {
		const [one, two] = [theirs().id, theirs().id];
		for (const adopt of [true, undefined]) {
			expect((await stack.up([a({ adopt })])).failures).toEqual([
				`a: Team "ml" has 2 schedules named "a": ${both(one, two)}. Nothing was changed. Names must be unique to be managed: delete ` +
					'or rename the others, then run "pulumi up" again.',
			]);
		}
		expect(world.writes()).toEqual([]);
	});

	it("and runs another pipeline is refused although it may be adopted", async () => {
		const { id } = theirs({ pipeline_name: "p2" });
		expect((await stack.up([a()])).failures).toEqual([
			`a: A schedule named "a" already exists in team "ml" (id ${id}, created by colleague less than a minute ago). It differs: ` +
				`pipelineName is "p2" on the service and "p1" in the program; it was not changed. ${IF_RENAMED} To manage it, set pipelineName to "p2" and adopt to ` +
				"true. Otherwise choose another scheduleName.",
		]);
		expect((await stack.up([a({ adopt: true })])).failures).toEqual([
			`a: Schedule "a" (id ${id}) in team "ml" runs pipeline "p2", not "p1", and the service cannot move a schedule to another ` +
				'pipeline. Set pipelineName to "p2" to adopt it, or choose another scheduleName.',
		]);
		expect(world.writes()).toEqual([]);
	});

	it("is named in the refusal with all that differs, and with what to do", async () => {
		const { id } = theirs({ cron_expression: "0 5 * * *" });
		world.colleague.pause("p1");
		world.server.clock.advance(86_400 * SECOND);
		expect((await stack.up([a({ paused: false })])).failures).toEqual([
			`a: A schedule named "a" already exists in team "ml" (id ${id}, created by colleague 1 day ago). It differs: cronExpression is ` +
				`"0 5 * * *" on the service and "0 3 * * *" in the program; paused is true on the service and false in the program; it was not changed. ${IF_RENAMED} To manage it, set ` +
				"adopt to true. Otherwise choose another scheduleName. If an interrupted deployment created it, run " +
				'"DATACHAIN_ADOPT_EQUAL=true pulumi up" once. It adopts an equal object, or creates one if there is none.',
		]);
	});
});

describe("an update", () => {
	it("is not held up by another schedule of the name, and adopts nothing", async () => {
		await deployed();
		theirs();
		expect((await stack.up([a({ cronExpression: "0 4 * * *" })])).failures).toEqual([]);
		expect(stack.entry("a").outs.adopted).toBe(false);
	});

	it("of what another user deleted after it was read says how it is made again, and changes no state", async () => {
		await deployed();
		const before = stack.entry("a");
		const onAttempt = ({ operation }: { operation: string }) => {
			if (operation === "listPipelines" && there().length > 0)
				world.colleague.deleteSchedule(1);
		};
		expect(
			(await stack.up([a({ cronExpression: "0 4 * * *" })], { onAttempt })).failures,
		).toEqual([
			'a: Schedule "a" (id 1) is no longer in team "ml". Run "pulumi up --refresh" to create it again.',
		]);
		expect(stack.entry("a")).toEqual(before);
	});

	it("that is answered with a 404 calls no schedule gone that is still there", async () => {
		await deployed();
		world.fault({
			kind: "status",
			status: 404,
			message: "none",
			endpoint: "updateSchedule",
		});
		const { failures } = await stack.up([a({ cronExpression: "0 4 * * *" })]);
		expect(failures).toEqual([
			expect.stringMatching(/^a: Could not update a pipeline schedule .* 404, /),
		]);
	});

	it.each<[object, object, string[]]>([
		[
			{ cronExpression: "0 4 * * *" },
			{ cron_expression: "0 9 * * *" },
			["updateSchedule"],
		],
		[
			{ paused: true },
			{ "pipeline.status": "RUNNING" },
			["updateSchedule", "pausePipeline"],
		],
	])(
		"of %j that no read shows sends each request once",
		async (inputs, set, writes) => {
			await deployed();
			world.fault({ kind: "rewrite", endpoint: "getSchedule", set: { ...set } });
			expect((await stack.up([a(inputs)])).failures).toEqual([
				expect.stringContaining("but still returns other values"),
			]);
			expect(world.writes()).toEqual(writes);
		},
	);

	it.each([false, true])(
		"that failed to take the start out of the way does it the next time, refreshed in between: %s",
		async (isRefreshed) => {
			await deployed(a({ startAfter: "2030-01-01T00:00:00Z" }));
			const heal = world.fault({
				kind: "status",
				status: 500,
				endpoint: "updateSchedule",
			});
			expect((await stack.up([a()])).failures).toEqual([
				expect.stringContaining("500"),
			]);
			heal();
			if (isRefreshed) await stack.refresh();
			expect((await stack.up([a()])).failures).toEqual([]);
			expect(there()[0]?.startAfter).toBe(world.time.now());
			expect((await stack.up([a()])).steps).toEqual(["same a"]);
		},
	);

	it("takes the start out of the way where there is none any more", async () => {
		await deployed(a({ startAfter: "2030-01-01T00:00:00Z" }));
		world.server.clock.advance(MINUTE);
		expect((await stack.up([a()])).failures).toEqual([]);
		expect(there()[0]?.startAfter).toBe(world.time.now());
		expect(stack.entry("a").outs).not.toHaveProperty("startAfter");
	});
});

it("a write whose reply is not of this API is sent again by the next deployment, as the failure says", async () => {
	await deployed();
	world.fault({
		kind: "rewrite",
		endpoint: "updateSchedule",
		set: { schedule: "odd" },
	});
	expect((await stack.up([a({ cronExpression: "0 4 * * *" })])).failures).toEqual([
		expect.stringMatching(
			/the documented form.* if there is none\. "pulumi up" sends it again\.$/,
		),
	]);
});

describe("a schedule that is renamed", () => {
	it("is refused a taken name after a wait of four seconds, and says who has it, also with adopt", async () => {
		await deployed();
		const { id } = theirs({ schedule_name: "b" });
		const before = world.time.now();
		expect((await stack.up([a({ scheduleName: "b", adopt: true })])).failures).toEqual([
			`a: Another schedule named "b" already exists in team "ml" (id ${id}, created by colleague less than a minute ago), so none ` +
				`was renamed to it. Choose another scheduleName, or rename or delete that one first. ${IF_RENAMED}`,
		]);
		expect(world.time.now() - before).toBe(4 * SECOND);
	});

	it.each([
		["is the only one and equal", 1, {}, "replace a"],
		["differs", 1, { cron_expression: "0 5 * * *" }, "update a"],
		["is one of two", 2, {}, "update a"],
	])(
		"in a run that consents to what is equal, to a name whose holder %s",
		async (_, count, inputs, step) => {
			await deployed();
			for (let made = 0; made < count; made += 1)
				theirs({ schedule_name: "b", ...inputs });
			const { steps, notices } = await stack.preview([a({ scheduleName: "b" })], {
				adoptEqual: true,
			});
			expect(steps).toEqual([step]);
			const adopts = /^Adopting schedule "b" .*: nothing will change\.$/;
			const says =
				step === "replace a" ? adopts : /^"a": the name "b" is in use in team "ml"/;
			expect(notices).toEqual([expect.stringMatching(says)]);
		},
	);
});

it("an update that the engine makes a replacement of deletes the old schedule last", async () => {
	await deployed();
	const { id, outs } = stack.entry("a");
	const process = world.process();
	const inputs = await process.check(
		WHO,
		a({ cronExpression: "0 5 * * *" }).args,
		stack.entry("a"),
	);
	const diff = await process.serve("PipelineSchedule").diff(id, outs, inputs);
	expect(diff).toEqual({ changes: true, replaces: [], deleteBeforeReplace: false });
});

describe("a read", () => {
	const lookUp = (id: string, outs: object = {}) =>
		world
			.process()
			.refresh({ ...WHO, id, inputs: {}, outs: { teamName: "ml", ...outs } });

	it.each(["abc", "1.0", "1.5", "NaN", " 1", "", "9007199254740993"])(
		"of the id %j is refused",
		async (id) => {
			await expect(lookUp(id)).rejects.toThrow(
				`"${id}" is not the id of a schedule: ids are whole numbers, shown by "pulumi-datachain schedules".`,
			);
		},
	);

	it("without a state gives a schedule that runs once its time, and leaves that of others unmanaged", async () => {
		const start_after = "2030-01-01T00:00:00Z";
		const once = theirs({ cron_expression: undefined, start_after });
		const often = theirs({ schedule_name: "b", start_after });
		asked();
		expect((await lookUp(String(once.id)))?.inputs).toMatchObject({
			scheduleName: "a",
			pipelineName: "p1",
			startAfter: expect.stringMatching(/^2030-01-01T00:00:00/),
		});
		// There is no pipeline to look for in a list.
		expect(asked()).not.toContain("listPipelines");
		const found = await lookUp(String(often.id));
		expect(found?.inputs).toMatchObject({
			scheduleName: "b",
			cronExpression: "0 3 * * *",
		});
		expect(found?.inputs).not.toHaveProperty("startAfter");
	});

	it("of one that runs once does not begin to manage a time that nobody declared", async () => {
		const { id } = theirs({
			cron_expression: undefined,
			start_after: "2030-01-01T00:00:00Z",
		});
		expect(
			(await lookUp(String(id), { pipelineName: "p1" }))?.inputs,
		).not.toHaveProperty("startAfter");
	});

	it("shows the newest run of this schedule, and no other's", async () => {
		await deployed(
			a(),
			named("b", "b", { pipelineName: "p2", cronExpression: "30 3 * * *" }),
		);
		await stack.refresh();
		expect(stack.entry("a").outs).not.toHaveProperty("latestRun");
		theySet({ workers: 3 });
		world.server.clock.advance(3 * 86_400 * SECOND);
		await stack.refresh();
		const direct = await lookUp(stack.ids().a ?? "");
		expect(direct?.outs.latestRun).toMatchObject({
			createdAt: expect.stringMatching(/^2026-01-03T03:00:00/),
		});
		expect(stack.entry("a").outs.latestRun).toEqual(direct?.outs.latestRun);
		// Each run is a pipeline of its own, with the settings of the first.
		const runs = world.colleague
			.pipelines()
			.filter(({ settings }) => settings.workers === 3);
		expect(runs).toHaveLength(1 + 3);
	});

	it("tells of a schedule that is in the state of two resources", async () => {
		await deployed();
		stack.entries.push({
			...stack.entry("a"),
			name: "twin",
			outs: { ...stack.entry("a").outs, __urn: "urn:pulumi:dev::shop::t::twin" },
		});
		expect((await stack.refresh()).notices).toEqual([
			'Schedule "a" (id 1) in team "ml" is in the state of two resources, "a" and "twin". Deleting one deletes it for both: ' +
				'remove one of them from the state with "pulumi state delete <urn>".',
		]);
	});

	it("tells of a list that does not show it", async () => {
		await deployed();
		world.fault({
			kind: "capped-list",
			limit: 0,
			which: "newest",
			endpoint: "listSchedules",
		});
		expect((await stack.refresh()).notices).toEqual([
			'The list of team "ml" does not contain schedule "a" (id 1), which exists: the list is delayed or cut ' +
				"short, so the provider may miss a duplicate.",
		]);
	});

	it("tells of all the others of its name, and of each name", async () => {
		await deployed(a(), named("b", "b"));
		const [two, three] = [theirs().id, theirs().id];
		const other = theirs({ schedule_name: "b" }).id;
		const by = "created by colleague less than a minute ago";
		const rest = ". Each of them runs its pipeline. Delete or rename the others.";
		expect([...(await stack.refresh()).notices].sort()).toEqual([
			`Schedule "a" exists 3 times in team "ml": this stack manages id ${stack.ids().a}; the others: id ${two}, ${by}; id ${three}, ${by}${rest}`,
			`Schedule "b" exists 2 times in team "ml": this stack manages id ${stack.ids().b}; the others: id ${other}, ${by}${rest}`,
		]);
	});
});

/** The patience for reads that lag behind. */
const PATIENT = 20_350;
const missing = async (change: (now: number) => object) => {
	await deployed();
	told(change(world.time.now()));
	world.colleague.deleteSchedule(1);
	const before = world.time.now();
	return { ...(await stack.refresh()), waited: world.time.now() - before };
};
const at = (millis: number) => new Date(millis).toISOString();

it.each([
	["made a minute ago is gone at once", { made: -MINUTE }, 0],
	[
		"made less than a minute ago is waited for until it is older",
		{ made: 1 - MINUTE },
		100,
	],
	["is as old as our own clock says", { made: -MINUTE, createdAt: 0 }, 0],
	[
		"is as old as the service says, where the state does not tell",
		{ createdAt: 0 },
		PATIENT,
	],
	["is gone at once where nobody knows its age", {}, 0],
] as const)(
	"a schedule that is missing %s",
	async (_, { made, createdAt }: { made?: number; createdAt?: number }, waited) => {
		const found = await missing((now) => ({
			__made: made === undefined ? undefined : now + made,
			createdAt: createdAt === undefined ? undefined : at(now + createdAt),
		}));
		expect(found).toMatchObject({ steps: ["gone a"], waited });
	},
);

describe("another schedule under the id in the state", () => {
	const somebodys = (is: string, expects: string) =>
		`Schedule 1 of team "ml" at ${world.server.url}/api is another schedule: it is ${is}, and the state expects ${expects}. Nothing ` +
		"was changed. Check that the connection points to the right service (DATACHAIN_STUDIO_URL or datachain:baseUrl). If it does, the " +
		"schedule was deleted and its id was given to another one: remove the resource from the state with " +
		'"pulumi state delete <urn>", then run "pulumi up".';

	it("is known by the moment at which it was made", async () => {
		await deployed();
		const was = stack.entry("a").outs.createdAt;
		told({ createdAt: "2020-02-02T02:02:02Z" });
		const reason = somebodys(
			`created at ${was}`,
			"one that was created at 2020-02-02T02:02:02Z",
		);
		await expect(stack.refresh()).rejects.toThrow(reason);
		for (const run of [
			await stack.up([a({ cronExpression: "0 4 * * *" })]),
			await stack.destroy(),
		])
			expect(run.failures).toEqual([`a: ${reason}`]);
		expect(world.writes()).toEqual([]);
	});

	it.each([
		["name", { scheduleName: "other" }, '"other" on pipeline "p1"'],
		["pipeline", { pipelineName: "p2" }, '"a" on pipeline "p2"'],
	])(
		"is known by its %s where the state does not tell that moment",
		async (_, other, expected) => {
			await deployed();
			told({ createdAt: undefined });
			expect((await stack.refresh()).steps).toEqual(["read a"]);
			told({ createdAt: undefined, ...other });
			await expect(stack.refresh()).rejects.toThrow(
				somebodys('"a" on pipeline "p1"', expected),
			);
			const changed = a({ ...other, cronExpression: "0 4 * * *" });
			for (const run of [await stack.up([changed]), await stack.destroy()])
				expect(run.failures).toEqual([
					`a: ${somebodys('"a" on pipeline "p1"', expected)}`,
				]);
			expect(world.writes()).toEqual([]);
		},
	);

	it("is not recognized by a pipeline that the service does not show", async () => {
		await deployed();
		told({ createdAt: undefined });
		world.fault({ kind: "rewrite", endpoint: "getSchedule", remove: ["pipeline"] });
		world.fault({
			kind: "rewrite",
			endpoint: "listPipelines",
			set: { "*.name": "another" },
		});
		expect((await stack.refresh()).steps).toEqual(["read a"]);
		told({ createdAt: undefined, scheduleName: "other" });
		await expect(stack.refresh()).rejects.toThrow(
			somebodys('"a" on pipeline "unknown"', '"other" on pipeline "p1"'),
		);
	});
});

it("a delete that the service does not carry out keeps it, too, with what to do", async () => {
	await deployed();
	world.fault({ kind: "late-effect", ms: 3_000 * SECOND });
	expect((await stack.destroy()).failures).toEqual([
		'a: The service accepted the deletion of schedule "a" (id 1) in team "ml", but still shows it. Run the command again; if that ' +
			'does not help, delete the schedule in the web UI and run "pulumi refresh".',
	]);
});

it("an update that may have been done keeps nothing of the service's words in the state", async () => {
	await deployed();
	world.fault({
		kind: "status",
		status: 500,
		afterWork: true,
		endpoint: "updateSchedule",
		message: "a secret of the request",
	});
	const { failures } = await stack.up([a({ cronExpression: "0 4 * * *" })]);
	expect(failures).toEqual([
		expect.stringMatching(/500, the service failed\..* "pulumi up" sends it again\.$/),
	]);
	expect(failures.join()).not.toContain("a secret of the request");
});
