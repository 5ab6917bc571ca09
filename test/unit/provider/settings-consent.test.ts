import { describe, expect, it } from "vitest";
import {
	consentProblem,
	consentProblemOfCreate,
	describeSetting,
	describeWrite,
	namesIn,
	takenSettings,
} from "../../../src/provider/kinds/settings/consent";
import { FOREIGN_VALUE } from "../../../src/provider/model/foreign-values";
import type { Props } from "../../../src/provider/model/props";
import type { Call } from "../../../src/provider/run/context";
import { DeployedResources } from "../../../src/provider/run/deployed";
import type { Pipeline } from "../../../src/schemas/wire/pipeline";
import { livePipeline } from "../../helpers/export-teams";

const pipeline = (fields: Partial<Pipeline> = {}) =>
	livePipeline("images", { ...UNSET, environment_variables: {}, ...fields });
const UNSET = {
	python_version: null,
	requirements: null,
	repository: null,
	workers: null,
	priority: null,
};
const PLACE = { teamName: "ml", pipelineName: "images" };
const S3 = { storage: { s3: { key: "k" } } };
const FSSPEC_S3 = '{"key":"k"}';
const NO_SECRETS = { secrets: [], secretsBefore: [] };

/** A deployment whose state has these settings of other resources. */
const deployment = (states: readonly Props[] = [], more: Partial<Call> = {}): Call => {
	const deployed = new DeployedResources();
	for (const [at, inputs] of states.entries())
		deployed.note(`urn ${at}`, { inputs: { ...PLACE, ...inputs } });
	return {
		...NO_SECRETS,
		urn: "urn me",
		deployed,
		adoptEqual: false,
		...more,
	} as unknown as Call;
};

