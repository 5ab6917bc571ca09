import { describe, expect, it } from "vitest";
import { type Props, UNKNOWN } from "../../src/provider/handler";
import { freshStack, named, pipelineThere, tuned as s, stack, there, world } from "../helpers/provider-scene";

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
	expect((await stack.preview([running, paused])).failures).toEqual(opposite("nightly", "paused", "tuned"));
});

describe("what a preview says of a pause", () => {
	it.each([
		["paused", true],
		["resumed", false],
	])("is that the pipeline will be %s, and nothing once it is", async (what, paused) => {
		const pause = () => world.colleague[paused ? "resume" : "pause"]("p1");
		pause();
		expect((await stack.preview([tuned({ paused })])).notices).toEqual([
			`Pipeline "p1" in team "ml" will be ${what}: "tuned" declares paused as ${paused}. That holds for all its schedules.`,
		]);
		world.colleague[paused ? "pause" : "resume"]("p1");
		expect((await stack.preview([tuned({ paused })])).notices).toEqual([]);
	});

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
		expect((await stack.preview([tuned({ paused: true }), nightly()])).notices).toEqual([]);
	});
});

it.each([{}, { paused: null, startAfter: null }])(
	"whether a pipeline is paused stays as somebody left it where a new schedule says nothing of it: %j",
	async (nothing) => {
		world.colleague.pause("p1");
		expect((await stack.preview([a(nothing)])).notices).toEqual([expect.stringMatching(/never runs it/)]);
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
			'Schedule "a" (id 1) in team "ml" was changed outside Pulumi. The update will restore it: cronExpression is "0 9 * * *" ' +
			'there and "0 3 * * *" here.';
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
