import { describe, expect, test } from "vitest";
import { z } from "zod";
import { fileName } from "../../../src/schemas/job";
import {
	countReply,
	idReply,
	objectName,
	oneOf,
	wholeNumber,
} from "../../../src/schemas/primitives";
import {
	requirementLines,
	settingsArgsShape,
} from "../../../src/schemas/settings-args";
import { holdsCredentials } from "../../../src/text/credentials";

const problemsOf = (schema: z.ZodType, value: unknown): string[] =>
	schema.safeParse(value).error?.issues.map(({ message }) => message) ?? [];

describe("a name", () => {
	test.each([
		["nightly images", []],
		["ünï/код 👍", []],
		["x".repeat(256), ["must have at most 255 characters, and has 256"]],
		["", ["must not be empty"]],
		["a\tb", ["must not contain control characters"]],
		[" a", ["must not start or end with white space"]],
		["a ", ["must not start or end with white space"]],
		[" ", ["must not be empty"]],
		[7, ["must be a string"]],
	])("%j: %j", (name, problems) => {
		expect(problemsOf(objectName, name)).toEqual(problems);
	});

	test.each(["...", ".env"])("of a file may be %j", (name) => {
		expect(problemsOf(fileName, name)).toEqual([]);
	});

	test.each([".", "..", "a/b", "/a", "a\\b", "b/"])(
		"of a file may not be %j",
		(name) => {
			expect(problemsOf(fileName, name)).toEqual([
				"must be a plain file name, without a folder",
			]);
		},
	);
});

describe("a count in a reply", () => {
	test.each([
		[4, 4],
		["4", 4],
		["123456789012345", 123_456_789_012_345],
	])("%j is %j", (value, count) => {
		expect(countReply.parse(value)).toBe(count);
	});

	test.each([
		"",
		" 4",
		"4 ",
		"x4",
		"4x",
		"4.5",
		"+4",
		"1234567890123456",
		4.5,
		true,
		[4],
	])("%j is none", (value) => {
		expect(countReply.safeParse(value).success).toBe(false);
	});
});

test.each([
	[7, 7],
	["7", 7],
	["07", undefined],
	["", undefined],
	["k3f9x2mq7a", undefined],
	["9007199254740993", undefined],
])("the id %j in a reply is %j", (value, id) => {
	expect(idReply.safeParse(value).data).toBe(id);
});

test("a whole number in a program must not be a text", () => {
	const message = "must be a whole number such as 4";
	expect(problemsOf(wholeNumber, 4)).toEqual([]);
	for (const value of ["4", 4.5, true, 2 ** 60, Number.NaN, Number.POSITIVE_INFINITY])
		expect(problemsOf(wholeNumber, value)).toEqual([message]);
});

describe("one of a few words", () => {
	const word = oneOf({ Keep: "keep", Restore: "restore", Reset: "reset" });
	const ALL = 'must be "keep", "restore" or "reset"';

	test.each([
		["keep", []],
		["retore", [`${ALL}, not "retore". Did you mean "restore"?`]],
		["KEEP", [`${ALL}, not "KEEP". Did you mean "keep"?`]],
		["undo", [`${ALL}, not "undo".`]],
		[7, [`${ALL}, not 7`]],
	])("%j: %j", (value, problems) => {
		expect(problemsOf(word, value)).toEqual(problems);
	});

	test("shows only the beginning of a long text", () => {
		expect(problemsOf(word, "x".repeat(5_000))).toEqual([
			`${ALL}, not "${"x".repeat(100)}".`,
		]);
	});
});

