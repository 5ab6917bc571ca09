import { describe, expect, it } from "vitest";
import type { Props } from "../../src/provider/model/props";
import type { FaultRule } from "../../src/server";
import { Stack } from "../helpers/provider-harness";
import { HOLD } from "../helpers/provider-kinds";
import {
	consent,
	freshStack,
	job,
	jobs,
	leave,
	named,
	pipeline,
	pipelineThere,
	placed,
	stack,
	there,
	theySet,
	tuned,
	world,
} from "../helpers/provider-scene";
import type { Host } from "../model/stack";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const HOSTS: readonly Host[] = ["dynamic", "plugin"];
const S3 = { storage: { s3: { key: "k", secret: "s" } } };

freshStack();

/** A stack whose resources the host serves. */
const stackOf = (host: Host) => new Stack(world, "dev", host);
const variables = (name = "p1") => pipelineThere(name).settings.environment;
const variable = (name: string, value: string, pipelineName = "p1") =>
	world.colleague.setVariable(pipelineName, name, value);
/** What every read of a pipeline shows. */
const shown = (
	change: Pick<Extract<FaultRule, { kind: "rewrite" }>, "set" | "remove" | "mask">,
) => {
	const each = (paths: object = {}) =>
		Object.fromEntries(
			Object.entries(paths).map(([path, value]) => [`*.${path}`, value]),
		);
	const { set, remove, mask } = change;
	const listed = {
		set: each(set),
		mask: each(mask) as typeof mask,
		remove: remove?.map((path) => `*.${path}`),
	};
	world.fault({ kind: "rewrite", endpoint: "listPipelines", ...listed });
	world.fault({ kind: "rewrite", endpoint: "pipelineStatus", ...change });
};

/** Rows of a program's list: each resource has the name of its place, and each schedule a pipeline and a cron of its own. */
const rows = (letters: string, chained = false) =>
	[...letters].map((letter, at) => {
		const place = "abc".indexOf(letter) + 1;
		const values = { pipelineName: `p${place}`, cronExpression: `0 ${place} * * *` };
		return named(
			`s${at}`,
			letter,
			values,
			chained && at > 0 ? { dependsOn: [`s${at - 1}`] } : {},
		);
	});
const placesOf = (letters: string) =>
	[...letters].map((letter) => `${letter} on p${"abc".indexOf(letter) + 1}`).sort();
const distinct = (of: Stack) =>
	new Set(of.entries.map(({ id }) => id)).size === of.entries.length;

