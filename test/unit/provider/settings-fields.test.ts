import { describe, expect, it } from "vitest";
import {
	declaredEnvironment,
	liveEnvironment,
	liveStorage,
} from "../../../src/provider/pipeline-settings/environment";
import { SETTINGS, uncheckedSettings } from "../../../src/provider/pipeline-settings/fields";
import { containsForeign } from "../../../src/provider/shared/foreign";
import { differences, liveInputs } from "../../../src/provider/shared/table";
import type { Pipeline } from "../../../src/schemas/wire/pipeline";

const pipeline = (fields: Partial<Pipeline> = {}): Pipeline => ({
	pipeline_id: "p",
	name: "images",
	...fields,
});
const REPOSITORY = "https://someone:password@example.com/repo.git@main";
const s3 = { key: "k", secret: "s" };

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
	])("%s", (_what, key, a, b, same) => {
		expect(SETTINGS[key]?.same?.(a, b)).toBe(same);
	});

	it("somebody else's password in a repository reaches the state as a mark only, and can still be put back", () => {
		const live = pipeline({ repository: REPOSITORY });
		const declared = { repository: "https://example.com/ours.git" };
		expect(differences(SETTINGS, declared, live).map(({ field }) => field)).toEqual(["repository"]);
		const { repository } = liveInputs(SETTINGS, declared, live);
		expect(containsForeign(repository)).toBe(true);
		expect(repository).not.toContain("password");
		expect(SETTINGS.repository?.raw?.(live)).toBe(REPOSITORY);
	});

	it("our own password in a repository is no drift", () => {
		const live = pipeline({ repository: REPOSITORY });
		expect(liveInputs(SETTINGS, { repository: REPOSITORY }, live)).toEqual({ repository: REPOSITORY });
	});

	it("files and credentials are declared, but never shown by the service", () => {
		expect(uncheckedSettings({ workers: 1, files: [], credentialsNames: ["a"] })).toEqual([
			"files",
			"credentialsNames",
		]);
	});

	it("requirements travel as one text", () => {
		expect(SETTINGS.requirements?.write?.(["a", "b"], {})).toBe("a\nb");
		expect(SETTINGS.requirements?.write?.("a\r\n b", {})).toBe("a\r\n b");
	});
});

describe("the environment that settings share with storage", () => {
	const live = { A: "1", THEIRS: "their-secret", FSSPEC_S3: '{"key":"other","token":"added"}' };
	const ours = { environment: { A: "1" }, storage: { s3 } };

	it("has the declared variables and one for each storage", () => {
		expect(declaredEnvironment(ours, {})).toEqual({
			own: { A: "1", FSSPEC_S3: '{"key":"k","secret":"s"}' },
			foreign: {},
		});
	});

	it("is shown without any value that is not ours, and as the same when it is shown again", () => {
		const shown = {
			environment: liveEnvironment(pipeline({ environment_variables: live }), ours),
			storage: liveStorage(pipeline({ environment_variables: live }), ours),
		};
		expect(JSON.stringify(shown)).not.toMatch(/their-secret|other|added/);
		expect(liveEnvironment(pipeline({ environment_variables: live }), shown)).toEqual(shown.environment);
		expect(liveStorage(pipeline({ environment_variables: live }), shown)).toEqual(shown.storage);
	});

	it("sends no mark that a refresh left in the state, but what it stands for", () => {
		const shown = {
			environment: liveEnvironment(pipeline({ environment_variables: live }), ours),
			storage: liveStorage(pipeline({ environment_variables: live }), ours),
		};
		const { own, foreign } = declaredEnvironment(shown, live);
		expect({ ...own, ...foreign }).toEqual(live);
		expect(own).toEqual({ A: "1" });
	});
});
