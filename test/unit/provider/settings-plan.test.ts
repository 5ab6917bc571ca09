import { describe, expect, it } from "vitest";
import type { Props } from "../../../src/provider/handler";
import { FOREIGN_VALUE } from "../../../src/provider/secrets";
import {
	describeSetting,
	planOf,
	planProblem,
	removedVariables,
	takenSettings,
	touchedKeys,
} from "../../../src/provider/settings-plan";
import { parsePrevious, previousVariable, restoreProblem } from "../../../src/provider/settings-previous";
import type { Pipeline } from "../../../src/schemas/wire/pipeline";

const pipeline = (fields: Partial<Pipeline> = {}): Pipeline => ({
	pipeline_id: "p",
	name: "images",
	environment_variables: {},
	...fields,
});
const NOTHING = parsePrevious({});
const S3 = { storage: { s3: { key: "k" } } };
const FSSPEC_S3 = '{"key":"k"}';
const plan = (declared: Props, olds: Props, live: Pipeline, previous = NOTHING) =>
	planOf(declared, olds, live, (variable) => previousVariable(previous, variable));

describe("what is written", () => {
	it("is what differs from the service, for new settings, and what the service never shows", () => {
		const declared = { pythonVersion: "3.12", workers: 2, files: ["1"] };
		expect(touchedKeys(declared, {}, pipeline({ workers: 2 }))).toEqual(["pythonVersion", "files"]);
		expect(plan(declared, {}, pipeline({ workers: 2 }))).toEqual({
			settings: { pythonVersion: "3.12", files: ["1"] },
		});
	});

	it("is also what differs from the state, though a read that may be stale looks equal", () => {
		const live = pipeline({ workers: 2 });
		expect(touchedKeys({ workers: 2 }, { workers: 3 }, live)).toEqual(["workers"]);
		expect(touchedKeys({ workers: 2 }, { workers: 2 }, live)).toEqual([]);
	});

	it("is nothing of what is no longer declared, and never a placeholder", () => {
		expect(touchedKeys({}, { workers: 3 }, pipeline({ workers: 3 }))).toEqual([]);
		const marked = { repository: `${FOREIGN_VALUE} https://***@example.com` };
		expect(touchedKeys(marked, { repository: "ours" }, pipeline({ repository: "theirs" }))).toEqual([]);
	});

	it("has the pause beside the settings", () => {
		const of = (paused: boolean, status: string) => plan({ paused }, {}, pipeline({ status }));
		expect(of(true, "RUNNING")).toEqual({ settings: {}, paused: true });
		expect(of(false, "PAUSED")).toEqual({ settings: {}, paused: false });
		expect(of(true, "PAUSED")).toEqual({ settings: {} });
	});

	it("has the whole environment where one variable differs, and none where none does", () => {
		const live = pipeline({ environment_variables: { A: "1", THEIRS: "x" } });
		expect(plan({ environment: { A: "2" } }, { environment: { A: "1" } }, live).environment).toEqual({
			own: { A: "2" },
			foreign: {},
		});
		expect(plan({ environment: { A: "1", THEIRS: "x" } }, {}, live)).toEqual({ settings: {} });
	});

	it("has everybody else's variables beside those of a storage", () => {
		const live = pipeline({ environment_variables: { THEIRS: "x", "my-var": "y", FSSPEC_S3: "{}" } });
		expect(plan(S3, {}, live).environment).toEqual({
			own: { FSSPEC_S3 },
			foreign: { THEIRS: "x", "my-var": "y" },
		});
	});
});

describe("what a plan carries of the environment", () => {
	it("is decided by each of its causes alone", () => {
		const live = pipeline({ environment_variables: { A: "1", FSSPEC_S3 } });
		const of = (declared: Props, olds: Props) => plan(declared, olds, live).environment;
		expect(of({ environment: { A: "2" } }, { environment: { A: "2" } })).toEqual({
			own: { A: "2" },
			foreign: {},
		});
		expect(of({ storage: { s3: { key: "x" } } }, S3)).toEqual({
			own: { FSSPEC_S3: '{"key":"x"}' },
			foreign: { A: "1" },
		});
		expect(of({ workers: 2 }, { ...S3, workers: 2 })).toEqual({ own: {}, foreign: { A: "1" } });
		expect(of(S3, { ...S3, workers: 2 })).toBeUndefined();
	});

	it("has a placeholder of a storage as it is there, beside the variables of others", () => {
		const live = pipeline({ environment_variables: { THEIRS: "x", FSSPEC_S3 } });
		const marked = { storage: { s3: { key: FOREIGN_VALUE }, hf: { token: "t" } } };
		expect(plan(marked, {}, live).environment).toEqual({
			own: { FSSPEC_HF: '{"token":"t"}' },
			foreign: { THEIRS: "x", FSSPEC_S3 },
		});
	});
});

