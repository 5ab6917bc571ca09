import { describe, expect, it } from "vitest";
import {
	desiredEnvironment,
	liveEnvironment,
	liveStorage,
} from "../../../src/provider/pipeline-settings/environment";
import type { Pipeline } from "../../../src/schemas/pipeline";

const pipeline = (environment_variables: Record<string, string>): Pipeline => ({
	pipeline_id: "p",
	environment_variables,
});
const s3 = { key: "k", secret: "s" };

describe("the environment that settings share with storage", () => {
	it("is all of it where environment is declared, and only the storage's variables where it is not", () => {
		const live = { THEIRS: "x", FSSPEC_S3: "{}" };
		expect(desiredEnvironment({ environment: { A: "1" }, storage: { s3 } }, {}, live)).toEqual({
			A: "1",
			FSSPEC_S3: '{"key":"k","secret":"s"}',
		});
		expect(desiredEnvironment({ storage: { s3 } }, {}, live)).toEqual({
			THEIRS: "x",
			FSSPEC_S3: '{"key":"k","secret":"s"}',
		});
	});

	it("loses the variable of a storage that is no longer declared", () => {
		const olds = { storage: { s3, hf: { token: "t" } } };
		expect(desiredEnvironment({ storage: { s3 } }, olds, { FSSPEC_HF: "{}", THEIRS: "x" })).toEqual({
			THEIRS: "x",
			FSSPEC_S3: '{"key":"k","secret":"s"}',
		});
	});

	it("never sends the placeholders that a refresh leaves in the state, which ignoreChanges declares", () => {
		const live = { A: "1", THEIRS: "their-secret", FSSPEC_S3: '{"key":"other","token":"added"}' };
		const shown = {
			environment: liveEnvironment(pipeline(live), { environment: { A: "1" }, storage: { s3 } }),
			storage: liveStorage(pipeline(live), { environment: { A: "1" }, storage: { s3 } }),
		};
		expect(JSON.stringify(shown)).not.toMatch(/their-secret|other|added/);
		expect(desiredEnvironment(shown, {}, live)).toEqual(live);
		expect(liveEnvironment(pipeline(live), shown)).toEqual(shown.environment);
		expect(liveStorage(pipeline(live), shown)).toEqual(shown.storage);
	});
});
