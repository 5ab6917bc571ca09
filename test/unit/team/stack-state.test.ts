import { describe, expect, it } from "vitest";
import { z } from "zod";
import { dynamicType } from "../../../src/schemas/kinds";
import { readPrinted, readState } from "../../../src/team/stack-state";
import { entry, secret, stateOf } from "../../helpers/drift-team";

const settings = (name: string, more: object = {}) => ({
	...entry("PipelineSettings", name, `vision/${name}`, {}),
	...more,
});

describe("the state that the CLI exports", () => {
	it("gives secrets in clear, and remembers where they were", () => {
		const inputs = {
			__provider: "code",
			environment: { A: "a", B: secret("b") },
			storage: { s3: { key: secret("k") } },
			repository: secret("r"),
			nested: secret({ deep: secret(1) }),
		};
		const [found] = stateOf(settings("a", { inputs })).resources;
		expect(found?.inputs).toEqual({
			environment: { A: "a", B: "b" },
			storage: { s3: { key: "k" } },
			repository: "r",
			nested: { deep: 1 },
		});
		expect([...(found?.secretPaths ?? [])].sort()).toEqual([
			"environment.B",
			"nested",
			"nested.deep",
			"repository",
			"storage.s3.key",
		]);
	});

	it("is only what a refresh would look at: no other providers, no lookups, nothing that is going", () => {
		const schedule = { type: dynamicType("PipelineSchedule"), id: "9" };
		const { resources, leavingIds, stack, project } = stateOf(
			settings("b"),
			settings("team::nightly\n2"),
			settings("bucket", { type: "aws:s3/bucket:Bucket" }),
			settings("read", { external: true }),
			settings("old", { ...schedule, delete: true }),
			settings("replaced", { pendingReplacement: true }),
			settings("unmade", { id: "" }),
		);
		expect(resources.map(({ name }) => name)).toEqual(["b", "team::nightly\n2"]);
		expect({ leavingIds, stack, project }).toEqual({
			leavingIds: ["9"],
			stack: "dev",
			project: "songs",
		});
	});

	it("tells the provider what it stored beside the user's properties, and compares none of it", () => {
		const [found] = stateOf(
			settings("a", { inputs: { __urn: "u" }, outputs: { __urn: "u", __made: 5 } }),
		).resources;
		expect(found).toMatchObject({ stateUrn: "u", madeAt: 5, inputs: {}, outputs: {} });
	});

	it("may be empty, and one that cannot be read is not quoted in the error", () => {
		expect(() => readState('{"token": "canary"')).toThrow(
			/^The Pulumi CLI did not print a state that can be read\. Run `pulumi stack export` to see why\.$/,
		);
		for (const what of ["config", "preview"] as const)
			expect(() => readPrinted(z.unknown(), "{", what)).toThrow(
				`a ${what} that can be read. Run \`pulumi ${what}\``,
			);
		const never = { stack: null, project: null, resources: [], leavingIds: [] };
		expect(readState('{"version":3,"deployment":{}}')).toEqual(never);
		expect(readState('{"version":3,"deployment":{}}', "dev")).toEqual({
			...never,
			stack: "dev",
		});
	});

	it("with secrets still encrypted is an error that says what is missing", () => {
		const inputs = {
			repository: { ...secret("r"), plaintext: undefined, ciphertext: "v1:abc" },
		};
		expect(() => stateOf(settings("a", { inputs }))).toThrow(
			/PULUMI_CONFIG_PASSPHRASE/,
		);
	});
});