describe("settings of a pipeline", () => {
	const problems = (settings: Record<string, unknown>) =>
		z
			.strictObject(settingsArgsShape)
			.safeParse(settings)
			.error?.issues.map(({ path, message }) => `${path.join(".")} ${message}`) ?? [];

	const VERSION =
		'pythonVersion must look like "3.12" (or be empty for the service\'s default), not "3"';
	const REPOSITORY =
		'must be the URL to clone, such as "https://github.com/owner/name", with an optional @revision';
	const PATH =
		"requirements is a path, and the service takes the lines themselves. Read the file in the program and give its lines";

	test.each([
		{},
		{
			pythonVersion: "3.12",
			repository: "https://host/r@main",
			workers: 1,
			priority: 0,
		},
		{ repository: "git@github.com:a/b.git@v1" },
		{ repository: "ssh://git@git.example.com:2222/a/b" },
		{ repository: "https://ada:hunter2@git.example.com/team/tree/tool.git" },
		{ repository: "http://localhost:3000/a" },
		{ pythonVersion: "3.12.10", priority: 5, environment: { A: "1", _b2: "" } },
		{
			pythonVersion: "",
			requirements: ["numpy==2", "-r more.txt extra"],
			repository: "",
		},
		{ requirements: "numpy\ntorch.txt>=1\nhttps://host/a.txt" },
		{
			requirements: [
				"# what it needs",
				"pillow==11.*",
				"pillow ~= 11.0, != 11.1",
				"pillow===11-local",
				"torch[cpu,extra] >= 2 ; python_version < '3.13'",
				"pkg @ https://host/pkg.whl",
				"pkg@git+https://host/pkg@v1",
				"git+https://host/pkg.git@main#egg=pkg",
				"--index-url https://host/simple",
				"-e .",
				"./wheels/my pkg.whl",
				"numpy --hash=sha256:00",
				"numpy # the newest",
				"numpy \\",
				"c:\\x\\pkg.whl",
				"",
			],
		},
	])("may be %j", (settings) => {
		expect(problems(settings)).toEqual([]);
	});

	test.each([
		[
			{ pythonVersion: 3.1 },
			['pythonVersion must be a string such as "3.12" (the number 3.10 is 3.1)'],
		],
		[{ pythonVersion: "3" }, [VERSION]],
		[
			{ requirements: 7 },
			["requirements must be a list of requirements or one string, not a number"],
		],
		[
			{ requirements: { pillow: "11" } },
			["requirements must be a list of requirements or one string, not an object"],
		],
		[{ requirements: ["numpy", 3] }, ["requirements.1 must be a string, not a number"]],
		...(
			[
				["pillow = 11", "pillow==11"],
				["pillow=11.2", "pillow==11.2"],
				["pillow[extra] 11", "pillow[extra]==11"],
				["pillow@11", "pillow==11"],
				["pillow: 11", "pillow==11"],
				["pillow^11", "pillow>=11"],
				["pillow ~11", "pillow~=11"],
				["pillow => 11", "pillow>=11"],
				["pillow =< 11", "pillow<=11"],
				["pillow@^11", "pillow>=11"],
				['pillow = "^11.0"', "pillow>=11.0"],
				["pillow = '~=11.0'", "pillow~=11.0"],
				['pillow = "11.0"', "pillow==11.0"],
				['pillow = "*"', "pillow"],
				["pillow==latest", "pillow"],
				["pillow: latest", "pillow"],
				["'pillow==11'", "pillow==11"],
				["pillow=11.0=py311_0", "pillow==11.0"],
				["pip install pillow", "pillow"],
				["pip3 install -U pillow==11", "pillow==11"],
			] as const
		).map(([line, instead]): [Record<string, unknown>, string[]] => [
			{ requirements: ["numpy", line] },
			[
				`requirements.1 ${JSON.stringify(line)} is no requirement that pip can read: write "${instead}"`,
			],
		]),
		[
			{ requirements: ["==11"] },
			[
				'requirements.0 "==11" is no requirement that pip can read: write the name of the package before the version',
			],
		],
		...[
			"numpy, pandas",
			"numpy pandas",
			"numpy,pandas>=2",
			"numpy==2, pandas>=2",
			"numpy==2 pandas",
		].map((line): [Record<string, unknown>, string[]] => [
			{ requirements: line },
			[
				`requirements "${line}" is no requirement that pip can read: write one requirement to a line`,
			],
		]),
		[
			{ requirements: ["a\nb"] },
			["requirements.0 must be one line, without control characters"],
		],
		[{ requirements: "requirements.txt" }, [PATH]],
		[{ requirements: " ./sub/req-dev.IN " }, [PATH]],
		[
			{ requirements: ["numpy", "c:\\x\\pyproject.toml", "..\\pyproject.toml"] },
			[PATH],
		],
		...(
			[
				["github.com/a/b", "https://github.com/a/b"],
				["www.gitlab.com/a/b.git", "https://www.gitlab.com/a/b.git"],
				["a/b", "https://github.com/a/b"],
				["a/b@main", "https://github.com/a/b@main"],
				["https://github.com/a/b/tree/main", "https://github.com/a/b@main"],
				["https://github.com/a/b/blob/v1/x/y.py#L3", "https://github.com/a/b@v1"],
				["https://gitlab.com/g/s/p/-/tree/main/x", "https://gitlab.com/g/s/p@main"],
				["https://github.com/a/b#main", "https://github.com/a/b@main"],
			] as const
		).map(([repository, instead]): [Record<string, unknown>, string[]] => [
			{ repository },
			[`repository ${REPOSITORY}, not "${repository}". Did you mean "${instead}"?`],
		]),
		...["jobs", "htps://github.com/a/b", "https://github.com/a/b c", "https://"].map(
			(repository): [Record<string, unknown>, string[]] => [
				{ repository },
				[`repository ${REPOSITORY}, not "${repository}"`],
			],
		),
		...["./", ".", "../jobs", "~/jobs", "/src/jobs", "C:\\jobs", "file:///jobs"].map(
			(repository): [Record<string, unknown>, string[]] => [
				{ repository },
				[
					`repository is a path on this machine, and jobs run on others: it ${REPOSITORY}, not ${JSON.stringify(repository)}`,
				],
			],
		),
		[
			{ repository: "https://ada:hunter2@github.com/a/b c" },
			[`repository ${REPOSITORY}`],
		],
		[
			{ repository: "a\tb" },
			["repository must be one line, without control characters"],
		],
		[
			{ workers: 0 },
			["workers must be 1 or more, not 0: without a worker no job runs"],
		],
		[{ priority: 9 }, ["priority must be 0 to 5, not 9"]],
		[{ environment: "A=1" }, ["environment must be an object of names and strings"]],
		[
			{ environment: { A: 1 } },
			[
				"environment.A must be a string, not a number. Convert it, for example with String(value)",
			],
		],
		[
			{ environment: { A: null } },
			[
				"environment.A must be a string, not null. Leave the variable out, or give an empty string",
			],
		],
		[
			{ environment: { "a-b": "1", OK: "2", C: "x\ny" } },
			[
				'environment "a-b" is not a variable name: use letters, digits and _, not starting with a digit',
				"environment the value of C has a line break (U+000A), and the service takes one line per variable: encode it, as base64 for instance, or upload it as a JobFile",
			],
		],
	])("may not be %j", (settings, expected) => {
		expect(problems(settings)).toEqual(expected);
	});
});

test("requirements are compared line by line, without blank lines and white space around", () => {
	expect(requirementLines(" numpy \r\n\r\n\ttorch\n  \n")).toEqual(["numpy", "torch"]);
	expect(requirementLines(["numpy ", "", "torch"])).toEqual(["numpy", "torch"]);
	expect([
		requirementLines(null),
		requirementLines(undefined),
		requirementLines(""),
	]).toEqual([[], [], []]);
});

test.each([
	[["numpy", "x @ https://t0ken@host/x.whl"], true],
	[{ url: "https://user:pass@host/r" }, false],
])("%j holds credentials: %j", (value, expected) => {
	expect(holdsCredentials(value)).toBe(expected);
});
