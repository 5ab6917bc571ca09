import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
	clientConfig,
	compactJson,
	readStorage,
	renderStorage,
	type StorageConfig,
	storageVariable,
} from "../../../src/storage/rules";
import { validConfigs } from "../../helpers/storage-environment";

const KINDS = ["s3", "gs", "az", "hf"] as const;
/** No space, quote but the JSON's own, comment, variable or backslash sequence other than \\u, which none of them undoes. */
const UNTOUCHED = /^(?:[A-Za-z0-9_./:@+=,~*"{}[\]-]|\\u[0-9a-f]{4})+$/;

/** As JSON has it: -0 is 0, undefined is absent. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

function rendered(config: StorageConfig): { name: string; value: string } {
	const variable = renderStorage(config);
	if (variable === undefined)
		throw new Error(`storage.${config.kind} renders to nothing`);
	return variable;
}

const holds = (config: StorageConfig, value: string): boolean =>
	isDeepStrictEqual(readStorage(config.kind, value), plain(clientConfig(config)));

describe.each(KINDS)("any valid config of %s", (kind) => {
	const configs = validConfigs(kind);

	test("renders to characters that no reader of env files changes, and reads back to the same dictionary", () => {
		fc.assert(
			fc.property(configs, (config) => {
				const { name, value } = rendered(config);
				return (
					name === storageVariable(kind) &&
					UNTOUCHED.test(value) &&
					holds(config, value)
				);
			}),
		);
	});
});

describe("a rendered config", () => {
	test.each([
		[
			{ b: [1, undefined, null, ["x"]], a: undefined, c: {} },
			'{"b":[1,null,null,["x"]],"c":{}}',
		],
		[
			{ "a b": true, A: 1.5, a: -1, _: null },
			'{"A":1.5,"_":null,"a":-1,"a\\u0020b":true}',
		],
		[`"\\\n#$'\0`, '"\\u0022\\u005c\\u000a\\u0023\\u0024\\u0027\\u0000"'],
	])("writes %j in harmless characters, with sorted keys", (value, json) => {
		expect(compactJson(value)).toBe(json);
		expect(JSON.parse(json)).toEqual(plain(value));
	});

	test("has no variable for the local file system", () => {
		expect(renderStorage({ kind: "file", parameters: {} })).toBeUndefined();
		expect(readStorage("file", "{}")).toBeUndefined();
	});

	test("spreads the kwargs of s3 beside the other parameters, which win", () => {
		const parameters = { key: "k", kwargs: { profile: "p", key: "other" } };
		expect(clientConfig({ kind: "s3", parameters })).toEqual({
			key: "k",
			profile: "p",
		});
	});

	test("leaves out of client_kwargs what a parameter repeats, because the library fails on both", () => {
		const clientKwargs = {
			aws_access_key_id: "x",
			endpoint_url: "http://x",
			region_name: "r",
		};
		const parameters = { key: "k", secret: "s", clientKwargs };
		expect(clientConfig({ kind: "s3", parameters })).toEqual({
			key: "k",
			secret: "s",
			client_kwargs: { endpoint_url: "http://x", region_name: "r" },
		});
	});

	test("keeps null where it means something, and drops it where it means unset", () => {
		const parameters = { defaultCacheType: null, token: null, anon: undefined };
		expect(rendered({ kind: "s3", parameters }).value).toBe(
			'{"default_cache_type":null}',
		);
	});
});
