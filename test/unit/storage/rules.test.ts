import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import {
	checkParameterNames,
	checkStorage,
	STORAGE_KINDS,
	STORAGES,
	type StorageKind,
} from "../../../src/storage/rules";
import { CASES, HIDDEN, type Parameters } from "./rule-cases";

const known = () => false;
const UNKNOWN = "the value that is not known yet";
const isUnknown = (value: unknown) => value === UNKNOWN;
const problemsOf = (kind: StorageKind, parameters: Parameters) =>
	checkStorage({ kind, parameters }, known).problems;
const warningsOf = (kind: StorageKind, parameters: Parameters) =>
	checkStorage({ kind, parameters }, known).warnings;

const LEVELS = ["errors", "warnings"] as const;

/** The cases of all rules, with what a rule says whatever the values. */
const [ERRORS, WARNINGS] = LEVELS.map((level) =>
	STORAGE_KINDS.flatMap((kind) =>
		CASES[level][kind].map(([name, parameter, broken, kept, says]) => {
			const fixed = STORAGES[kind][level].find((rule) => rule.name === name)?.message;
			return [kind, name, parameter, says ?? String(fixed), broken, kept] as const;
		}),
	),
) as [Rows, Rows];
type Rows = (readonly [StorageKind, string, string, string, Parameters, Parameters])[];

test.each(LEVELS)("every rule has a case here, and says in a sentence what to do: %s", (level) => {
	for (const kind of STORAGE_KINDS) {
		const rules = STORAGES[kind][level];
		expect(new Set(CASES[level][kind].map(([name]) => name))).toEqual(new Set(rules.map(({ name }) => name)));
		for (const { message } of rules)
			if (typeof message === "string") expect(message).toMatch(/^[a-z]+ .{10,}\.$/);
	}
});

test.each(ERRORS)("refused at preview: %s: %s", (kind, _, parameter, says, broken, kept) => {
	const found = problemsOf(kind, broken).filter((problem) => problem.parameter === parameter);
	expect(found.map(({ reason }) => reason)).toEqual([says]);
	expect(problemsOf(kind, kept)).toEqual([]);
});

test.each(WARNINGS)("warned of at preview: %s: %s", (kind, _, parameter, says, broken, kept) => {
	expect(problemsOf(kind, broken)).toEqual([]);
	const about = (parameters: Parameters) =>
		warningsOf(kind, parameters).filter((text) => text.startsWith(`storage.${kind}: ${parameter} `));
	expect(about(broken)).toEqual([`storage.${kind}: ${parameter} ${says}`]);
	expect(about(kept)).toEqual([]);
});

test.each(['{"type":"authorized_user"}', ' {"a":1}'])(
	"what is refused as a text is no path as well: %s",
	(token) => {
		expect(problemsOf("gs", { token })).toHaveLength(1);
		expect(warningsOf("gs", { token })).toEqual([]);
	},
);

test.each([...ERRORS, ...WARNINGS])(
	"%s: %s never shows a value, and waits for values that are not known yet",
	(kind, _name, parameter, _says, broken) => {
		expect(JSON.stringify(checkStorage({ kind, parameters: broken }, known))).not.toContain(HIDDEN);
		const parameters = Object.fromEntries(Object.keys(broken).map((name) => [name, UNKNOWN]));
		const found = checkStorage({ kind, parameters }, isUnknown);
		expect(found.problems.filter((problem) => problem.parameter in broken)).toEqual([]);
		expect(found.warnings.filter((text) => text.includes(`: ${parameter} `))).toEqual([]);
	},
);

