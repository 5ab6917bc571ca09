import { describe, expect, it } from "vitest";
import { type Props, UNKNOWN } from "../../src/provider/model/props";
import { Stack } from "../helpers/provider-harness";
import {
	freshStack,
	named,
	pipelineThere,
	tuned as s,
	stack,
	theirs,
	there,
	theySet,
	world,
} from "../helpers/provider-scene";
import type { Program } from "../model/stack";

freshStack();

const a = (inputs: Props = {}) => named("a", "a", inputs);
const nightly = (inputs: Props = {}) => named("nightly", "nightly", inputs);
const tuned = (inputs: Props) => s(inputs, "tuned");

const opposite = (name: string, how: string, other: string) => [
	`${name}: paused: "${name}" declares pipeline "p1" ${how}, and "${other}" the opposite. A pipeline is paused as a whole, with ` +
		"all its schedules: declare it in one place.",
];

it("a pipeline that two resources declare paused and running is refused, whoever comes first", async () => {
	const [paused, running] = [nightly({ paused: true }), tuned({ paused: false })];
	expect((await stack.preview([paused, running])).failures).toEqual(
		opposite("tuned", "not paused", "nightly"),
	);
	expect((await stack.preview([running, paused])).failures).toEqual(
		opposite("nightly", "paused", "tuned"),
	);
});

describe("what a preview says of a pause", () => {
	it.each([
		["paused", true],
		["resumed", false],
	])(
		"is that the pipeline will be %s, and nothing once it is",
		async (what, paused) => {
			const pause = () => world.colleague[paused ? "resume" : "pause"]("p1");
			pause();
			expect((await stack.preview([tuned({ paused })])).notices).toEqual([
				`Pipeline "p1" in team "ml" will be ${what}: "tuned" declares paused as ${paused}. That holds for all its schedules.`,
			]);
			world.colleague[paused ? "pause" : "resume"]("p1");
			expect((await stack.preview([tuned({ paused })])).notices).toEqual([]);
		},
	);

	it("is that a schedule of a paused pipeline never runs it", async () => {
		expect((await stack.preview([nightly()])).notices).toEqual([]);
		world.colleague.pause("p1");
		expect((await stack.preview([nightly()])).notices).toEqual([
			'Pipeline "p1" in team "ml" is paused, so schedule "nightly" never runs it. Set paused to false on the schedule to ' +
				"resume it, or to true if it is meant to be paused, unless another resource of this program sets it.",
		]);
	});

	it("is not that by a list that lags behind alone", async () => {
		world.colleague.pause("p1");
		world.fault({ kind: "stale-list", ms: 60_000, endpoint: "listPipelines" });
		world.colleague.resume("p1");
		expect((await stack.preview([nightly()])).notices).toEqual([]);
	});

	it("is not that where the schedule or another resource says what is meant", async () => {
		world.colleague.pause("p1");
		expect((await stack.preview([nightly({ paused: true })])).notices).toEqual([]);
		expect((await stack.preview([tuned({ paused: true }), nightly()])).notices).toEqual(
			[],
		);
	});
});

it.each([{}, { paused: null, startAfter: null }])(
	"whether a pipeline is paused stays as somebody left it where a new schedule says nothing of it: %j",
	async (nothing) => {
		world.colleague.pause("p1");
		expect((await stack.preview([a(nothing)])).notices).toEqual([
			expect.stringMatching(/never runs it/),
		]);
		expect((await stack.up([a(nothing)])).failures).toEqual([]);
		expect(world.writes()).toEqual(["createSchedule"]);
		expect((await stack.up([a()])).steps).toEqual(["same a"]);
		expect((await stack.up([a({ cronExpression: "0 4 * * *" })])).failures).toEqual([]);
		expect(pipelineThere().paused).toBe(true);
	},
);

it("a schedule that already ran once stays deployable", async () => {
	const once = [a({ cronExpression: undefined, startAfter: "2026-01-02T00:00:00Z" })];
	await stack.up(once);
	world.server.clock.advance(7 * 86_400_000);
	expect((await stack.up(once)).steps).toEqual(["same a"]);
});

