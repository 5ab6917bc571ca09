import { beforeEach, describe, expect, it } from "vitest";
import type { Props } from "../../src/provider/handler";
import { UNKNOWN } from "../../src/provider/shared/unknown";
import { Stack, schedule, settings } from "../helpers/provider-engine";
import { providerWorld, type World } from "../helpers/provider-harness";

let world: World;
let stack: Stack;
beforeEach(async () => {
	world = await providerWorld();
	stack = new Stack(world);
});

const nightly = (inputs: Props = {}, name = "nightly") =>
	schedule(name, { scheduleName: name, pipelineName: "p1", ...inputs });
const tuned = (inputs: Props) => settings("tuned", { pipelineName: "p1", ...inputs });

describe("a pipeline that two resources declare", () => {
	const opposite = (name: string, how: string, other: string) => [
		`${name}: paused: "${name}" declares pipeline "p1" ${how}, and "${other}" the opposite. A pipeline is paused as a whole, with ` +
			"all its schedules: declare it in one place.",
	];

	it("paused and running is refused, whoever comes first", async () => {
		const [paused, running] = [nightly({ paused: true }), tuned({ paused: false })];
		expect((await stack.preview([paused, running])).failures).toEqual(
			opposite("tuned", "not paused", "nightly"),
		);
		expect((await stack.preview([running, paused])).failures).toEqual(opposite("nightly", "paused", "tuned"));
	});

	it.each<[string, Props]>([
		["that is another one", { pipelineName: "p2", paused: false }],
		["that is not known yet", { pipelineName: UNKNOWN, paused: false }],
		["in a way that is not known yet", { paused: UNKNOWN }],
	])("%s is not refused", async (_, inputs) => {
		expect((await stack.preview([nightly({ paused: true }), tuned(inputs)])).failures).toEqual([]);
	});
});

describe("what a preview says of a pause", () => {
	it.each([
		["paused", true],
		["resumed", false],
	])("is that the pipeline will be %s, and nothing once it is", async (what, paused) => {
		const pause = () => world.colleague[paused ? "resume" : "pause"]("p1");
		pause();
		expect((await stack.preview([tuned({ paused })])).notices).toEqual([
			`Pipeline "p1" in team "ml" will be ${what}: "tuned" declares paused: ${paused}. That holds for all its schedules.`,
		]);
		world.colleague[paused ? "pause" : "resume"]("p1");
		expect((await stack.preview([tuned({ paused })])).notices).toEqual([]);
	});

	it("is nothing of a pipeline that the list does not have", async () => {
		world.fault({ kind: "rewrite", endpoint: "listPipelines", set: { "*.name": "another" } });
		expect(await stack.preview([tuned({ paused: true })])).toMatchObject({ notices: [], failures: [] });
	});

	it("is that a schedule of a paused pipeline never runs it", async () => {
		expect((await stack.preview([nightly()])).notices).toEqual([]);
		world.colleague.pause("p1");
		expect((await stack.preview([nightly()])).notices).toEqual([
			'Pipeline "p1" in team "ml" is paused, so schedule "nightly" never runs it. Declare paused: false on the schedule to ' +
				"resume it, or paused: true where that is meant, unless another resource of this program does.",
		]);
	});

	it("is not that where the schedule or another resource says what is meant", async () => {
		world.colleague.pause("p1");
		expect((await stack.preview([nightly({ paused: true })])).notices).toEqual([]);
		expect((await stack.preview([tuned({ paused: true }), nightly()])).notices).toEqual([]);
	});
});
