import { describe, expect, it, test } from "vitest";
import { hosted } from "../../../src/provider/hosts/hosting";
import { sha256 } from "../../../src/provider/kinds/job-file/job-file";
import {
	containsForeign,
	FOREIGN_VALUE,
	withoutForeignCredentials,
	withoutPlaceholders,
} from "../../../src/provider/model/foreign-values";
import { type Props, problem, UNKNOWN } from "../../../src/provider/model/props";
import { isHashOf, saltedHash } from "../../../src/provider/model/salted-hash";
import {
	changedSecrets,
	holdSecrets,
	SecretNames,
	secretsMoved,
	withoutParts,
} from "../../../src/provider/model/secrets";
import type { Call } from "../../../src/provider/run/context";
import type { ResourceHandler } from "../../../src/provider/run/handler";
import { refusePlaceholders } from "../../../src/provider/run/redacting";

describe("the placeholder for a foreign value", () => {
	it("stands before a URL whose credentials are masked, and leaves other texts alone", () => {
		const placeholder = withoutForeignCredentials(
			"https://ada:hunter2@example.com/repo.git",
		);
		expect(placeholder).toBe(`${FOREIGN_VALUE} https://***@example.com/repo.git`);
		expect(containsForeign(placeholder)).toBe(true);
		expect(withoutForeignCredentials("https://example.com/repo.git@main")).toBe(
			"https://example.com/repo.git@main",
		);
	});

	it.each([
		[FOREIGN_VALUE],
		[["numpy", null, `${FOREIGN_VALUE} x`]],
		[{ s3: { token: FOREIGN_VALUE } }],
	])("is seen in %j", (value) => {
		expect(containsForeign(value)).toBe(true);
	});

	it("is no part of what a program declares by name, and lists and other values stay whole", () => {
		const values = [{ A: FOREIGN_VALUE, B: "x" }, [FOREIGN_VALUE], null, FOREIGN_VALUE];
		expect(values.map(withoutPlaceholders)).toEqual([{ B: "x" }, ...values.slice(1)]);
	});

	it("is refused where neither the state nor the first check of a replacement has it", () => {
		const fields = { name: { change: "replace" }, text: { change: "none" } } as never;
		const first = { name: { a: FOREIGN_VALUE } };
		const call = { urn: "u", declared: new Map([["u", first]]) } as unknown as Call;
		const refused = (olds: Props, news: Props) =>
			refusePlaceholders(call, fields, olds, news).map(({ reason }) =>
				reason.split(" ", 2).join(),
			);
		const news = {
			name: { a: FOREIGN_VALUE, b: [null, `${FOREIGN_VALUE} x`] },
			text: FOREIGN_VALUE,
		};
		expect(refused({}, news)).toEqual(['name.b.1:,"(set']);
		expect(refused({ name: "x" }, news)).toEqual(['name.a:,"(set', 'name.b.1:,"(set']);
		expect(refused({ name: news.name }, news)).toEqual([]);
	});
});

it("inputs hold secrets where one of them is one, or a part of it", () => {
	const hold = (path: string) =>
		holdSecrets({ secrets: ["other", path] }, ["environment", "name"]);
	expect(["name", "environment.A", "names", "my.name."].map(hold)).toEqual([
		true,
		true,
		false,
		false,
	]);
});

const of = (value: string) => ({
	environment: { "a.b": { c: value }, a: { "b.c": "other" }, ".": value },
});
it.each<[string, object, object, boolean]>([
	[
		"environment.MODE",
		{ environment: { MODE: "x1" } },
		{ environment: { MODE: "x2" } },
		true,
	],
	// The longest key that fits.
	["environment.a.b.c", of("1"), of("2"), true],
	["environment..", of("1"), of("2"), true],
	["environment.a.b.c.d", of("1"), of("2"), false],
	["environment..x", of("1"), of("2"), false],
	["environment.x", of("1"), of("2"), false],
	["other.a", of("1"), of("2"), false],
	["a", of("1"), of("2"), false],
	["text.a", { text: null }, { text: { a: "1" } }, false],
	["text", { text: "1" }, { text: "1" }, false],
	["text", {}, { text: "1" }, false],
	["text", { other: 1 }, { text: "1" }, false],
	["text", { text: "1" }, { text: UNKNOWN }, false],
])(
	"a secret that changes is named by its path, without a value: %s of %j to %j: %s",
	(path, olds, news, is) => {
		const call = { urn: "urn:pulumi:dev::shop::type::s", secrets: [path] };
		const told = is ? [`"s": the secret value of ${path} changes.`] : [];
		expect(changedSecrets(call, { ...olds }, { ...news })).toEqual(told);
	},
);

it("other inputs are secrets than before where the lists differ, in whatever order", () => {
	expect([secretsMoved(["b", "a"], ["a", "b"]), secretsMoved(undefined, [])]).toEqual([
		false,
		false,
	]);
	expect([secretsMoved(undefined, ["a"]), secretsMoved(["a"], ["b"])]).toEqual([
		true,
		true,
	]);
});