describe("an update of a schedule that another user changed", () => {
	const changed = async (inputs: Props) => {
		await stack.up([a()]);
		world.colleague.updateSchedule({ schedule_id: 1, cron_expression: "0 9 * * *" });
		return [a(inputs)];
	};

	it("is previewed with every field that it restores", async () => {
		const next = await changed({ scheduleName: "b" });
		const restores =
			'Schedule "a" (id 1) in team "ml" was changed outside Pulumi. The update will restore it: cronExpression is "0 9 * * *" on ' +
			'the service and "0 3 * * *" in the program.';
		expect((await stack.preview(next)).notices).toEqual([restores]);
		expect(await stack.up(next)).toMatchObject({ failures: [], notices: [restores] });
		expect(there()).toMatchObject([{ name: "b", cronExpression: "0 3 * * *" }]);
		expect((await stack.preview(next)).notices).toEqual([]);
	});

	it("is not said to restore a field that the program changes, or that is not known yet", async () => {
		const next = await changed({ scheduleName: "b", cronExpression: "0 4 * * *" });
		expect((await stack.preview(next)).notices).toEqual([]);
		const unknown = [a({ scheduleName: "b", cronExpression: UNKNOWN })];
		expect((await stack.preview(unknown)).notices).toEqual([]);
	});

	it("fails with the reason of the update if the list cannot be read", async () => {
		const next = await changed({ paused: false });
		world.fault({ kind: "status", endpoint: "listSchedules", status: 403 });
		expect((await stack.preview(next)).failures).toEqual([]);
	});
});

describe("the preview of a name or of settings that are certainly taken", () => {
	const later = { cronExpression: "0 9 * * *" };
	const onPlugin = () => new Stack(world, "dev", "plugin");
	/** What a preview refuses, and the deployment after it. */
	const refusals = async (own: Stack, program: Program) => {
		const preview = await own.preview(program);
		world.writes();
		return {
			preview: preview.failures,
			notices: preview.notices,
			up: (await own.up(program)).failures,
		};
	};

	it("fails in the words of the deployment, if the plugin serves the resource", async () => {
		theirs("a", { cron_expression: "0 5 * * *" });
		const own = onPlugin();
		const { preview, notices, up } = await refusals(own, [a()]);
		expect(preview).toEqual([
			expect.stringMatching(/^a: A schedule named "a" already exists .* It differs: /),
		]);
		expect(preview).toEqual(up);
		expect(notices).toEqual([]);
		expect(world.writes()).toEqual([]);
	});

	it("warns in the dynamic host, which is not asked for a step", async () => {
		theirs("a", { cron_expression: "0 5 * * *" });
		const { failures, notices } = await stack.preview([a()]);
		expect(failures).toEqual([]);
		expect(notices).toEqual([
			expect.stringMatching(/^"a": the name "a" is in use in team "ml"/),
		]);
	});

	it("fails for a rename, and for settings that somebody else has set", async () => {
		const own = onPlugin();
		await own.up([a()]);
		theirs("b");
		theySet({ workers: 7 });
		const renamed = await refusals(own, [a({ scheduleName: "b" })]);
		expect(renamed.preview).toEqual([
			expect.stringMatching(/^a: Another schedule named "b" already exists/),
		]);
		expect(renamed.preview).toEqual(renamed.up);
		const set = await refusals(own, [a(), tuned({ workers: 2 })]);
		expect(set.preview).toEqual([
			expect.stringMatching(
				/^tuned: Pipeline "p1" in team "ml" already has settings that this program does not manage/,
			),
		]);
		expect(set.preview).toEqual(set.up);
	});

	it("fails for the name of a resource that was renamed without an alias", async () => {
		const own = onPlugin();
		await own.up([a()]);
		const { preview, up } = await refusals(own, [named("renamed", "a", later)]);
		expect(preview).toEqual([
			expect.stringMatching(/^renamed: .* declare its earlier name in aliases\./),
		]);
		expect(preview).toEqual(up);
	});

	it("passes where a resource that comes later leaves the name or the pipeline", async () => {
		const own = onPlugin();
		const before = [a(), tuned({ workers: 7 })];
		expect((await own.up(before)).failures).toEqual([]);
		const after = [
			named("first", "a", later),
			s({ workers: 2 }, "other"),
			a({ scheduleName: "b" }),
			tuned({ workers: 7, pipelineName: "p2" }),
		];
		const preview = await own.preview(after);
		expect(preview.failures).toEqual([]);
		expect(preview.notices.join()).not.toContain("in use");
		expect((await own.up(after)).failures).toEqual([]);
	});

	it("warns of an equal schedule, which may be the resource's own, and of one that the state has", async () => {
		const own = onPlugin();
		await own.up([named("gone", "b")]);
		theirs("a");
		const inUse = expect.stringMatching(/is in use in team "ml"/);
		expect(await own.preview([a()])).toMatchObject({ failures: [], notices: [inUse] });
		const moved = [named("other", "b", later)];
		expect(await own.preview(moved, { refresh: true })).toMatchObject({
			failures: [],
			notices: [inUse],
		});
	});

	it("fails for an adoption that is not possible, and passes for one that is", async () => {
		theirs("a", { pipeline_name: "p2" });
		const own = onPlugin();
		const { preview, up } = await refusals(own, [a({ adopt: true })]);
		expect(preview).toEqual([
			expect.stringMatching(/^a: .* runs pipeline "p2", not "p1"/),
		]);
		expect(preview).toEqual(up);
		expect(
			(await own.preview([a({ adopt: true, pipelineName: "p2" })])).failures,
		).toEqual([]);
	});
});
