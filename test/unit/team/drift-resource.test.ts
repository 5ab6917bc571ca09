import { expect, it } from "vitest";
import { SETTINGS_FIELDS } from "../../../src/provider/kinds/settings/fields";
import type { FieldDrift } from "../../../src/team/drift-report";
import {
	describeChange,
	fieldRows,
	referTo,
	uncheckedFields,
} from "../../../src/team/drift-resource";

const rowsOf = (
	field: string,
	declared: unknown,
	live: unknown,
	...secretPaths: string[]
): FieldDrift[] =>
	fieldRows(SETTINGS_FIELDS, field, declared, live, new Set(secretPaths));

it.each([
	["workers", 2, 3, { how: "changed", declared: 2, live: 3 }],
	[
		"cronExpression",
		undefined,
		"@daily",
		{ how: "added", declared: null, live: "@daily" },
	],
])(
	"a differing %s shows both values, as neither can be secret",
	(field, declared, live, row) => {
		expect(rowsOf(field, declared, live)).toEqual([{ field, hidden: false, ...row }]);
	},
);

it.each<[string, string, unknown, unknown, string[]]>([
	[
		"that the state marks as secret",
		"pythonVersion",
		"3.12",
		"3.13",
		["pythonVersion"],
	],
	["that is secret in part", "credentialsNames", ["a"], ["b"], ["credentialsNames.0"]],
	[
		"that is secret as a whole, with its names",
		"environment",
		{ A: "1" },
		{ B: "1" },
		["environment"],
	],
	["that may hold a password", "requirements", "canary-a", "canary-b", []],
])("shows nothing of a field %s: %s", (_why, field, declared, live, secretPaths) => {
	expect(rowsOf(field, declared, live, ...secretPaths)).toEqual([
		{ field, how: "changed", hidden: true },
	]);
});

it.each<[string, unknown, unknown, [string, string][]]>([
	[
		"environment",
		{ A: "1", B: "2", C: "3" },
		{ A: "1", B: "x", D: "4" },
		[
			["environment.B", "changed"],
			["environment.C", "removed"],
			["environment.D", "added"],
		],
	],
	// A field of a kind that is yet to come is taken apart like any other.
	["labels", { a: { b: "1" } }, { a: { b: "2" } }, [["labels.a.b", "changed"]]],
])(
	"names the parts of %s that differ, and no others, without values",
	(field, declared, live, rows) => {
		const found = rowsOf(field, declared, live);
		expect(found.map((row) => [row.field, row.how])).toEqual(rows);
		expect(JSON.stringify(found)).not.toMatch(/declared|live/);
	},
);

const resource = (kind: string) => ({
	...{ urn: "u", kind, name: "n", id: "1", stateUrn: "u" },
	...{ inputs: {}, outputs: {}, secretPaths: new Set<string>() },
});

it.each([
	["JobFile", {}, ["content"]],
	[
		"PipelineSettings",
		{ uncheckedKeys: ["files", "credentialsNames"] },
		["files", "credentialsNames"],
	],
])("lists what cannot be checked of a %s with %j", (kind, live, fields) => {
	const found = uncheckedFields(referTo(resource(kind), "t"), live);
	expect(found.map(({ field }) => field)).toEqual(fields);
});

it.each([
	["Pipeline", {}, "COMPLETED"],
	["Job", {}, "COMPLETE"],
	["Job", { cronExpression: "@daily" }, "TASK"],
])(
	"a %s with %j that failed was to be %s, as the service calls it",
	(kind, inputs, status) => {
		const state = { ...resource(kind), inputs };
		const change = describeChange(
			referTo(state, "t"),
			{},
			state,
			{ status: "FAILED" },
			true,
		);
		expect(change.fields).toMatchObject([
			{ field: "status", declared: status, live: "FAILED" },
		]);
	},
);