describe("the shape of a config", () => {
	test("is not judged while it, its kind or its parameters are not known", () => {
		const kind = { kind: UNKNOWN, parameters: { a: 1 } };
		for (const config of [UNKNOWN, kind, { kind: "s3", parameters: UNKNOWN }])
			expect(checkStorage(config, isUnknown)).toEqual({ problems: [], warnings: [] });
	});

	test("with something unknown deep in a dictionary still has its other parameters checked", () => {
		const parameters = { token: { private_key: UNKNOWN }, access: "admin" };
		expect(checkStorage({ kind: "gs", parameters }, isUnknown).problems).toEqual([
			{ parameter: "access", reason: expect.stringContaining('"read_only"') },
		]);
	});

	const MADE = "must be made with storage.s3, gs, az, hf, file or forUri.";
	const KIND = "has no known kind. The kinds are s3, gs, az, hf, file.";
	test.each([
		[undefined, MADE],
		[[], MADE],
		[{ kind: "ftp", parameters: {} }, KIND],
		[{ kind: "constructor" }, KIND],
		[{ kind: "s3", parameters: [] }, "must have its parameters in a dictionary."],
	])("%j is refused", (config, reason) => {
		expect(checkStorage(config, known)).toEqual({ problems: [{ parameter: "", reason }], warnings: [] });
	});

	test.each<[StorageKind, string, string]>([
		["s3", "endpoint_url", "is spelled endpointUrl here."],
		[
			"hf",
			"endPoint",
			'is no parameter of storage.hf, which takes token, endpoint. Did you mean "endpoint"?',
		],
		["hf", "constructor", "is no parameter of storage.hf, which takes token, endpoint."],
		[
			"file",
			"anon",
			"is no parameter of storage.file, which takes no parameters. It belongs to storage.s3, storage.az.",
		],
	])("of %s has no %s", (kind, parameter, reason) => {
		expect(problemsOf(kind, { [parameter]: HIDDEN })).toEqual([{ parameter, reason }]);
		expect(checkParameterNames(kind, [parameter])).toEqual([{ parameter, reason }]);
		// Its name is wrong whatever its value will be.
		const unknown = checkStorage({ kind, parameters: { [parameter]: UNKNOWN } }, isUnknown);
		expect(unknown.problems).toEqual([{ parameter, reason }]);
	});

	test("is not judged by rules where a parameter that decides is wrong by itself", () => {
		expect(problemsOf("s3", { key: 7 })).toEqual([{ parameter: "key", reason: "must be a string." }]);
		expect(problemsOf("s3", { secret: HIDDEN, clientKwargs: [] })).toEqual([
			{ parameter: "clientKwargs", reason: "must be a dictionary of plain JSON values." },
		]);
	});

	test.each<[StorageKind, Parameters, string]>([
		["s3", { anon: "yes" }, "must be true or false."],
		["s3", { defaultCacheType: "" }, "must not be empty; null disables caching."],
		["s3", { maxConcurrency: 1.5 }, "must be a whole number."],
		["s3", { maxConcurrency: 0 }, "must be 1 or more."],
		[
			"s3",
			{ session: {} },
			"is a live Python session, which JSON cannot carry: leave it out, and the library creates its own.",
		],
		["gs", { access: "admin" }, 'must be one of "read_only", "read_write", "full_control".'],
		[
			"gs",
			{ access: "read-onli" },
			'must be one of "read_only", "read_write", "full_control". Did you mean "read_only"?',
		],
		["gs", { cacheTimeout: "5" }, "must be a number of seconds."],
		["gs", { token: 5 }, 'must be a token dictionary, a path or a word such as "anon".'],
		["gs", { token: "" }, "must not be empty."],
		["gs", { requesterPays: 1 }, "must be true, false or the project to bill."],
		["hf", { token: 1 }, "must be a token, or true or false."],
	])("of %s with %j says what must be there", (kind, parameters, reason) => {
		expect(problemsOf(kind, parameters)).toEqual([{ parameter: Object.keys(parameters)[0], reason }]);
	});

	test("that is only for client_config is not warned of what the environment alone cannot do", () => {
		const parameters = { versionAware: true, useSsl: true, clientKwargs: { use_ssl: false } };
		const config = { kind: "s3", parameters };
		expect(checkStorage(config, known).warnings).toHaveLength(2);
		expect(checkStorage(config, known, "clientConfig").warnings).toEqual([expect.stringContaining("useSsl")]);
	});

	test("takes dictionaries of plain JSON", () => {
		const nested = { list: [1, "a", null, [true, {}]], nothing: undefined, bare: Object.create(null) };
		const elsewhere = runInNewContext("({ made: { in: ['another', 'realm'] } })");
		for (const value of [{}, nested, elsewhere, within(64)]) {
			expect(problemsOf("s3", { clientKwargs: value })).toEqual([]);
		}
	});

	test("refuses dictionaries that are not plain JSON", () => {
		class Made {}
		for (const value of [
			[],
			new Made(),
			{ when: new Date() },
			{ list: [1, [Number.POSITIVE_INFINITY]] },
			{ list: [undefined] },
			within(65),
		]) {
			expect(problemsOf("s3", { clientKwargs: value })).toEqual([
				{ parameter: "clientKwargs", reason: "must be a dictionary of plain JSON values." },
			]);
		}
	});
});

/** So many dictionaries, each in the one before. */
function within(levels: number): unknown {
	let deep: unknown = 1;
	for (let level = 0; level < levels; level += 1) deep = { deep };
	return deep;
}
