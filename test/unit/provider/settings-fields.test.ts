import { describe, expect, it } from "vitest";
import {
	declaredSettings,
	isSet,
	SETTINGS,
	SETTINGS_FIELDS,
	shownSettings,
	uncheckedSettings,
} from "../../../src/provider/kinds/settings/fields";
import { findIn } from "../../../src/provider/kinds/settings/find";
import {
	declaredVariables,
	differingNames,
	liveStorage,
	liveVariables,
} from "../../../src/provider/kinds/settings/variables";
import { FOREIGN_VALUE } from "../../../src/provider/model/foreign-values";
import { type Props, UNKNOWN } from "../../../src/provider/model/props";
import {
	checkFields,
	differences,
	liveInputs,
} from "../../../src/provider/model/table";
import type { Pipeline } from "../../../src/schemas/wire/pipeline";
import { livePipeline } from "../../helpers/export-teams";

const pipeline = (fields: Partial<Pipeline> = {}) => livePipeline("images", fields);
const s3 = { key: "k", secret: "s" };
const ours = { environment: { A: "1" }, storage: { s3 } };

describe("settings one by one", () => {
	it.each([
		["an unset version and an empty one", "pythonVersion", undefined, "", true],
		[
			"requirements as a list and as a text",
			"requirements",
			"a\nb\n",
			["a", "b"],
			true,
		],
		["requirements in another order", "requirements", "b\na", ["a", "b"], false],
		["the default priority and none", "priority", undefined, 5, true],
		["one worker and none, because 1 may be meant", "workers", undefined, 1, false],
		[
			"another order of variables",
			"environment",
			{ A: "1", B: "2" },
			{ B: "2", A: "1" },
			true,
		],
		[
			"another order of storages",
			"storage",
			{ s3, hf: { token: "t" } },
			{ hf: { token: "t" }, s3 },
			true,
		],
		["another order of files", "files", ["1", "2"], ["2", "1"], false],
		["no files and none declared", "files", undefined, [], true],
		["another priority than the default", "priority", undefined, 4, false],
		["an unset repository and an empty one", "repository", undefined, "", true],
		["no variables and none declared", "environment", undefined, {}, true],
		["other values of variables", "environment", { A: "1" }, { A: "2" }, false],
		["no storage and none declared", "storage", undefined, {}, true],
		[
			"another parameter of a storage",
			"storage",
			{ s3 },
			{ s3: { ...s3, anon: true } },
			false,
		],
	])("%s", (_what, key, a, b, same) => {
		expect(SETTINGS[key]?.same?.(a, b)).toBe(same);
	});

	it("the id of a file is no path, and not empty", () => {
		const refused = (id: string) =>
			SETTINGS.files?.schema.safeParse([id], { reportInput: false }).error;
		const wrong = ["prepare.py", "jobs/prepare", "jobs\\prepare", ""];
		expect([...wrong, "7-v1.release"].filter(refused)).toEqual(wrong);
	});

	it("what is no longer there is shown as cleared", () => {
		const texts = { pythonVersion: "3.12", requirements: ["a"], repository: "x" };
		const declared = { ...texts, workers: 2, priority: 1, ...ours };
		const unset = {
			python_version: null,
			requirements: null,
			repository: null,
			workers: null,
			priority: null,
		};
		const there = pipeline({ ...unset, environment_variables: null });
		expect(liveInputs(SETTINGS, declared, there)).toEqual({
			pythonVersion: "",
			requirements: "",
			repository: "",
			workers: 1,
			priority: 5,
			environment: {},
			storage: { s3: {} },
		});
	});

	it("what a reply leaves out is unknown, and stays as it is declared", () => {
		const declared = {
			pythonVersion: "3.12",
			requirements: ["a"],
			repository: "x",
			workers: 2,
			priority: 1,
			...ours,
		};
		expect(liveInputs(SETTINGS, declared, pipeline())).toEqual(declared);
	});

	it.each<[string, Partial<Pipeline>, boolean]>([
		["a value", { workers: 2 }, true],
		["null", { workers: null }, false],
		["the value that stands for none", { workers: 1 }, false],
		["nothing of it", {}, false],
	])("is set or not on a service that shows %s", (_, shown, set) => {
		expect(isSet("workers", pipeline(shown))).toBe(set);
	});

	it("whether it is paused is compared only where the response has a status", () => {
		const rows = (status?: string | null) =>
			differences(SETTINGS, { paused: true }, pipeline({ status }));
		expect(rows("RUNNING")).toEqual([{ field: "paused", declared: true, live: false }]);
		expect([rows("PAUSED"), rows(null), rows()]).toEqual([[], [], []]);
	});
});

