import { describe, expect, test } from "vitest";
import { checkStorage, STORAGE_KINDS, STORAGES, type StorageKind } from "../../../src/schemas/storage";

import { HIDDEN, type Parameters } from "../../helpers/storage-rule-cases";
import { ERRORS } from "../../helpers/storage-rule-errors";
import { WARNINGS } from "../../helpers/storage-rule-warnings";

const known = () => false;
const UNKNOWN = "the value that is not known yet";
const problemsOf = (kind: StorageKind, parameters: Parameters) =>
	checkStorage({ kind, parameters }, known).problems;
const warningsOf = (kind: StorageKind, parameters: Parameters) =>
	checkStorage({ kind, parameters }, known).warnings;

test("every rule has a case here", () => {
	for (const [level, rows] of [
		["error", ERRORS],
		["warning", WARNINGS],
	] as const) {
		const rules = STORAGE_KINDS.flatMap((kind) =>
			STORAGES[kind].rules.filter((rule) => rule.level === level).map(({ name }) => `${kind}: ${name}`),
		);
		expect(new Set(rows.map(([kind, name]) => `${kind}: ${name}`))).toEqual(new Set(rules));
	}
});

describe("refused at preview", () => {
	test.each(ERRORS)("%s: %s", (kind, _, parameter, says, broken, kept) => {
		const found = problemsOf(kind, broken).filter((problem) => problem.parameter === parameter);
		expect(found.map(({ reason }) => reason)).toEqual([says]);
		expect(problemsOf(kind, kept)).toEqual([]);
	});
});

describe("warned of at preview", () => {
	test.each(WARNINGS)("%s: %s", (kind, _, parameter, says, broken, kept) => {
		expect(problemsOf(kind, broken)).toEqual([]);
		const about = warningsOf(kind, broken).filter((text) =>
			text.startsWith(`storage.${kind}: ${parameter} `),
		);
		expect(about).toEqual([`storage.${kind}: ${parameter} ${says}`]);
		expect(warningsOf(kind, kept)).not.toContain(about[0]);
	});
});

describe("whatever is found", () => {
	const all = [...ERRORS, ...WARNINGS];

	test.each(all)("%s: %s never shows a value", (kind, _name, _parameter, _says, broken) => {
		const found = checkStorage({ kind, parameters: broken }, known);
		expect(JSON.stringify(found)).not.toContain(HIDDEN);
	});

	test.each(all)(
		"%s: %s waits for values that are not known yet",
		(kind, _name, parameter, _says, broken) => {
			const parameters = Object.fromEntries(Object.keys(broken).map((name) => [name, UNKNOWN]));
			const isUnknown = (value: unknown) => value === UNKNOWN;
			const found = checkStorage({ kind, parameters }, isUnknown);
			expect(found.problems.filter((problem) => problem.parameter in broken)).toEqual([]);
			expect(found.warnings.filter((text) => text.includes(`: ${parameter} `))).toEqual([]);
		},
	);
});

describe("the shape of a config", () => {
	const deepUnknown = (value: unknown) => value === UNKNOWN;

	test("is not judged while it, its kind or its parameters are not known", () => {
		for (const config of [
			UNKNOWN,
			{ kind: UNKNOWN, parameters: { a: 1 } },
			{ kind: "s3", parameters: UNKNOWN },
		]) {
			expect(checkStorage(config, deepUnknown)).toEqual({ problems: [], warnings: [] });
		}
	});

	test("with something unknown deep in a dictionary still has its other parameters checked", () => {
		const parameters = { token: { private_key: UNKNOWN }, access: "admin" };
		expect(checkStorage({ kind: "gs", parameters }, deepUnknown).problems).toEqual([
			{ parameter: "access", reason: expect.stringContaining('"read_only"') },
		]);
	});

	test.each([[undefined], ["s3"], [[]], [{ kind: "ftp", parameters: {} }], [{ kind: "s3", parameters: [] }]])(
		"%j is refused",
		(config) => {
			expect(checkStorage(config, known).problems).toEqual([{ parameter: "", reason: expect.any(String) }]);
		},
	);

	test("names the right spelling of a wire name, and the storage that has a parameter", () => {
		expect(problemsOf("s3", { endpoint_url: HIDDEN })).toEqual([
			{ parameter: "endpoint_url", reason: "is spelled endpointUrl here." },
		]);
		expect(problemsOf("hf", { accountKey: HIDDEN })[0]?.reason).toContain("storage.az");
		expect(problemsOf("file", { anon: true })[0]?.reason).toContain("takes no parameters");
		expect(problemsOf("s3", { constructor: 1 })).toHaveLength(1);
	});

	test("that is only for client_config is not warned of what the environment alone cannot do", () => {
		const config = {
			kind: "s3",
			parameters: { versionAware: true, useSsl: true, clientKwargs: { use_ssl: false } },
		};
		expect(checkStorage(config, known).warnings).toHaveLength(2);
		expect(checkStorage(config, known, "clientConfig").warnings).toEqual([expect.stringContaining("useSsl")]);
	});

	test("refuses dictionaries that are not plain JSON", () => {
		let deep: unknown = 1;
		for (let level = 0; level < 100; level += 1) deep = { deep };
		for (const value of [{ when: new Date() }, { call: () => 1 }, { big: 1n }, { nan: Number.NaN }, deep]) {
			expect(problemsOf("s3", { clientKwargs: value })).toHaveLength(1);
		}
	});
});
