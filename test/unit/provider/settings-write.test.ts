import { describe, expect, it } from "vitest";
import {
	carryProblem,
	planSettings,
	removedSettings,
	removedVariables,
	settingsWrite,
	writesNothing,
} from "../../../src/provider/kinds/settings/write";
import { FOREIGN_VALUE } from "../../../src/provider/model/foreign-values";
import type { Props } from "../../../src/provider/model/props";
import type { Call } from "../../../src/provider/run/context";
import { DeployedResources } from "../../../src/provider/run/deployed";
import type { Change } from "../../../src/provider/run/kind";
import type { Pipeline } from "../../../src/schemas/wire/pipeline";
import { livePipeline } from "../../helpers/export-teams";

/** A pipeline on which nobody has set anything, unless given. */
const pipeline = (fields: Partial<Pipeline> = {}) =>
	livePipeline("images", { ...UNSET, environment_variables: {}, ...fields });
const UNSET = {
	python_version: null,
	requirements: null,
	repository: null,
	workers: null,
	priority: null,
};
const S3 = { storage: { s3: { key: "k" } } };
const FSSPEC_S3 = '{"key":"k"}';

const change = (inputs: Props, olds: Props = {}, isUpdate = true): Change => ({
	inputs: { teamName: "ml", pipelineName: "images", ...inputs },
	olds,
	isUpdate,
	adopted: false,
});
const written = (inputs: Props, olds: Props, live: Pipeline, isUpdate = true) =>
	settingsWrite(change(inputs, olds, isUpdate), live);

describe("what an update writes", () => {
	it("is every declared setting, also one that looks equal", () => {
		const declared = { workers: 2, priority: 1, files: ["7"] };
		expect(
			written(declared, declared, pipeline({ workers: 2, priority: 3 })).settings,
		).toEqual(declared);
	});

	it("is every declared variable, with those of others as they are", () => {
		const live = pipeline({ environment_variables: { A: "1", THEIRS: "x" } });
		expect(
			written({ environment: { A: "1" } }, { environment: { A: "1" } }, live).variables,
		).toEqual({
			own: { A: "1" },
			foreign: { THEIRS: "x" },
		});
	});

	it("is no pause that the pipeline already has", () => {
		const writes = (status: string) =>
			written({ paused: true }, {}, pipeline({ status })).settings;
		expect([writes("PAUSED"), writes("RUNNING")]).toEqual([{}, { paused: true }]);
	});

	it("is never a placeholder", () => {
		const marked = {
			repository: `${FOREIGN_VALUE} https://***@example.com`,
			environment: { A: FOREIGN_VALUE },
		};
		const write = written(
			marked,
			marked,
			pipeline({ repository: "theirs", environment_variables: { A: "x" } }),
		);
		expect([write.settings, write.variables, writesNothing(write)]).toEqual([
			{},
			undefined,
			true,
		]);
	});

	it("leaves alone variables that do not differ if others could not be sent back", () => {
		const live = pipeline({ environment_variables: { A: "1", THEIRS: "line\nbreak" } });
		expect(written({ environment: { A: "1" } }, {}, live).variables).toBeUndefined();
		expect(written({ environment: { A: "2" } }, {}, live).variables).toEqual({
			own: { A: "2" },
			foreign: { THEIRS: "line\nbreak" },
		});
	});

	it.each<[string, Partial<Pipeline>]>([
		[
			"the service masks all values",
			{ environment_variables: { A: "***", THEIRS: "***" } },
		],
		["the service shows no variables", { environment_variables: undefined }],
	])(
		"writes a setting without the variables, which have not changed, if %s",
		(_, shown) => {
			const environment = { A: "1" };
			const live = pipeline(shown);
			const write = written(
				{ environment, workers: 3 },
				{ environment, workers: 2 },
				live,
			);
			expect([write.settings, write.variables]).toEqual([{ workers: 3 }, undefined]);
			const changed = written({ environment: { A: "2" } }, { environment }, live);
			expect(carryProblem("images", changed, live)).toBeDefined();
			const removed = written({ workers: 3 }, { environment }, live);
			expect(carryProblem("images", removed, live)).toBeDefined();
		},
	);

	it("has no variables if the program declares none and had none", () => {
		expect(
			written({ workers: 2 }, {}, pipeline({ environment_variables: { THEIRS: "x" } }))
				.variables,
		).toBeUndefined();
	});
});