describe("the variables that a resource owns", () => {
	const live = {
		A: "1",
		THEIRS: "their-secret",
		FSSPEC_S3: '{"key":"other","token":"added"}',
	};
	const there = (environment_variables?: Record<string, string | null> | null) =>
		pipeline({ environment_variables });

	/** What a refresh leaves of them in the state. */
	const refreshed = (known: Props, of: Pipeline = there(live)) =>
		liveInputs(SETTINGS, known, of);

	it("are those of environment and of each storage, and nothing that a placeholder stands for", () => {
		const declared = {
			environment: { A: "1", OLD: FOREIGN_VALUE },
			storage: { s3, file: {}, hf: { token: FOREIGN_VALUE } },
		};
		expect(declaredVariables(declared)).toEqual({
			A: "1",
			FSSPEC_S3: '{"key":"k","secret":"s"}',
		});
		expect([
			declaredVariables({}),
			declaredVariables({ environment: UNKNOWN, storage: UNKNOWN }),
		]).toEqual([{}, {}]);
	});

	it("are shown without any value that is not ours, and as the same when they are shown again", () => {
		const shown = refreshed(ours);
		expect(shown.environment).toEqual({ A: "1" });
		expect(JSON.stringify(shown)).not.toMatch(/THEIRS|their-secret|other|added/);
		expect(refreshed(shown)).toEqual(shown);
	});

	it("are shown as they are now, and without those that are gone or null", () => {
		const declared = { environment: { SAME: "1", CHANGED: "1", NULL: "1", GONE: "1" } };
		const now = there({ SAME: "1", CHANGED: "2", NULL: null, OTHER: "1" });
		expect(refreshed(declared, now)).toEqual({
			environment: { SAME: "1", CHANGED: "2" },
		});
		expect(differingNames("environment", declared, now)).toEqual([
			"CHANGED",
			"NULL",
			"GONE",
		]);
	});

	it("of others are no difference, nor is what a mask or an earlier placeholder stands for", () => {
		const declared = {
			environment: { A: "1", B: "2", OLD: FOREIGN_VALUE },
			storage: { s3 },
		};
		const now = there({ A: "1", B: "pre***", OTHER: "x", FSSPEC_S3: "••••" });
		expect(differences(SETTINGS, declared, now)).toEqual([]);
		expect(liveStorage(now, declared)).toEqual({ s3 });
		expect(
			["environment", "storage"].map((key) => differingNames(key, declared, now)),
		).toEqual([[], []]);
	});

	it("are unknown if the response leaves them out, and gone if it has none", () => {
		expect([
			liveVariables(there()),
			liveVariables(there(null)),
			liveVariables(there({})),
		]).toEqual([undefined, {}, {}]);
		expect(differences(SETTINGS, ours, there())).toEqual([]);
		expect(differences(SETTINGS, ours, there(null)).map(({ field }) => field)).toEqual([
			"environment",
			"storage",
		]);
	});

	it("may have the name of what every object has", () => {
		const declared = { environment: { constructor: "1", ["__proto__"]: "2" } };
		expect(differingNames("environment", declared, there({}))).toEqual([
			"constructor",
			"__proto__",
		]);
		const live = there(JSON.parse('{"constructor":"1","__proto__":"2"}'));
		expect(differingNames("environment", declared, live)).toEqual([]);
		expect(refreshed(declared, there({}))).toEqual({ environment: {} });
	});

	it("of a storage differ by its parameters, and the files of the job itself have none", () => {
		const declared = { storage: { file: {}, s3 } };
		expect(differingNames("storage", declared, there(live))).toEqual([
			"s3.key",
			"s3.secret",
			"s3.token",
		]);
		expect(differingNames("storage", { storage: { file: {} } }, there({}))).toEqual([]);
		expect(
			liveStorage(there({ FSSPEC_S3: '{"key":"k","secret":"s"}' }), declared),
		).toEqual(declared.storage);
	});
});

