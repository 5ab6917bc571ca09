import { describe, expect, it } from "vitest";
import { SETTING_KEYS } from "../../../src/provider/pipeline-settings/keys";
import { differingKeys, liveInputs, takenKeys } from "../../../src/provider/pipeline-settings/live";
import { snapshot } from "../../../src/provider/pipeline-settings/release";
import type { Pipeline } from "../../../src/schemas/pipeline";

const pipeline = (fields: Partial<Pipeline> = {}): Pipeline => ({
	pipeline_id: "p",
	name: "images",
	...fields,
});
const REPOSITORY = "https://someone:password@example.com/repo.git@main";

describe("settings one by one", () => {
	it.each([
		["an unset version and an empty one", "pythonVersion", undefined, "", true],
		["requirements as a list and as a text", "requirements", "a\nb\n", ["a", "b"], true],
		["requirements in another order", "requirements", "b\na", ["a", "b"], false],
		["the default priority and none", "priority", undefined, 5, true],
		["one worker and none, because 1 may be meant", "workers", undefined, 1, false],
		["another order of variables", "environment", { A: "1", B: "2" }, { B: "2", A: "1" }, true],
	])("%s", (_what, key, a, b, same) => {
		expect(SETTING_KEYS[key]?.same(a, b)).toBe(same);
	});

	it("somebody else's password in a repository never reaches the state, and can still be put back", () => {
		const live = pipeline({ repository: REPOSITORY });
		const declared = { repository: "https://example.com/ours.git" };
		expect(differingKeys(declared, live)).toEqual(["repository"]);
		expect(liveInputs(declared, live)).toEqual({ repository: "https://***@example.com/repo.git@main" });
		expect(snapshot(live, ["repository"])).toEqual({ repository: REPOSITORY });
	});

	it("our own password in a repository is no drift", () => {
		const live = pipeline({ repository: REPOSITORY });
		expect(liveInputs({ repository: REPOSITORY }, live)).toEqual({ repository: REPOSITORY });
	});

	it("what is unset, or the default, is free to take; what someone chose is not", () => {
		const declared = { pythonVersion: "3.12", priority: 1, workers: 4, environment: { A: "1" } };
		const keys = Object.keys(declared);
		expect(
			takenKeys(declared, pipeline({ priority: 5, python_version: "", environment_variables: {} }), keys),
		).toEqual([]);
		const chosen = pipeline({
			priority: 2,
			python_version: "3.9",
			workers: 1,
			environment_variables: { B: "2" },
		});
		expect(takenKeys(declared, chosen, keys)).toEqual([
			"pythonVersion",
			"workers",
			"priority",
			"environment",
		]);
	});
});