describe("what a create or an adoption writes", () => {
	it("is what differs, and what the service never shows or has left out", () => {
		const declared = { workers: 2, priority: 1, pythonVersion: "3.12", files: ["7"] };
		const live = pipeline({ workers: 2, priority: 3, python_version: undefined });
		expect(written(declared, {}, live, false).settings).toEqual({
			priority: 1,
			pythonVersion: "3.12",
			files: ["7"],
		});
	});

	it("is nothing if all is equal", () => {
		const live = pipeline({
			workers: 2,
			environment_variables: { A: "1", THEIRS: "x" },
		});
		const write = written({ workers: 2, environment: { A: "1" } }, {}, live, false);
		expect(write).toEqual({ settings: {}, variables: undefined });
		expect(writesNothing(write)).toBe(true);
		expect(writesNothing({ settings: {}, variables: { own: {}, foreign: {} } })).toBe(
			false,
		);
		expect(writesNothing({ settings: { workers: 2 } })).toBe(false);
	});

	it("is a variable whose value is behind a mask", () => {
		const live = pipeline({ environment_variables: { A: "***" } });
		expect(written({ environment: { A: "1" } }, {}, live, false).variables).toEqual({
			own: { A: "1" },
			foreign: {},
		});
	});
});

describe("what leaves the program", () => {
	it("is removed: a setting by the value that stands for unset, and a variable by its absence", () => {
		const olds = {
			workers: 2,
			files: ["7"],
			repository: "r",
			environment: { A: "1", B: "2" },
			...S3,
		};
		const live = pipeline({
			workers: 2,
			environment_variables: { A: "1", B: "2", THEIRS: "x", FSSPEC_S3 },
		});
		expect(written({ environment: { A: "1" } }, olds, live)).toEqual({
			settings: { workers: 1, files: [], repository: "" },
			variables: { own: { A: "1" }, foreign: { THEIRS: "x" } },
		});
	});

	it("is also the last variable, and not one that is gone already", () => {
		const olds = { environment: { A: "1" } };
		const variables = (live: Record<string, string>) =>
			written({ workers: 2 }, olds, pipeline({ environment_variables: live }))
				.variables;
		expect(variables({ A: "changed", THEIRS: "x" })).toEqual({
			own: {},
			foreign: { THEIRS: "x" },
		});
		expect(variables({ THEIRS: "x" })).toBeUndefined();
	});

	it("is no variable that moves from environment to storage, and no pause", () => {
		expect(removedVariables(S3, { environment: { FSSPEC_S3 }, workers: 2 })).toEqual(
			[],
		);
		expect(removedVariables({}, { environment: { FSSPEC_S3 }, ...S3 })).toEqual([
			"FSSPEC_S3",
		]);
		expect(
			removedSettings(
				{},
				{ paused: true, environment: { A: "1" }, ...S3, priority: 1 },
			),
		).toEqual(["priority"]);
		expect(removedSettings({ priority: 2 }, { priority: 1 })).toEqual([]);
	});

	it("is nothing that only a placeholder of an earlier version stood for", () => {
		expect(removedVariables({}, { environment: { THEIRS: FOREIGN_VALUE } })).toEqual(
			[],
		);
	});
});

describe("variables of others that a request cannot carry", () => {
	const problemOf = (live: Pipeline) =>
		carryProblem("images", written(S3, {}, live), live);

	it("are named without their values, and the write is refused", () => {
		const live = pipeline({
			environment_variables: {
				PEM: "line one\nline two",
				NIL: null,
				MASKED: "abc***",
				"my-var": "x",
			},
		});
		expect(problemOf(live)).toBe(
			'Pipeline "images" has variables of other users that a request cannot send back unchanged: the value of "PEM" has a line break ' +
				'(U+000A), and the service takes one line per variable; the variable "NIL" is null, and a line can only carry a string; the ' +
				'service shows the value of "MASKED" as a mask, which would be written in its place. Nothing was changed. Change them on the ' +
				"service first, or declare them in environment with adopt set to true.",
		);
	});

	it("may be behind a reply without variables", () => {
		expect(problemOf(pipeline({ environment_variables: undefined }))).toMatch(
			/^The service does not return the variables of pipeline "images".*Nothing was changed\./,
		);
		expect(problemOf(pipeline({ environment_variables: null }))).toBeUndefined();
	});

	it("are none of a write without variables, nor are those that the write removes", () => {
		const live = pipeline({ environment_variables: { PEM: "line one\nline two" } });
		expect(
			carryProblem("images", written({ workers: 2 }, {}, live), live),
		).toBeUndefined();
		const replaced = written({ environment: { PEM: "one line" } }, {}, live);
		expect(carryProblem("images", replaced, live)).toBeUndefined();
	});
});