describe("what is taken from others", () => {
	const taken = (
		declared: Props,
		live: Pipeline,
		olds: Props = {},
		states: readonly Props[] = [],
	) =>
		takenSettings(deployment(states), { ...PLACE, ...declared }, olds, live).map(
			({ key, equal, names }) =>
				[key, ...(names ?? []), ...(equal ? ["(equal)"] : [])].join(" "),
		);

	it("is what somebody chose, and not what is unset or the default", () => {
		const declared = {
			pythonVersion: "3.12",
			workers: 4,
			priority: 1,
			repository: "r",
			environment: { A: "1" },
			...S3,
		};
		expect(taken(declared, pipeline())).toEqual([]);
		expect(
			taken(
				declared,
				pipeline({ priority: 5, workers: 1, python_version: "", repository: "" }),
			),
		).toEqual([]);
		const theirs = { priority: 2, python_version: "3.12", workers: 2, repository: "x" };
		const variables = { A: "2", FSSPEC_S3: "{}" };
		expect(
			taken(declared, pipeline({ ...theirs, environment_variables: variables })),
		).toEqual([
			...[
				"pythonVersion (equal)",
				"repository",
				"workers",
				"priority",
				"environment A",
				"storage FSSPEC_S3",
			],
		]);
	});

	it("is no variable that is not declared, and none that is null", () => {
		const live = pipeline({
			environment_variables: { THEIRS: "x", A: null, FSSPEC_S3: null },
		});
		expect(taken({ environment: { A: "1" }, ...S3 }, live)).toEqual([]);
	});

	it("is no variable that is called like what every object has", () => {
		expect(
			taken({ environment: { constructor: "1", toString: "2" } }, pipeline()),
		).toEqual([]);
	});

	it("is equal if every value is", () => {
		const live = pipeline({ environment_variables: { B: "2", A: "1", FSSPEC_S3 } });
		expect(taken({ environment: { B: "2", A: "1" }, ...S3 }, live)).toEqual([
			"environment A B (equal)",
			"storage FSSPEC_S3 (equal)",
		]);
		expect(taken({ environment: { B: "3", A: "1" } }, live)).toEqual([
			"environment A B",
		]);
	});

	it("is not equal if the service shows a mask, of which nobody knows what it stands for", () => {
		const live = pipeline({
			environment_variables: { A: "1***", FSSPEC_S3: "***" },
			requirements: "***",
		});
		expect(taken({ environment: { A: "1" }, requirements: "a", ...S3 }, live)).toEqual([
			"requirements",
			"environment A",
			"storage FSSPEC_S3",
		]);
	});

	it("is what the service leaves out, of which it shows others", () => {
		expect(taken({ workers: 2 }, pipeline({ workers: undefined }))).toEqual([
			"workers",
		]);
	});

	it("is nothing that the state has for the resource, whatever its value is now", () => {
		const live = pipeline({
			python_version: "3.9",
			environment_variables: { A: "1", B: "2", FSSPEC_S3 },
		});
		const declared = { pythonVersion: "3.12", environment: { A: "2", B: "3" }, ...S3 };
		expect(
			taken(declared, live, { pythonVersion: "3.11", environment: { A: "0" } }),
		).toEqual(["environment B", "storage FSSPEC_S3 (equal)"]);
		expect(
			taken(declared, live, {
				environment: { FSSPEC_S3: "{}", B: "" },
				pythonVersion: "",
			}),
		).toEqual(["environment A"]);
	});

	it("is nothing that another resource of this deployment has had on the pipeline", () => {
		const live = pipeline({
			python_version: "3.9",
			workers: 2,
			environment_variables: { A: "1" },
		});
		const declared = { pythonVersion: "3.12", workers: 3, environment: { A: "2" } };
		const state = {
			pipelineId: live.pipeline_id,
			pythonVersion: "3.8",
			environment: { A: "0" },
		};
		expect(taken(declared, live, {}, [state])).toEqual(["workers"]);
	});

	it("is what the state had on a pipeline that is gone, although the new one has its name", () => {
		const live = pipeline({ workers: 2, environment_variables: { A: "1" } });
		const state = { pipelineId: "another", workers: 2, environment: { A: "1" } };
		const declared = { workers: 3, environment: { A: "2" } };
		expect(taken(declared, live, { ...state })).toEqual(["workers", "environment A"]);
		expect(taken(declared, live, {}, [state])).toEqual(["workers", "environment A"]);
	});

	it("is what another resource declares by a state without the pipeline's id, unless the value is the declared one", () => {
		const live = pipeline({
			workers: 2,
			priority: 1,
			environment_variables: { A: "1", B: "1" },
		});
		const declared = { workers: 3, priority: 2, environment: { A: "2", B: "2" } };
		const state = { workers: 2, priority: 4, environment: { A: "1", B: "0" } };
		expect(taken(declared, live, {}, [state])).toEqual(["priority", "environment B"]);
	});

	it("is no pause, no setting that the service never shows, and no placeholder", () => {
		const live = pipeline({ status: "RUNNING", repository: "theirs" });
		expect(
			taken({ paused: true, files: ["7"], repository: FOREIGN_VALUE }, live),
		).toEqual([]);
	});
});