describe("what is taken from others", () => {
	const taken = (declared: Props, live: Pipeline, olds: Props = {}, ours: Props = {}) =>
		takenSettings(declared, olds, live, ours).map(({ key, equal }) => (equal ? `${key} (equal)` : key));

	it("is what someone chose, and not what is unset or the default", () => {
		const declared = { pythonVersion: "3.12", priority: 1, workers: 4, environment: { A: "1" } };
		const unset = pipeline({ priority: 5, workers: 1, python_version: "", environment_variables: {} });
		expect(taken(declared, unset)).toEqual([]);
		expect(taken({ ...declared, ...S3 }, pipeline())).toEqual([]);
		const others = { priority: 2, python_version: "3.9", workers: 2, environment_variables: { B: "2" } };
		expect(taken(declared, pipeline(others))).toEqual([
			"pythonVersion",
			"workers",
			"priority",
			"environment",
		]);
	});

	it("is equal also beside the variable of a storage that this run removes", () => {
		const live = pipeline({ environment_variables: { A: "1", FSSPEC_S3 } });
		expect(taken({ environment: { A: "1" } }, live, {}, S3)).toEqual(["environment (equal)"]);
		expect(taken({ environment: { A: "1" } }, live)).toEqual(["environment"]);
	});

	it("is nothing that the state already has, that this run left there itself, or that is only a placeholder", () => {
		const live = pipeline({ python_version: "3.9", environment_variables: { A: "1" } });
		const declared = { pythonVersion: "3.12", environment: { A: "2" } };
		expect(taken(declared, live, { pythonVersion: "3.11", environment: {} })).toEqual([]);
		expect(taken(declared, live, {}, { pythonVersion: "3.9", environment: { A: "1" } })).toEqual([]);
		expect(taken({ repository: FOREIGN_VALUE }, pipeline({ repository: "theirs" }))).toEqual([]);
		expect(taken({ paused: true }, pipeline({ status: "RUNNING" }))).toEqual([]);
	});

	it("is what somebody changed since this run left it", () => {
		const live = pipeline({ python_version: "3.9", environment_variables: { A: "1" } });
		const declared = { pythonVersion: "3.12", environment: { A: "2" } };
		expect(taken(declared, live, {}, { pythonVersion: "3.8", environment: { A: "0" } })).toEqual([
			"pythonVersion",
			"environment",
		]);
		expect(taken(declared, live, {}, { workers: 1, ...S3 })).toEqual(["pythonVersion", "environment"]);
	});

	it("is no environment where all its variables are those of storages", () => {
		const live = pipeline({ environment_variables: { FSSPEC_S3 } });
		const declared = { environment: { A: "1" } };
		expect(taken(declared, live)).toEqual(["environment"]);
		expect(taken(declared, live, S3)).toEqual([]);
		expect(taken(declared, live, {}, S3)).toEqual([]);
		expect(taken({ ...declared, ...S3 }, live)).toEqual(["storage (equal)"]);
	});

	it("is a storage variable that others set, and not one of ours", () => {
		const live = pipeline({ environment_variables: { FSSPEC_S3: "{}", THEIRS: "x" } });
		expect(taken(S3, live)).toEqual(["storage"]);
		expect(taken(S3, live, S3)).toEqual([]);
		expect(taken(S3, live, {}, S3)).toEqual([]);
		expect(taken(S3, live, { environment: { FSSPEC_S3: "{}" } })).toEqual([]);
		expect(taken(S3, pipeline({ environment_variables: { FSSPEC_S3: null } }))).toEqual([]);
	});
});

describe("what is removed", () => {
	it("is what others set beside a declared environment, by name and sorted", () => {
		const live = pipeline({ environment_variables: { Z: "1", A: "1", OURS: "1", FSSPEC_S3 } });
		const declared = { environment: { NEW: "1" } };
		const olds = { environment: { OURS: "1" }, ...S3 };
		expect(removedVariables(plan(declared, olds, live), olds, live)).toEqual(["A", "Z"]);
	});
});

describe("why a plan cannot be carried out", () => {
	const problems = (declared: Props, live: Pipeline, previous = NOTHING) => {
		const inputs = { pipelineName: "images", ...declared };
		return [planProblem(inputs, plan(declared, {}, live)), restoreProblem(inputs, previous)].flatMap(
			(problem) => problem ?? [],
		);
	};

	it("is a variable of others that no line can carry, named without its value", () => {
		const live = pipeline({ environment_variables: { PEM: "line one\nline two", NIL: null, "my-var": "x" } });
		expect(problems(S3, live)).toEqual([
			'Pipeline "images" has variables of other users that a request cannot send back unchanged: the value of "PEM" has a line break ' +
				'(U+000A), and the service takes one line per variable; the variable "NIL" is null, and a line can only carry a string. ' +
				"Change them on the service first, or declare the whole environment.",
		]);
	});

	it("is a value that restore could not put back, and only for restore", () => {
		const previous = { settings: {}, variables: {}, environment: { PEM: "line one\nline two", NIL: null } };
		const declared = { environment: { A: "1" } };
		const two = { ...previous, variables: { FSSPEC_S3: "a\rb" } };
		expect(problems({ ...declared, onDestroy: "restore" }, pipeline(), two)).toEqual([
			'onDestroy "restore" could not put back what is there now: the value of "PEM" has a line break (U+000A), and the service ' +
				'takes one line per variable; the variable "NIL" is null, and a line can only carry a string; the value of "FSSPEC_S3" has a carriage return (U+000D), and the service takes one line per ' +
				'variable. Change it on the service first, or use onDestroy "keep".',
		]);
		const fine = { settings: {}, variables: { FSSPEC_S3: null }, environment: { A: "1" } };
		expect(problems({ ...declared, onDestroy: "restore" }, pipeline(), fine)).toEqual([]);
		expect(problems({ ...declared, onDestroy: "keep" }, pipeline(), previous)).toEqual([]);
	});
});

describe("a setting as people read it", () => {
	const NO_SECRETS = { secrets: [], secretsBefore: [] };

	it("has values where they cannot be secret, and names elsewhere", () => {
		const there = { workers: 1, repository: "https://a:b@c", environment_variables: { B: "hidden" } };
		const declared = { workers: 2, repository: "x", environment: { A: "hidden" }, ...S3 };
		const shown = Object.keys(declared).map((key) =>
			describeSetting(NO_SECRETS, key, declared, pipeline(there)),
		);
		expect(shown).toEqual([
			"workers is 1 there and 2 here",
			"repository",
			"environment (A, B)",
			"storage (s3.key)",
		]);
	});
});