describe("settings as a program declares them", () => {
	it("are those that it sets, of which the service never shows some", () => {
		const declared = {
			pipelineName: "p",
			workers: 2,
			paused: false,
			files: [],
			credentialsNames: [],
			adopt: true,
		};
		expect(declaredSettings(declared)).toEqual([
			"workers",
			"files",
			"credentialsNames",
			"paused",
		]);
		expect(uncheckedSettings(declared)).toEqual(["files", "credentialsNames"]);
	});

	it("come from an import without variables and without texts that may hold secrets of others, which are named", () => {
		const live = pipeline({
			...{
				workers: 2,
				priority: 5,
				python_version: "3.12",
				requirements: "a\nb",
				status: "PAUSED",
			},
			...{
				repository: "https://ada:secret@example.com/r.git",
				environment_variables: { A: "1" },
			},
		});
		expect(shownSettings(live)).toEqual({
			inputs: { pythonVersion: "3.12", requirements: ["a", "b"], workers: 2 },
			hidden: ["environment", "repository"],
		});
		expect(shownSettings(pipeline({ environment_variables: {} }))).toEqual({
			inputs: {},
			hidden: [],
		});
	});

	it("cannot be put back at a destroy, which an error says with both other ways", () => {
		const problems = (onDestroy: unknown) =>
			checkFields(
				SETTINGS_FIELDS,
				{},
				{ pipelineName: "p", teamName: "ml", workers: 2, onDestroy },
			).map(({ reason }) => reason);
		expect(problems("restore")).toEqual([
			'onDestroy: "restore" is no longer supported. Use "keep", which leaves the declared settings as they are, or "reset", which removes them.',
		]);
		expect([problems("keep"), problems("reset")]).toEqual([[], []]);
		expect(problems("other")).toEqual([
			expect.stringMatching(/^onDestroy: .*keep.*reset/),
		]);
	});
});

describe("a pipeline in a list", () => {
	const listed = pipeline({ workers: 2, status: "RUNNING", environment_variables: {} });
	const find = (
		known: object,
		from: readonly Pipeline[] = [pipeline({ name: "other" }), listed],
	) => findIn(from, "images", { ...known });

	it("is found by its name where the list has all that must be compared", () => {
		expect(
			find({ workers: 2, paused: true, environment: {}, storage: {}, files: [] }),
		).toBe(listed);
		expect(find({})).toBe(listed);
		expect(find({ workers: 2 }, [pipeline({ name: "other" })])).toBeUndefined();
	});

	it.each([
		["a setting", { priority: 1 }, listed],
		[
			"the status",
			{ paused: true },
			pipeline({ workers: 2, status: undefined, environment_variables: {} }),
		],
		[
			"the environment",
			{ environment: {} },
			pipeline({ workers: 2, status: "RUNNING" }),
		],
		[
			"the environment of a storage",
			{ storage: {} },
			pipeline({ workers: 2, status: "RUNNING" }),
		],
	])("is asked for itself where the list leaves out %s", (_, known, one) => {
		expect(find({ workers: 2, ...known }, [one])).toBeUndefined();
	});
});