describe("the consent to take settings over", () => {
	const live = pipeline({ workers: 2, priority: 1, environment_variables: { A: "1" } });
	const problemOf = (inputs: Props, more: Partial<Call> = {}) =>
		consentProblem(deployment([], more), { ...PLACE, ...inputs }, {}, live);

	it("is missing: the message names the settings, with values that cannot be secret, and what to do", () => {
		expect(problemOf({ workers: 3, priority: 1, environment: { A: "2" } })).toBe(
			'Pipeline "images" in team "ml" already has settings that this program does not manage: workers is 2 on the service and 3 in the program; ' +
				"priority (the same value); environment (A). They were not changed. If a resource of this stack that you renamed or moved manages " +
				"it, declare its earlier name in aliases. To manage them, set adopt to true. Otherwise leave these inputs out. If an interrupted " +
				'deployment created them, run "DATACHAIN_ADOPT_EQUAL=true pulumi up" once. It adopts an equal object, or creates one if there is none.',
		);
	});

	it("is missing: only if all are equal may they be those of a forced replacement", () => {
		expect(problemOf({ workers: 2, priority: 1 })).toMatch(
			/deleteBeforeReplace to true\.$/,
		);
		expect(problemOf({ workers: 3, priority: 1 })).not.toMatch(/deleteBeforeReplace/);
	});

	it("is adopt, or the consent to equal objects if all are equal", () => {
		expect(problemOf({ workers: 3, adopt: true })).toBeUndefined();
		expect(
			problemOf({ workers: 2, environment: { A: "1" } }, { adoptEqual: true }),
		).toBeUndefined();
		expect(
			problemOf({ workers: 2, environment: { A: "2" } }, { adoptEqual: true }),
		).toBeDefined();
		expect(problemOf({ workers: 2, adopt: false })).toBeDefined();
	});

	it("is not needed for what is free", () => {
		expect(
			problemOf({ pythonVersion: "3.12", environment: { B: "1" } }),
		).toBeUndefined();
	});

	it("names no variable of an environment that is a secret as a whole", () => {
		const text = problemOf({ environment: { A: "2" } }, { secrets: ["environment"] });
		expect(text).toMatch(/does not manage: environment\. They/);
	});

	it("of a create is waited for, for the resource that has the settings to have its turn", async () => {
		let now = 0;
		const call = deployment();
		const state = { ...PLACE, pipelineId: live.pipeline_id, workers: 2 };
		const passing = (turnAt: number) => ({
			now: () => now,
			sleep: async (millis: number) => {
				now += millis;
				if (now >= turnAt) call.deployed.note("urn other", { inputs: state });
			},
		});
		const problem = (turnAt: number) =>
			consentProblemOfCreate(
				{ ...call, time: passing(turnAt) },
				{ ...PLACE, workers: 3 },
				{},
				live,
			);
		expect([await problem(60_000), now]).toEqual([
			expect.stringContaining("workers is 2 on the service"),
			4_000,
		]);
		now = 0;
		expect([await problem(1_000), now]).toEqual([undefined, 1_000]);
		expect([await problem(1_000), now]).toEqual([undefined, 1_000]);
	});
});

describe("a setting in a message", () => {
	const theirs = {
		workers: 1,
		repository: "https://a:b@c",
		environment_variables: { B: "hidden" },
	};
	const there = pipeline({ ...theirs, python_version: "" });
	const declared = {
		pythonVersion: "3.12",
		workers: 2,
		repository: "x",
		environment: { A: "hidden" },
		...S3,
	};

	it("has values if they cannot be secret, and names otherwise", () => {
		const texts = Object.keys(declared).map((key) =>
			describeSetting(NO_SECRETS, key, declared, there),
		);
		expect(texts).toEqual([
			'pythonVersion is not set on the service and "3.12" in the program',
			"workers is 1 on the service and 2 in the program",
			"repository",
			"environment (A)",
			"storage (s3.key)",
		]);
		expect(describeSetting(NO_SECRETS, "workers", { workers: 1 }, there)).toBe(
			"workers",
		);
	});

	it("that will be written has the value that it has now", () => {
		const texts = Object.keys(declared).map((key) =>
			describeWrite(NO_SECRETS, key, declared, there),
		);
		expect(texts).toEqual([
			'pythonVersion "3.12" (not set now)',
			"workers 2 (now 1)",
			"repository",
			"environment (A)",
			"storage (s3.key)",
		]);
		expect(
			describeWrite(
				{ ...NO_SECRETS, secrets: ["workers"] },
				"workers",
				declared,
				there,
			),
		).toBe("workers");
	});

	it("that is or was a secret as a whole has no names", () => {
		expect(namesIn(NO_SECRETS, "environment", ["A", "B"])).toBe("environment (A, B)");
		expect(namesIn(NO_SECRETS, "environment", [])).toBe("environment");
		for (const secret of [
			{ secrets: ["environment"] },
			{ secretsBefore: ["environment"] },
		])
			expect(namesIn({ ...NO_SECRETS, ...secret }, "environment", ["A"])).toBe(
				"environment",
			);
	});
});
