import { describe, expect, it } from "vitest";
import { dynamicType, KINDS, kindEntry, pluginType } from "../../../src/schemas/kinds";
import { forecastOf } from "../../../src/team/forecast-analyse";
import { windowOf } from "../../../src/team/forecast-runs";
import {
	pipelineFacts,
	pipelineKey,
	scheduleOfTeam,
	schedulesByUrn,
	schedulesOfPreview,
	unknownKindNotes,
} from "../../../src/team/forecast-schedules";
import { secret, stateOf } from "../../helpers/drift-team";

const state = (...types: string[]) =>
	stateOf(
		...types.map((type, index) => ({
			urn: `urn:pulumi:dev::p::${type}::r${index}`,
			type,
			id: "1",
		})),
	);
const previewed = (
	steps: readonly object[],
	before: ReturnType<typeof schedulesByUrn> = new Map(),
) => schedulesOfPreview(JSON.stringify({ steps }), before, "t");

it.each(Object.keys(KINDS))(
	"a %s is in the forecast if its kind says that it is a schedule",
	(kind) => {
		const expected = kindEntry(kind)?.listedIn === "schedules" ? 1 : 0;
		for (const type of [dynamicType(kind), pluginType(kind)]) {
			expect(schedulesByUrn(state(type), "t").size).toBe(expected);
			const steps = [
				{ op: "create", urn: "urn", newState: { type, inputs: {} } },
				{ op: "create", urn: "other", newState: { type, inputs: {} } },
				{ op: "delete", urn: "other" },
			];
			expect(previewed(steps).size).toBe(expected);
		}
		expect(unknownKindNotes(state(dynamicType(kind)))).toEqual([]);
	},
);

it("says which resources it cannot know, because a newer version deployed them", () => {
	const newer = state(...["Alert", "Alert", "Job"].map(dynamicType));
	expect(unknownKindNotes(newer)).toEqual([
		"2 Alert resources left out: this version of pulumi-datachain does not know the kind. Install the version that deployed it.",
	]);
});

describe("a pipeline that one resource declares as paused", () => {
	const urn = (kind: string, name: string) =>
		`urn:pulumi:dev::p::${dynamicType(kind)}::${name}`;
	const resource = (kind: string, name: string, inputs: object) => {
		const type = dynamicType(kind);
		return {
			urn: urn(kind, name),
			type,
			id: "1",
			inputs: { teamName: "t", pipelineName: "p", ...inputs },
		};
	};
	const schedule = (name: string, inputs: object = {}) =>
		resource("PipelineSchedule", name, {
			scheduleName: name,
			cronExpression: "@daily",
			...inputs,
		});
	const deployed = (...resources: object[]) =>
		schedulesByUrn(stateOf(...resources), "t");
	const pauses = (
		schedules: ReadonlyMap<string, { name: string; paused?: boolean | undefined }>,
	) =>
		Object.fromEntries(
			[...schedules.values()].map(({ name, paused }) => [name, paused]),
		);
	const declaredThen = (
		before: ReturnType<typeof deployed>,
		changed: ReturnType<typeof resource>,
		op = "update",
	) => pauses(previewed([{ op, urn: changed.urn, newState: changed }], before));

	it.each([
		["its settings", resource("PipelineSettings", "s", { paused: true })],
		["another schedule", schedule("s", { paused: true })],
	])("is not run by any of its schedules, if it is %s", (_, declaring) => {
		const other = schedule("other", { pipelineName: "q" });
		expect(pauses(deployed(schedule("a"), other, declaring))).toMatchObject({
			a: true,
			other: undefined,
		});
		const before = deployed(schedule("a"), other);
		expect(declaredThen(before, declaring, "create")).toMatchObject({
			a: true,
			other: undefined,
		});
	});

	it("is run again once the program says so, and stays as it is if the program no longer says", () => {
		const settings = (more: object) => resource("PipelineSettings", "s", more);
		const before = deployed(schedule("a"), settings({ paused: true }));
		expect(declaredThen(before, settings({ paused: false }))).toEqual({ a: false });
		expect(declaredThen(before, settings({ workers: 2 }))).toEqual({ a: true });
	});
});

it("a live schedule knows whether its pipeline is paused, also if the list of pipelines does not show it", () => {
	const live = (id: number, status?: string) => ({
		id,
		pipeline: { pipeline_id: "1", name: "p", status },
	});
	const schedules = [live(1, "PAUSED"), live(2, "COMPLETED"), live(3)].map((one) =>
		scheduleOfTeam("t", one),
	);
	expect(schedules.map(({ paused }) => paused)).toEqual([true, false, undefined]);
	const facts = pipelineFacts("t", schedules, [], []).get(pipelineKey("t", "p"));
	const [first] = schedules;
	if (first === undefined) throw new Error("three were made");
	expect(
		forecastOf({ ...first, cron: "@daily" }, facts?.paused, windowOf(0, 7)).status,
	).toBe("paused");
});

describe("what the program keeps secret, or only the deployment knows", () => {
	const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
	const type = dynamicType("PipelineSchedule");
	const urn = `urn:pulumi:dev::p::${type}::nightly`;
	const plain = {
		scheduleName: "n",
		pipelineName: "p",
		teamName: "t",
		startAfter: "2030-01-31T03:00:00Z",
	};

	const deployed = (hidden: keyof typeof plain, more = {}) => {
		const inputs = { ...plain, ...more, [hidden]: secret(plain[hidden]) };
		return schedulesByUrn(stateOf({ urn, type, id: "1", inputs }), "default").get(urn);
	};
	const declared = (inputs: object) =>
		previewed([
			{ op: "create", urn, newState: { type, inputs: { ...plain, ...inputs } } },
		]).get(urn);

	it.each([
		["a secret start time", deployed("startAfter"), "its start time is a secret"],
		[
			"one beside a cron",
			deployed("startAfter", { cronExpression: "@daily" }),
			"its start time is a secret",
		],
		[
			"one in a preview",
			declared({ startAfter: "[secret]" }),
			"its start time is a secret",
		],
		[
			"a later one",
			declared({ startAfter: UNKNOWN }),
			"its start time is known only during the deployment",
		],
		[
			"a secret cron",
			declared({ cronExpression: "[secret]" }),
			"its cron expression is a secret",
		],
	])("is not taken for none: %s", (_, schedule, hidden) => {
		expect(schedule?.hidden).toBe(hidden);
		expect(schedule?.cron ?? "@daily").toBe("@daily");
	});

	it("a pipeline that the deployment will create is not shown as the engine spells it", () => {
		expect(declared({ pipelineName: UNKNOWN })).toMatchObject({
			pipeline: "(not known yet)",
			hidden: undefined,
		});
		expect(deployed("pipelineName")?.pipeline).toBe("(secret)");
	});

	it("a schedule with a secret name goes by the name of its resource", () => {
		expect(deployed("scheduleName")?.name).toBe("nightly");
		expect(declared({ scheduleName: UNKNOWN })?.name).toBe("nightly");
	});
});