describe.each(HOSTS)("schedules, %s host", (host) => {
	it("a refresh releases no schedule that stays: its name is refused, and the reason names aliases", async () => {
		const own = stackOf(host);
		expect((await own.up([named("A", "a", {}, { protect: true })])).failures).toEqual(
			[],
		);
		const { failures } = await own.up([named("B", "a")], { refresh: true });
		expect(failures).toEqual([
			expect.stringMatching(/^B: A schedule named "a" already exists.* in aliases\./),
		]);
		expect(placed()).toEqual(["a on p1"]);
		expect((await own.up([named("B", "a", {}, { aliases: ["A"] })])).failures).toEqual(
			[],
		);
	});

	it("a delete that a replacement begins with fails itself, and leaves the schedule in the state", async () => {
		const own = stackOf(host);
		await own.up([named("A", "a")]);
		const { id } = own.entry("A");
		world.fault({ kind: "status", status: 403, endpoint: "deleteSchedule", times: 1 });
		const changed = named("A", "a", { cronExpression: "0 4 * * *" });
		const first = await own.up([{ ...changed, replace: "against the diff" }]);
		expect(first.failures).toEqual([expect.stringMatching(/^A: .*403/)]);
		expect(own.entries).toMatchObject([{ id }]);
		expect((await own.up([changed])).failures).toEqual([]);
		expect(placed()).toEqual(["a on p1"]);
	});

	it.each([
		["is refused", 403],
		["fails", 500],
	] as const)(
		"a replacement whose delete %s keeps track of the old schedule, which the next deployment deletes",
		async (_, status) => {
			const own = stackOf(host);
			// Only the plugin tells the engine which inputs have changed; in the dynamic host the pipeline's change replaces.
			const pipelineName = host === "plugin" ? "p1" : "p2";
			const onCron = { replaceOnChanges: ["cronExpression"] };
			await own.up([named("A", "a", {}, onCron)]);
			const heal = world.fault({ kind: "status", status, endpoint: "deleteSchedule" });
			const changed = named(
				"A",
				"a",
				{ pipelineName, cronExpression: "0 4 * * *" },
				onCron,
			);
			expect((await own.up([changed])).failures).toEqual([
				expect.stringMatching(new RegExp(`^A: .*${status}`)),
			]);
			expect(placed()).toEqual(["a on p1", `a on ${pipelineName}`]);
			expect(own.entries).toHaveLength(2);
			heal();
			world.writes();
			expect((await own.up([changed])).failures).toEqual([]);
			expect(world.writes()).toEqual(["deleteSchedule"]);
			expect(there()).toMatchObject([{ cronExpression: "0 4 * * *" }]);
		},
	);

	it.each([
		["down", "2026-01-01T00:00:00Z"],
		["up", "2026-01-01T00:00:01Z"],
	])(
		"a schedule is the same one where a list rounds its creation to the second, %s",
		async (_, at) => {
			const own = stackOf(host);
			world.server.clock.advance(789);
			await own.up([named("A", "a")]);
			world.fault({
				kind: "rewrite",
				endpoint: "listSchedules",
				set: { "*.created_at": at },
			});
			expect((await own.refresh()).steps).toEqual(["read A"]);
			expect(
				(await own.up([named("A", "a", { cronExpression: "0 4 * * *" })])).failures,
			).toEqual([]);
			expect(
				(await own.up([named("A", "a", { pipelineName: "p2" })])).failures,
			).toEqual([]);
			expect((await own.destroy()).failures).toEqual([]);
			expect(there()).toEqual([]);
		},
	);

	it("a replacement may get the id that the deployment has deleted", async () => {
		const own = stackOf(host);
		await own.up([named("A", "a")]);
		world.server.clock.advance(MINUTE);
		world.fault({ kind: "reused-ids" });
		const moved = {
			...named("A", "a", { pipelineName: "p2" }),
			deleteBeforeReplace: true,
		};
		expect((await own.up([moved])).failures).toEqual([]);
		expect(placed()).toEqual(["a on p2"]);
		expect(own.ids()).toEqual({ A: "1" });
	});

	it("an id that somebody else's schedule has now is left alone, and the reason says how the state forgets it", async () => {
		const own = stackOf(host);
		await own.up([named("A", "a")]);
		world.server.clock.advance(MINUTE);
		world.colleague.deleteSchedule(1);
		world.fault({ kind: "reused-ids" });
		const other = {
			team_name: "ml",
			schedule_name: "x",
			pipeline_name: "p3",
			cron_expression: "0 5 * * *",
		};
		expect(
			(await world.process().context.client.schedules.create(other)).schedule?.id,
		).toBe(1);
		world.writes();
		const changed = named("A", "a", { cronExpression: "0 4 * * *" });
		for (const { failures } of [await own.up([changed]), await own.destroy()])
			expect(failures).toEqual([
				expect.stringContaining(
					'remove the resource from the state with "pulumi state delete <urn>"',
				),
			]);
		expect(world.writes()).toEqual([]);
		expect(placed()).toEqual(["x on p3"]);
	});

	it("an id that two resources have is one's after the next deployment, and the other gets its own", async () => {
		const own = stackOf(host);
		await own.up([named("A", "a")]);
		// A run with --exclude A that consents: B adopts what A has, and nobody has told of A.
		const part = stackOf(host);
		expect((await part.up([named("B", "a")], { adoptEqual: true })).failures).toEqual(
			[],
		);
		own.entries.push(...part.entries);
		const { failures, notices } = await own.up([named("A", "b"), named("B", "a")]);
		expect(failures).toEqual([]);
		expect(distinct(own)).toBe(true);
		expect(notices.join()).toMatch(
			/Schedule "a" \(id 1\) in team "ml" belongs to resource "A" in this deployment/,
		);
		expect(placed()).toEqual(["a on p1", "b on p1"]);
	});

	it.each([
		["exchange their places", "ab", "ba", {}],
		["exchange their places, in a run that consents", "ab", "ba", { adoptEqual: true }],
		["go round", "abc", "bca", {}],
		["make place for one in front", "bc", "abc", {}],
	])(
		"rows that %s need one deployment with one worker",
		async (_, before, after, consents) => {
			const own = stackOf(host);
			await own.up(rows(before));
			expect(
				(await own.up(rows(after), { parallel: 1, ...consents })).failures,
			).toEqual([]);
			expect(distinct(own)).toBe(true);
			expect(placed()).toEqual(placesOf(after));
		},
	);

	it.each([
		["move up by one place", "abc", "bc"],
		["exchange their places", "abc", "bac"],
	])(
		"rows that %s, none of which is known before its turn, are refused, and one run that consents finishes",
		async (_, before, after) => {
			const own = stackOf(host);
			await own.up(rows(before, true));
			const { failures } = await own.up(rows(after, true), { parallel: 1 });
			expect(failures).toEqual([expect.stringContaining("already exists in team")]);
			expect(distinct(own)).toBe(true);
			expect(
				(await own.up(rows(after, true), { parallel: 1, adoptEqual: true })).failures,
			).toEqual([]);
			expect(distinct(own)).toBe(true);
			expect(placed()).toEqual(placesOf(after));
			expect((await own.up(rows(after, true))).steps).toEqual(
				[...after].map((__, at) => `same s${at}`),
			);
		},
	);
});

