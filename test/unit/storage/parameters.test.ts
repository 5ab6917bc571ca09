import { beforeAll, describe, expect, test } from "vitest";
import {
	checkStorage,
	clientConfig,
	SECRET_PARAMETERS,
	STORAGE_KINDS,
	STORAGES,
	storageVariable,
} from "../../../src/storage/rules";
import { Declarations } from "../../../tools/schema/declarations";
import {
	companions,
	DOCUMENT,
	SECRETS,
	VARIABLES,
} from "../../helpers/storage-document";

const known = () => false;

test("the documented parameters are all there, in their order, and no others", () => {
	expect(DOCUMENT.length).toBeGreaterThanOrEqual(52);
	for (const kind of STORAGE_KINDS) {
		const documented = DOCUMENT.filter((row) => row.kind === kind).map(
			({ name }) => name,
		);
		expect(Object.keys(STORAGES[kind].shape)).toEqual(documented);
	}
});

describe.each(DOCUMENT)("$kind $wire", (row) => {
	const { kind, wire, name, good, bad } = row;
	const config = (value: unknown) => ({
		kind,
		parameters: { ...companions(kind, [name]), [name]: value },
	});

	test(
		good === undefined
			? "has no value that could be given"
			: "arrives with its value and type",
		() => {
			const { problems } = checkStorage(config(good), known);
			expect(problems).toEqual([]);
			const dictionary = clientConfig(config(good));
			// `kwargs` stands for parameters of their own.
			if (wire === "kwargs") expect(dictionary).toEqual(good);
			else if (good === undefined) expect(dictionary).not.toHaveProperty([wire]);
			else expect(dictionary).toHaveProperty([wire], good);
		},
	);

	test.each(bad.map((value) => [value]))(
		"refuses %j and names the parameter, not the value",
		(value) => {
			const { problems } = checkStorage(config(value), known);
			expect(problems.map(({ parameter }) => parameter)).toContain(name);
			for (const { reason } of problems) expect(reason).toMatch(/\.$/);
		},
	);
});

test("every key, token, signature, connection string and free-form dictionary is a secret", () => {
	expect(SECRET_PARAMETERS).toEqual(SECRETS);
});

test("each storage has the variable that its filesystem reads, and the local file system has none", () => {
	for (const kind of STORAGE_KINDS) expect(storageVariable(kind)).toBe(VARIABLES[kind]);
});

/** The interface of its arguments: `GsArgs` of gs. */
const interfaceOf = (kind: string): string =>
	`${kind.charAt(0).toUpperCase()}${kind.slice(1)}Args`;

let declarations: Declarations;
beforeAll(() => {
	declarations = new Declarations();
}, 60_000);

test.each(DOCUMENT)(
	"what an editor shows of $kind $name: meaning, wire name and default",
	({ kind, wire, name, ...row }) => {
		const field = declarations
			.properties(interfaceOf(kind))
			.find((each) => each.name === name);
		const text = field?.comment.replace(/\s+/g, " ");
		expect(text).toMatch(/^[A-Z].{10,}/);
		expect(text).toContain(`Wire name \`${wire}\``);
		expect(text).toContain(`Default: ${row.default}`);
	},
);
