import { describe, expect, it } from "vitest";
import type { Props } from "../../../src/provider/handler";
import { FOREIGN_VALUE } from "../../../src/provider/secrets";
import {
	describeSetting,
	planOf,
	planProblem,
	removedVariables,
	sentKeys,
	takenSettings,
	touchedKeys,
} from "../../../src/provider/settings-plan";
import type { Pipeline } from "../../../src/schemas/wire/pipeline";
import { livePipeline } from "../../helpers/export-teams";

const pipeline = (fields: Partial<Pipeline> = {}) => livePipeline("images", fields);
const S3 = { storage: { s3: { key: "k" } } };
const FSSPEC_S3 = '{"key":"k"}';
const plan = (declared: Props, olds: Props, live: Pipeline) => planOf(declared, olds, live, () => null);

describe("what is written", () => {
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
});

it("what counts as sent is what the plan has, and with the environment all that share it", () => {
	const declared = { workers: 2, priority: 1, environment: { A: "1" }, ...S3 };
	const sent = (more: object) => sentKeys(declared, { settings: { workers: 2 }, ...more });
	expect([sent({}), sent({ environment: {} })]).toEqual([["workers"], ["workers", "environment", "storage"]]);
});

describe("what is taken from others", () => {
	const taken = (declared: Props, live: Pipeline, olds: Props = {}, ours: Props = {}) =>
		takenSettings(declared, olds, live, ours).map(({ key, equal }) => (equal ? `${key} (equal)` : key));

	it("is what someone chose, and not what is unset or the default", () => {
		const declared = { pythonVersion: "3.12", workers: 4, priority: 1, environment: { A: "1" } };
		const unset = pipeline({ priority: 5, workers: 1, python_version: "", environment_variables: {} });
		expect(taken(declared, unset)).toEqual([]);
		expect(taken({ ...declared, ...S3 }, pipeline())).toEqual([]);
		const others = { priority: 2, python_version: "3.9", workers: 2, environment_variables: { B: "2" } };
		expect(taken(declared, pipeline(others))).toEqual(Object.keys(declared));
	});

	it("is equal also beside the variable of a storage that this run removes", () => {
		const live = pipeline({ environment_variables: { A: "1", FSSPEC_S3 } });
		expect(taken({ environment: { A: "1" } }, live, {}, S3)).toEqual(["environment (equal)"]);
		const others = pipeline({ environment_variables: { A: "1", B: "2", FSSPEC_S3 } });
		expect(taken({ environment: { A: "1" } }, others, {}, S3)).toEqual(["environment"]);
	});

	it("is nothing that the state already has, that this run left there itself, or that is only a placeholder", () => {
		const live = pipeline({ python_version: "3.9", environment_variables: { A: "1" } });
		const declared = { pythonVersion: "3.12", environment: { A: "2" } };
		expect(taken(declared, live, { pythonVersion: "3.11", environment: {} })).toEqual([]);
		expect(taken(declared, live, {}, { pythonVersion: "3.9", environment: { A: "1" } })).toEqual([]);
		expect(taken({ repository: FOREIGN_VALUE }, pipeline({ repository: "theirs" }))).toEqual([]);
		expect(taken({ paused: true }, pipeline({ status: "RUNNING" }))).toEqual([]);
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

it("what is removed is what others set beside a declared environment, by name and sorted", () => {
	const live = pipeline({ environment_variables: { Z: "1", A: "1", OURS: "1", FSSPEC_S3 } });
	const declared = { environment: { NEW: "1" } };
	const olds = { environment: { OURS: "1" }, ...S3 };
	const removed = (ours: Props) => removedVariables(plan(declared, olds, live), olds, live, ours);
	expect(removed({})).toEqual(["A", "Z"]);
	expect(removed({ environment: { Z: "1", A: "2" } })).toEqual(["A"]);
	const withStorage = { Z: "1", A: "1", OURS: "1", FSSPEC_S3 };
	expect(removedVariables(plan(declared, {}, live), {}, live, { environment: withStorage })).toEqual([]);
	expect(removedVariables(plan(declared, {}, live), {}, live, S3)).toEqual(["A", "OURS", "Z"]);
});

it("variables of others that no line can carry are why a plan cannot be carried out, named without their values", () => {
	const live = pipeline({ environment_variables: { PEM: "line one\nline two", NIL: null, "my-var": "x" } });
	expect(planProblem({ pipelineName: "images", ...S3 }, plan(S3, {}, live))).toBe(
		'Pipeline "images" has variables of other users that a request cannot send back unchanged: the value of "PEM" has a line break ' +
			'(U+000A), and the service takes one line per variable; the variable "NIL" is null, and a line can only carry a string. ' +
			"Change them on the service first, or declare the whole environment.",
	);
});

it("a setting as people read it has values where they cannot be secret, and names elsewhere", () => {
	const NO_SECRETS = { secrets: [], secretsBefore: [] };
	const theirs = { workers: 1, repository: "https://a:b@c", environment_variables: { B: "hidden" } };
	const there = { ...theirs, python_version: "" };
	const declared = {
		pythonVersion: "3.12",
		workers: 2,
		repository: "x",
		environment: { A: "hidden" },
		...S3,
	};
	const shown = Object.keys(declared).map((key) =>
		describeSetting(NO_SECRETS, key, declared, pipeline(there)),
	);
	expect(shown).toEqual([
		'pythonVersion is not set there and "3.12" here',
		"workers is 1 there and 2 here",
		"repository",
		"environment (A, B)",
		"storage (s3.key)",
	]);
});
