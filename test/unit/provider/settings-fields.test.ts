import { describe, expect, it } from "vitest";
import type { Props } from "../../../src/provider/handler";
import { FOREIGN_VALUE } from "../../../src/provider/secrets";
import {
	declaredEnvironment,
	differingStorage,
	differingVariables,
	liveEnvironment,
	liveStorage,
	SETTINGS,
	storageNames,
} from "../../../src/provider/settings-fields";
import { findIn } from "../../../src/provider/settings-plan";
import { differences, liveInputs } from "../../../src/provider/table";
import type { Pipeline } from "../../../src/schemas/wire/pipeline";
import { livePipeline } from "../../helpers/export-teams";

const pipeline = (fields: Partial<Pipeline> = {}) => livePipeline("images", fields);
const s3 = { key: "k", secret: "s" };
const ours = { environment: { A: "1" }, storage: { s3 } };

describe("settings one by one", () => {
	it.each([
		["an unset version and an empty one", "pythonVersion", undefined, "", true],
		["requirements as a list and as a text", "requirements", "a\nb\n", ["a", "b"], true],
		["requirements in another order", "requirements", "b\na", ["a", "b"], false],
		["the default priority and none", "priority", undefined, 5, true],
		["one worker and none, because 1 may be meant", "workers", undefined, 1, false],
		["another order of variables", "environment", { A: "1", B: "2" }, { B: "2", A: "1" }, true],
		["another order of storages", "storage", { s3, hf: { token: "t" } }, { hf: { token: "t" }, s3 }, true],
		["another order of files", "files", ["1", "2"], ["2", "1"], false],
		["no files and none declared", "files", undefined, [], true],
		["another priority than the default", "priority", undefined, 4, false],
		["an unset repository and an empty one", "repository", undefined, "", true],
		["no variables and none declared", "environment", undefined, {}, true],
		["other values of variables", "environment", { A: "1" }, { A: "2" }, false],
		["no storage and none declared", "storage", undefined, {}, true],
		["another parameter of a storage", "storage", { s3 }, { s3: { ...s3, anon: true } }, false],
	])("%s", (_what, key, a, b, same) => {
		expect(SETTINGS[key]?.same?.(a, b)).toBe(same);
	});

	it("the id of a file is no path, and not empty", () => {
		const refused = (id: string) => SETTINGS.files?.schema.safeParse([id], { reportInput: false }).error;
		const wrong = ["prepare.py", "jobs/prepare", "jobs\\prepare", ""];
		expect([...wrong, "7-v1.release"].filter(refused)).toEqual(wrong);
	});

	it("what is no longer there is shown as cleared", () => {
		const texts = { pythonVersion: "3.12", requirements: ["a"], repository: "x" };
		const declared = { ...texts, workers: 2, priority: 1, ...ours };
		expect(liveInputs(SETTINGS, declared, pipeline())).toEqual({
			pythonVersion: "",
			requirements: "",
			repository: "",
			workers: 1,
			priority: 5,
			environment: {},
			storage: { s3: {} },
		});
	});

	it("whether it is paused is compared only where the response has a status", () => {
		const rows = (status?: string | null) => differences(SETTINGS, { paused: true }, pipeline({ status }));
		expect(rows("RUNNING")).toEqual([{ field: "paused", declared: true, live: false }]);
		expect([rows("PAUSED"), rows(null), rows()]).toEqual([[], [], []]);
	});
});

describe("the environment that settings share with storage", () => {
	const live = { A: "1", THEIRS: "their-secret", FSSPEC_S3: '{"key":"other","token":"added"}' };

	/** What a refresh leaves of it in the state. */
	const refreshed = (known: Props) => {
		const there = pipeline({ environment_variables: live });
		return { environment: liveEnvironment(there, known), storage: liveStorage(there, known) };
	};

	it("is shown without any value that is not ours, and as the same when it is shown again", () => {
		const shown = refreshed(ours);
		expect(JSON.stringify(shown)).not.toMatch(/their-secret|other|added/);
		expect(refreshed(shown)).toEqual(shown);
	});

	it("shows a variable of ours that is null as another user's, and a placeholder as a placeholder", () => {
		const shown = (there: Record<string, string | null>, environment: Record<string, string>) =>
			liveEnvironment(pipeline({ environment_variables: there }), { environment });
		expect(shown({ A: null, B: "2" }, { A: "1", B: "1" })).toEqual({ A: FOREIGN_VALUE, B: "2" });
		expect(shown({ A: "theirs" }, { A: FOREIGN_VALUE })).toEqual({ A: FOREIGN_VALUE });
	});

	it("differs by names, sorted, and never in what a placeholder stands for", () => {
		const there = pipeline({ environment_variables: { Z: "1", A: "2", SAME: "1", FSSPEC_S3: "{}" } });
		const declared = { environment: { B: "1", A: "1", SAME: "1", GONE: FOREIGN_VALUE }, storage: { s3 } };
		expect(differingVariables(there, declared)).toEqual(["A", "B", "Z"]);
		expect(differingVariables(pipeline(), {})).toEqual([]);
	});

	it("has no variable for the files of the job itself", () => {
		const declared = { storage: { file: {}, s3 } };
		expect(storageNames(declared)).toEqual(["FSSPEC_S3"]);
		expect(declaredEnvironment({ storage: { file: {} } }, {})).toEqual({ own: {}, foreign: {} });
		expect(
			liveStorage(pipeline({ environment_variables: { FSSPEC_S3: '{"key":"k","secret":"s"}' } }), declared),
		).toEqual(declared.storage);
		expect(differingStorage(pipeline(), { storage: { file: {} } })).toEqual([]);
	});

	it("sends no placeholder that a refresh left in the state, but what it stands for", () => {
		const { own, foreign } = declaredEnvironment(refreshed(ours), live);
		expect({ ...own, ...foreign }).toEqual(live);
		expect(own).toEqual({ A: "1" });
	});
});

describe("a pipeline in a list", () => {
	const listed = pipeline({ workers: 2, status: "RUNNING", environment_variables: {} });
	const find = (known: object, from: readonly Pipeline[] = [pipeline({ name: "other" }), listed]) =>
		findIn(from, "images", { ...known });

	it("is found by its name where the list has all that must be compared", () => {
		expect(find({ workers: 2, paused: true, environment: {}, storage: {}, files: [] })).toBe(listed);
		expect(find({})).toBe(listed);
		expect(find({ workers: 2 }, [pipeline({ name: "other" })])).toBeUndefined();
	});

	it.each([
		["a setting", { priority: 1 }, listed],
		["the status", { paused: true }, pipeline({ workers: 2, status: undefined, environment_variables: {} })],
		["the environment", { environment: {} }, pipeline({ workers: 2, status: "RUNNING" })],
		["the environment of a storage", { storage: {} }, pipeline({ workers: 2, status: "RUNNING" })],
	])("is asked for itself where the list leaves out %s", (_, known, one) => {
		expect(find({ workers: 2, ...known }, [one])).toBeUndefined();
	});
});
