import { describe, expect, it } from "vitest";
import { REPEATED_KIND } from "../../src/schemas/storage";
import { providerWorld, refusedBy } from "../helpers/provider-harness";

describe("a job file whose content cannot be used is refused with the reason", () => {
	it.each([
		["a file that is not there", { source: "./missing.py" }, /missing\.py/],
		["a directory", { source: __dirname }, /directory/],
		["a text without a name", { text: "x" }, /^name: a text has no name of its own/],
		["a source and a text", { source: __filename, text: "x", name: "x" }, /^source: .* both given/],
		["no content at all", {}, /^source: a JobFile needs a source/],
		["a name with a folder in it", { text: "x", name: "../x" }, /^name: .*plain file name/],
	])("%s", async (_what, inputs, reason) => {
		const world = await providerWorld();
		const reasons = await refusedBy(world.process({ preview: true }), { kind: "JobFile", name: "f" }, inputs);
		expect(reasons).toEqual([expect.stringMatching(reason)]);
		expect(world.writes()).toEqual([]);
	});
});

describe("storage that cannot work is refused without a value", () => {
	const CANARY = "canary-storage";

	it.each([
		[
			"a clash with environment",
			{ storage: { s3: { anon: true } }, environment: { FSSPEC_S3: CANARY } },
			/^storage\.s3 writes the variable FSSPEC_S3, which environment declares too/,
		],
		[
			"two configs of one kind",
			{ storage: { s3: { anon: true }, [`s3${REPEATED_KIND}`]: { anon: true } } },
			/^storage\.s3 is given twice/,
		],
		["a key without its secret", { storage: { s3: { key: CANARY } } }, /^storage\.s3\.\w+ .*secret/],
		["a wrong enumeration", { storage: { gs: { access: CANARY } } }, /^storage\.gs\.access .*read_only/],
	])("%s", async (_what, inputs, reason) => {
		const world = await providerWorld();
		const who = { kind: "PipelineSettings", name: "s" } as const;
		const declared = { pipelineName: "p1", ...inputs };
		const reasons = await refusedBy(world.process({ preview: true }), who, declared);
		expect(reasons).toEqual([expect.stringMatching(reason)]);
		expect(reasons.join()).not.toContain(CANARY);
	});
});
