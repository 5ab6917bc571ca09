import { describe, expect, it } from "vitest";
import type { Call } from "../../../src/provider/context";
import {
	carryOver,
	newIn,
	noteState,
	ownValues,
	parsePrevious,
	previousVariable,
	remember,
	restoredBefore,
	stateOf,
} from "../../../src/provider/settings-previous";
import type { Pipeline } from "../../../src/schemas/wire/pipeline";
import { livePipeline } from "../../helpers/export-teams";

const pipeline = (fields: Partial<Pipeline> = {}) => livePipeline("images", fields);
const NOTHING = parsePrevious({});
const S3 = { storage: { s3: { key: "k" } } };

describe("what was there before, in the state", () => {
	it("is understood in the form of version 0.1.0", () => {
		const previous = JSON.stringify({ pythonVersion: "3.9", workers: null, environment: { A: "1" } });
		expect(parsePrevious({ previous })).toEqual({
			settings: { pythonVersion: "3.9", workers: null },
			environment: { A: "1" },
			variables: {},
		});
	});

	it("has a variable by itself first, then in the environment, and else as not set", () => {
		const both = { settings: {}, variables: { A: null, B: "own" }, environment: { A: "x", B: "x", C: "x" } };
		expect(["A", "B", "C", "D"].map((name) => previousVariable(both, name))).toEqual([
			null,
			"own",
			"x",
			null,
		]);
		expect(previousVariable(NOTHING, "A")).toBeNull();
	});
});

describe("saving the previous values", () => {
	const theirs = pipeline({
		python_version: "3.9",
		environment_variables: { THEIRS: "1", FSSPEC_S3: "{}" },
	});

	it("happens once: what the state remembers is not overwritten by our own values", () => {
		const olds = { pythonVersion: "3.11", environment: { A: "1" } };
		const first = remember(olds, {}, theirs, NOTHING);
		const ours = pipeline({ python_version: "3.11", environment_variables: { A: "1" } });
		expect(remember({ ...olds, pythonVersion: "3.12" }, olds, ours, first)).toEqual(first);
	});

	it("prefers the state's own values to those of a resource that released the pipeline", () => {
		const memory = (version: string) => ({ settings: { pythonVersion: version }, variables: {} });
		const found = remember({ pythonVersion: "3.12" }, {}, theirs, memory("own"), memory("inherited"));
		expect(found.settings.pythonVersion).toBe("own");
	});

	it("takes the environment as it is when it is declared, not as it was when storage was", () => {
		const withStorage = remember(S3, {}, pipeline({ environment_variables: { FIRST: "1" } }), NOTHING);
		const now = pipeline({ environment_variables: { FIRST: "1", BETWEEN: "2", FSSPEC_S3: '{"key":"k"}' } });
		expect(remember({ ...S3, environment: { A: "1" } }, S3, now, withStorage)).toEqual({
			settings: {},
			variables: { FSSPEC_S3: null },
			environment: { FIRST: "1", BETWEEN: "2" },
		});
	});

	it("has among the variables what a storage replaced that was declared before, by this resource or another", () => {
		const withS3 = remember(S3, {}, theirs, NOTHING);
		expect(withS3.variables).toEqual({ FSSPEC_S3: "{}" });
		const now = pipeline({ environment_variables: { THEIRS: "1", FSSPEC_S3: '{"key":"k"}' } });
		const declared = { ...S3, environment: { A: "1" } };
		const saved = [remember(declared, S3, now, withS3), remember(declared, {}, now, NOTHING, withS3)];
		const environment = { THEIRS: "1", FSSPEC_S3: "{}" };
		expect(saved).toEqual(Array(2).fill({ settings: {}, variables: withS3.variables, environment }));
	});

	it("judges as new what was not declared before, and no variable where all were", () => {
		const variables = { FSSPEC_S3: "{}", FSSPEC_GCS: "{}" };
		const saved = { settings: { workers: 7, priority: 1 }, variables, environment: { A: "1" } };
		const others = { settings: { priority: 1 }, variables: { FSSPEC_GCS: "{}" } };
		expect(newIn(saved, { workers: 2, ...S3 })).toEqual({ ...saved, ...others });
		expect(newIn(saved, { environment: {} })).toEqual({ settings: saved.settings, variables: {} });
	});

	it("knows from the environment's previous values what a storage that is declared later replaces", () => {
		const known = remember({ environment: {} }, {}, theirs, NOTHING);
		const ours = pipeline({ environment_variables: {} });
		const after = remember({ environment: {}, ...S3 }, { environment: {} }, ours, known);
		expect(after.variables).toEqual({ FSSPEC_S3: "{}" });
	});
});

describe("the state of settings as it passed by", () => {
	const P1 = { teamName: "ml", pipelineName: "p1" };
	const callOf = (urn: string) => ({ urn, settingsStates: new Map() }) as unknown as Call;

	it("is that of one pipeline, though names with slashes make one id of two", () => {
		const call = callOf("A");
		noteState(call, { teamName: "a", pipelineName: "b/c" });
		expect(stateOf(call, { teamName: "a/b", pipelineName: "c" })).toBeUndefined();
	});

	it("says which values a destroy would put back already: its own, or those of the resource before", () => {
		const call = callOf("A");
		const [own, other] = ["A", "B"].map((MODE) => ({ ...P1, onDestroy: "restore", environment: { MODE } }));
		expect(restoredBefore(call, P1, { ...P1, onDestroy: "keep" })).toEqual({});
		noteState(call, { ...other });
		expect([restoredBefore(call, P1, {}), restoredBefore(call, P1, { ...own })]).toEqual([other, own]);
	});

	it("has values of our own for its resource, and for others where this run releases or has them", () => {
		const isOwn = (is: string, urn = "B") => {
			const call = { ...callOf("A"), claims: { of: () => ({ is }) } } as unknown as Call;
			noteState(call, { ...P1, workers: 2 });
			return ownValues({ ...call, urn }, P1).workers === 2;
		};
		const states = ["released", "releasing", "ours", "held", "foreign"];
		expect(states.filter((is) => isOwn(is))).toEqual(states.slice(0, 3));
		expect(isOwn("foreign", "A")).toBe(true);
	});

	it("counts as carried over once another resource took the previous values from it", () => {
		const call = callOf("A");
		expect(carryOver(call, P1)).toBeUndefined();
		const previous = { settings: { workers: 7 }, variables: {} };
		noteState(call, { ...P1, workers: 1, previous: JSON.stringify(previous) });
		expect(stateOf(call, P1)?.carried).toBeUndefined();
		expect(carryOver(call, P1)).toEqual(previous);
		noteState(call, { ...P1, workers: 2 });
		expect(stateOf(call, P1)?.carried).toBe(true);
	});
});