describe("a reply about another pipeline than the one that was asked for", () => {
	const aboutP2 = (): void =>
		void world.fault({
			kind: "misread",
			endpoint: "pipelineStatus",
			set: { name: "p2", pipeline_name: "p2" },
		});

	it("brings none of its variables into ours", async () => {
		variable("TOKEN", "secret-of-theirs", "p2");
		aboutP2();
		await stack.up([tuned({ environment: { A: "1" } })]);
		expect(variables()).toEqual({ A: "1" });
		await stack.up([tuned({ environment: { A: "2" } })]);
		expect(variables()).toEqual({ A: "2" });
	});

	it("does not make settings and a pause of ours as declared", async () => {
		theySet({ workers: 7 }, "p2");
		world.colleague.pause("p2");
		aboutP2();
		expect(
			(await stack.up([tuned({ workers: 7, paused: true, adopt: true })])).failures,
		).toEqual([]);
		expect(pipelineThere()).toMatchObject({ paused: true, settings: { workers: 7 } });
	});
});

describe("what a reply leaves out", () => {
	const without = (field: string) => shown({ remove: [field] });

	it("is not empty: no variable is written where a reply has no variables", async () => {
		variable("THEIRS", "1");
		without("environment_variables");
		const { failures } = await stack.up([tuned({ ...S3 })]);
		expect(failures).toEqual([
			expect.stringContaining("does not return the variables of pipeline"),
		]);
		expect(variables()).toEqual({ THEIRS: "1" });
	});

	it("is not removed by a destroy that resets", async () => {
		variable("THEIRS", "1");
		expect(
			(await stack.up([tuned({ ...S3, onDestroy: "reset", adopt: true })])).failures,
		).toEqual([]);
		without("environment_variables");
		await stack.destroy();
		expect(variables()).toMatchObject({ THEIRS: "1" });
	});

	it("is not overwritten without consent", async () => {
		theySet({ requirements: "theirs" });
		without("requirements");
		const { failures } = await stack.up([tuned({ requirements: ["ours"] })]);
		expect(failures).toEqual([
			expect.stringContaining("already has settings that this program does not manage"),
		]);
		expect(pipelineThere().settings.requirements).toBe("theirs");
	});

	it("is empty where the reply says so", async () => {
		shown({ set: { environment_variables: null, requirements: null } });
		await stack.up([tuned({ requirements: ["ours"], environment: { A: "1" } })]);
		expect(pipelineThere().settings.requirements).toBe("ours");
		expect(variables()).toEqual({ A: "1" });
	});
});

it.each<[string, object]>([
	["begins", { mask: { "environment_variables.TOKEN": "head" } }],
	["ends", { mask: { "environment_variables.TOKEN": "tail" } }],
	...["**********lue", "pre***", "pr…"].map((value): [string, object] => [
		`looks like ${value}`,
		{ set: { "environment_variables.TOKEN": value } },
	]),
])(
	"a variable of others whose mask %s as its value is not written back",
	async (_, change) => {
		variable("TOKEN", "secret-value");
		shown(change);
		const { failures } = await stack.up([
			tuned({ environment: { A: "1" }, adopt: true }),
		]);
		expect(failures).toEqual([
			expect.stringMatching(/cannot send back unchanged: .*"TOKEN" as a mask/),
		]);
		expect(variables()).toEqual({ TOKEN: "secret-value" });
	},
);

describe("a pipeline that was deleted and made again under its name", () => {
	const ours = (inputs: Props = {}) => [
		tuned({ workers: 2, onDestroy: "reset", ...inputs }),
	];
	const remade = async () => {
		expect((await stack.up(ours())).failures).toEqual([]);
		world.colleague.remakePipeline("p1");
		theySet({ workers: 7 });
		world.writes();
	};

	it("is left alone when the settings are destroyed", async () => {
		await remade();
		await stack.destroy();
		expect(world.writes()).toEqual([]);
		expect(pipelineThere().settings.workers).toBe(7);
	});

	it("is left alone when they change, and the reason says what happened", async () => {
		await remade();
		const says = expect.stringContaining(
			"was deleted, and a new pipeline has its name (id ",
		);
		const { failures } = await stack.up(ours({ workers: 3 }));
		expect(failures).toEqual([says]);
		expect(world.writes()).toEqual([]);
	});
});

