import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
	clientConfig,
	differingParameters,
	liveConfig,
	renderStorage,
} from "../../../src/storage/rules";
import { validConfigs } from "../../helpers/storage-environment";

const MARKS = { changed: "(changed)", added: "(added)" };

describe.each(["s3", "gs", "az", "hf"] as const)("any valid config of %s", (kind) => {
	const configs = validConfigs(kind);

	test("does not differ from itself in another order, spelling or spacing", () => {
		fc.assert(
			fc.property(configs, (config) => {
				const backwards = JSON.stringify(reversed(clientConfig(config)), undefined, 2);
				expect(differingParameters(config, backwards)).toEqual([]);
				expect(liveConfig(config, renderStorage(config)?.value, MARKS)).toEqual(config);
			}),
		);
	});

	test("differs by exactly the parameter that was changed, added or removed, and shows it", () => {
		fc.assert(
			fc.property(configs, (config) => {
				const dictionary = clientConfig(config);
				for (const name of Object.keys(dictionary)) {
					const { [name]: _, ...rest } = dictionary;
					const without = JSON.stringify(rest);
					expect(differingParameters(config, without)).toEqual([name]);
					expect(clientConfig(liveConfig(config, without, MARKS))).toEqual(rest);
					const others = Object.entries(rest);
					const changed = JSON.stringify(
						Object.fromEntries([...others, [name, "other value!"]]),
					);
					expect(differingParameters(config, changed)).toEqual([name]);
					const shown = Object.fromEntries([...others, [name, MARKS.changed]]);
					expect(clientConfig(liveConfig(config, changed, MARKS))).toEqual(shown);
				}
				const added = JSON.stringify({ ...dictionary, added_elsewhere: 1 });
				expect(differingParameters(config, added)).toEqual(["added_elsewhere"]);
			}),
			{ numRuns: 30 },
		);
	});
});

/** The same object with its keys the other way round, at every depth. */
function reversed(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(reversed);
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(
		Object.entries(value)
			.reverse()
			.map(([key, item]) => [key, reversed(item)]),
	);
}

describe("a live value", () => {
	const config = { kind: "s3", parameters: { key: "k", secret: "s" } } as const;

	test("that is missing or unreadable lacks every parameter", () => {
		for (const value of [undefined, "", "{", "[]", "null", '"text"']) {
			expect(differingParameters(config, value)).toEqual(["key", "secret"]);
		}
	});

	test("that lacks what was given in kwargs lacks it there, and a parameter of that name stays one", () => {
		const parameters = { token: "t", kwargs: { profile: "p", token: "other" } };
		const declared = { kind: "s3", parameters } as const;
		expect(liveConfig(declared, '{"token":"hidden"}', MARKS)).toEqual({
			kind: "s3",
			parameters: { token: "(changed)", kwargs: { token: "other" } },
		});
		expect(declared.parameters).toEqual({
			token: "t",
			kwargs: { profile: "p", token: "other" },
		});
		expect(liveConfig(declared, undefined, MARKS)).toEqual({
			kind: "s3",
			parameters: { kwargs: { token: "other" } },
		});
	});

	test("has the spelling of the program where it agrees, placeholders where it does not, and never its own values", () => {
		const parameters = {
			key: "k",
			secret: "s",
			useSsl: true,
			kwargs: { profile: "p", max_paths: 1 },
		};
		const value = JSON.stringify({
			key: "k",
			secret: "hidden",
			max_paths: 2,
			endpoint_url: "hidden",
		});
		expect(liveConfig({ kind: "s3", parameters }, value, MARKS)).toEqual({
			kind: "s3",
			parameters: {
				key: "k",
				secret: "(changed)",
				kwargs: { max_paths: "(changed)" },
				endpointUrl: "(added)",
			},
		});
	});
});