const plain = sha256("1234");

it("the stored hash of a secret content is recognized in both forms, and nothing else is", () => {
	const another = sha256("1235");
	expect([isHashOf(plain, plain), isHashOf("a:b", "a:b")]).toEqual([true, true]);
	expect(isHashOf(saltedHash(plain, undefined), plain)).toBe(true);
	for (const other of [
		undefined,
		7,
		"",
		"scrypt:00",
		another,
		saltedHash(another, undefined),
	])
		expect(isHashOf(other, plain)).toBe(false);
});

const CLIENT: object = { scoped: () => CLIENT };
const CALL = { client: CLIENT, urn: "urn", declared: new Map(), secretsBefore: [] };

/** The messages of a hosted handler that says this in a notice, a problem and an error. */
async function told(
	text: string,
	secrets: readonly string[],
	inputs: Props,
): Promise<string> {
	const notices: string[] = [];
	const call = {
		...CALL,
		secrets,
		secretNames: new SecretNames(),
		notice: (line: string) => notices.push(line),
	} as unknown as Call;
	const handler = {
		fields: { name: {}, datasets: {}, environment: { hidden: true } },
		check: async (given: Call) => {
			given.notice(text);
			return { inputs, problems: [problem("name", text)] };
		},
		create: async () => {
			throw new Error(text);
		},
	};
	const quiet = hosted(handler as unknown as ResourceHandler);
	const { problems } = await quiet.check(call, {}, inputs);
	const error: Error = await quiet.create(call, inputs).then(
		() => new Error("it did not fail"),
		(failure) => failure,
	);
	expect(problems).toEqual([problem("name", error.message)]);
	expect(notices).toEqual([error.message]);
	expect(error.stack).toContain(error.message);
	expect(error.stack).toContain("secrets.test.ts");
	return error.message;
}

test.each<[string, Props, string, string]>([
	[
		"name",
		{ name: "main" },
		'main "main" maintenance',
		'[redacted] "[redacted]" maintenance',
	],
	["name", { name: "run" }, 'run "run" again', "run [redacted] again"],
	["name", { name: 'a"b' }, 'it is "a\\"b" now', "it is [redacted] now"],
	[
		"datasets.1",
		{ datasets: ["dev.raw", "dev.clean"] },
		"dev.raw, dev.clean",
		"dev.raw, [redacted]",
	],
	["unheard-of", { "unheard-of": "sesame" }, "open sesame", "open [redacted]"],
	[
		"name",
		{ name: { path: "./sesame.py" } },
		'cannot read "./sesame.py"',
		'cannot read "[redacted]"',
	],
	[
		"name",
		{ name: { uri: "https://a.example/sesame?bc" } },
		"no https://a.example/sesame",
		"no [redacted]",
	],
	["name", {}, "undefined", "undefined"],
	["name", { name: 9 }, "must be 0 to 5, not 9.", "must be 0 to 5, [redacted]."],
	["name", { name: 9 }, "must be 0 to 9, not 91.", "must be 0 to 9, not 91."],
	["name", { name: "main" }, "it is not main", "it is not [redacted]"],
	[
		"datasets",
		{ datasets: [{ path: "" }, "dev.raw"] },
		'"" or dev.raw',
		'"" or [redacted]',
	],
	// Another user has it in a case of its own, and the service in a form of its own.
	[
		"name",
		{ name: "Open-Sesame" },
		'open-sesame, as "oPEN-sesaME"',
		'[redacted], as "[redacted]"',
	],
	["name", { name: "Open-Sesame" }, 'İ has "oPEN-sesaME"', 'İ has "[redacted]"'],
	["name", { name: "Straße 7" }, "STRASSE 7 is taken", "[redacted] is taken"],
	["name", { name: " sesame " }, "there is no sesame", "there is no [redacted]"],
	// No message repeats these, and what they hold may be any word.
	[
		"environment",
		{ environment: "service" },
		"The service says no",
		"The service says no",
	],
	[
		"environment.KEY",
		{ environment: { KEY: "service" } },
		"The service says no",
		"The service says no",
	],
])(
	"the secret %s of %j is redacted from messages",
	async (path, inputs, text, expected) => {
		expect(await told(text, [path], inputs)).toBe(expected);
		expect(await told(text, [], inputs)).toBe(text);
	},
);

test.each<[string, string, string]>([
	["H 25 * * 1", "H and 25, 1 and 125", "H and [redacted], [redacted] and 125"],
	["Europe/Berlin", 'no "Berlin" in Europe', 'no "[redacted]" in [redacted]'],
	["@daily", "daily is unknown", "daily is unknown"],
])(
	"of the secret text %j no part is repeated that tells something: %s",
	(text, reason, expected) => {
		const parts = (secrets: string[], value: unknown) =>
			withoutParts({ secrets, secretsBefore: [] }, { field: value }, "field", reason);
		expect(parts(["field"], text)).toBe(expected);
		expect([parts(["other"], text), parts(["field"], [text])]).toEqual([
			reason,
			reason,
		]);
	},
);