describe("a job", () => {
	it.each([
		["was cancelled", HOLD],
		["failed", "raise SystemExit(3)"],
	])("that %s is not adopted as a success", async (_, query) => {
		const declared = job({ query });
		const { id } = await leave(declared);
		if (query === HOLD)
			await world.process().context.client.jobs.cancel({ job_id: id });
		await world.time.sleep(5 * MINUTE);
		expect(jobs()).toMatchObject([
			{ status: expect.stringMatching(/^(CANCEL|FAILED)/) },
		]);
		world.writes();
		expect(await consent(declared)).toMatchObject({
			writes: ["createJob"],
			notices: [],
		});
	});

	it.each<[string, Props]>([
		["a job", { query: HOLD }],
		["a task", { query: "print(1)", cronExpression: "0 * * * *" }],
	])("that the list does not show is cancelled by a destroy: %s", async (_, inputs) => {
		await stack.up([job(inputs)]);
		await world.time.sleep(2 * MINUTE);
		world.fault({
			kind: "capped-list",
			limit: 0,
			which: "newest",
			endpoint: "listJobs",
		});
		world.writes();
		expect((await stack.destroy()).failures).toEqual([]);
		expect(world.writes()).toEqual(["cancelJob"]);
		expect(jobs().map(({ status }) => status)).toEqual([
			expect.stringMatching(/^CANCEL/),
		]);
	});
});

describe("a service whose clock is two hours behind ours", () => {
	const behind = (): void =>
		void Object.assign(world.time, { now: () => world.server.clock.now() + 2 * HOUR });

	it("does not repeat a finished job that a killed deployment left", async () => {
		behind();
		const { id } = await leave(job({}));
		await world.time.sleep(MINUTE);
		expect(await consent(job({}))).toMatchObject({ id, writes: [] });
	});

	it("does not repeat a pipeline that a killed deployment left", async () => {
		behind();
		const { id } = await leave(pipeline({}));
		await world.time.sleep(MINUTE);
		expect((await consent(pipeline({}))).id).toBe(id);
	});
});

describe("a service whose writes replace instead of merge", () => {
	it("is found out by what it clears of others, and the failure names that", async () => {
		theySet({
			requirements: "theirs",
			repository: "https://example.com/theirs.git",
			environment: "THEIRS=1",
		});
		const cleared = { requirements: "", repository: "", environment: "" };
		world.fault({ kind: "misread", endpoint: "updateSettings", set: cleared });
		const { failures } = await stack.up([tuned({ workers: 2 })]);
		expect(failures).toEqual([
			expect.stringContaining(
				"requirements, which the program does not declare, was cleared; repository, which the program does not declare, was cleared; " +
					"the variable THEIRS of other users was changed or removed",
			),
		]);
	});

	it("is found out by the start time that it clears", async () => {
		await stack.up([named("A", "a")]);
		world.colleague.updateSchedule({
			schedule_id: 1,
			start_after: "2030-01-01T00:00:00Z",
		});
		world.fault({
			kind: "rewrite",
			endpoint: "getSchedule",
			set: { start_after: null },
			skip: 0,
		});
		const { failures } = await stack.up([
			named("A", "a", { cronExpression: "0 4 * * *" }),
		]);
		expect(failures).toEqual([
			expect.stringContaining(
				"startAfter, which the program does not declare, was cleared (it was 2030-01-01T00:00:00Z)",
			),
		]);
	});

	it("gets every declared field, also where an update needs name and cron", async () => {
		await stack.up([named("A", "a")]);
		world.fault({
			kind: "required",
			endpoint: "updateSchedule",
			fields: ["schedule_name", "cron_expression"],
		});
		expect((await stack.up([named("A", "b")])).failures).toEqual([]);
		expect(
			(await stack.up([named("A", "b", { cronExpression: "0 4 * * *" })])).failures,
		).toEqual([]);
		expect(
			(await stack.up([named("A", "b", { cronExpression: "0 4 * * *", paused: true })]))
				.failures,
		).toEqual([]);
		expect(there()).toMatchObject([{ name: "b", cronExpression: "0 4 * * *" }]);
		expect(pipelineThere().paused).toBe(true);
	});
});