describe("what is wrong after a write", () => {
	const wrongAfter = async (
		inputs: Props,
		olds: Props,
		before: Partial<Pipeline>,
		now: Partial<Pipeline>,
	) => {
		const call = {
			secrets: [],
			secretsBefore: [],
			deployed: new DeployedResources(),
			adoptEqual: false,
		} as unknown as Call;
		const { wrong } = await planSettings(call, pipeline(before), change(inputs, olds));
		return wrong(pipeline({ ...before, ...now })).map(({ text }) => text);
	};

	it("is nothing if the service shows what is declared and has left the rest as it was", async () => {
		const olds = { workers: 2, environment: { A: "1", B: "2" } };
		const before = {
			workers: 2,
			priority: 3,
			environment_variables: { A: "1", B: "2", THEIRS: "x" },
		};
		const now = { workers: 3, environment_variables: { A: "2", THEIRS: "x" } };
		expect(
			await wrongAfter({ workers: 3, environment: { A: "2" } }, olds, before, now),
		).toEqual([]);
	});

	it("is a declared setting or variable that differs, of the variable its name alone", async () => {
		const inputs = { workers: 3, environment: { A: "2" } };
		const now = { workers: 2, environment_variables: { A: "1" } };
		expect(await wrongAfter(inputs, inputs, {}, now)).toEqual([
			"workers is 2 on the service and 3 in the program",
			"environment (A)",
		]);
	});

	it("is what left the program and is still there", async () => {
		const olds = { priority: 1, environment: { A: "1" } };
		const before = { priority: 1, environment_variables: { A: "1" } };
		expect(await wrongAfter({ workers: 2 }, olds, before, { workers: 2 })).toEqual([
			"priority, which is no longer declared, is still set",
			"the variable A, which is no longer declared, is still set",
		]);
	});

	it("is none of what left the program if the service shows it as not set, in whatever form", async () => {
		const olds = { workers: 2, priority: 1, pythonVersion: "3.12", repository: "r" };
		const before = { workers: 2, priority: 1, python_version: "3.12", repository: "r" };
		const unset = {
			workers: null,
			priority: null,
			python_version: null,
			repository: null,
		};
		const cleared = { workers: 1, priority: 5, python_version: "", repository: "" };
		for (const now of [unset, cleared])
			expect(
				await wrongAfter({ requirements: "a" }, olds, before, {
					requirements: "a",
					...now,
				}),
			).toEqual([]);
	});

	it("is an undeclared setting that the write cleared, and not one that another user changed meanwhile", async () => {
		const before = { priority: 3, python_version: "3.12", workers: 4 };
		const cleared = { priority: 5, python_version: "", workers: null };
		expect(
			await wrongAfter({ requirements: "a" }, {}, before, {
				requirements: "a",
				...cleared,
			}),
		).toEqual(
			["pythonVersion", "workers", "priority"].map(
				(key) => `${key}, which the program does not declare, was cleared`,
			),
		);
		const changed = { priority: 1, python_version: undefined, workers: 2 };
		expect(
			await wrongAfter({ requirements: "a" }, {}, before, {
				requirements: "a",
				...changed,
			}),
		).toEqual([]);
	});

	it("is a variable of others that the write removed or changed", async () => {
		const before = { environment_variables: { A: "1", B: "1", C: "1" } };
		const now = { environment_variables: { A: "2", C: "1", OURS: "1" } };
		expect(await wrongAfter({ environment: { OURS: "1" } }, {}, before, now)).toEqual(
			["A", "B"].map(
				(name) => `the variable ${name} of other users was changed or removed`,
			),
		);
	});

	it("is a variable of others that is gone after a write without variables, and not one with a new value", async () => {
		const before = { environment_variables: { A: "1", B: "1" } };
		const now = { workers: 2, environment_variables: { A: "2" } };
		expect(await wrongAfter({ workers: 2 }, {}, before, now)).toEqual([
			"the variable B of other users was changed or removed",
		]);
	});

	it("is none of what the reply leaves out", async () => {
		const before = { environment_variables: { THEIRS: "1" }, priority: 3 };
		const now = { workers: 2, environment_variables: undefined, priority: undefined };
		expect(
			await wrongAfter(
				{ workers: 2, environment: { A: "1" } },
				{ pythonVersion: "3.9" },
				before,
				now,
			),
		).toEqual([]);
	});
});

describe("what the state has until a write is done", () => {
	it("is what is declared, with what the write takes away", async () => {
		const call = {
			secrets: [],
			secretsBefore: [],
			deployed: new DeployedResources(),
			adoptEqual: false,
		} as unknown as Call;
		const olds = { priority: 1, workers: 2, environment: { A: "1", B: "2" }, ...S3 };
		const { untilDone } = await planSettings(
			call,
			pipeline(),
			change({ workers: 3, environment: { B: "3", C: "4" } }, olds),
		);
		expect(untilDone).toEqual({
			...{ teamName: "ml", pipelineName: "images", workers: 3, priority: 1 },
			...{ environment: { A: "1", B: "3", C: "4" }, ...S3 },
		});
	});
});
