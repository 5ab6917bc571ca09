import { describe, expect, it } from "vitest";
import { DeclaredResources } from "../../../src/provider/run/deployed";
import { pauseContradiction } from "../../../src/provider/run/pauses";
import { dynamicType } from "../../../src/schemas/kinds";

const pausing = (paused: unknown, pipelineName = "p1") => ({
	teamName: "ml",
	pipelineName,
	paused,
});

describe("what the program declares of a pipeline's pause", () => {
	it("is what each resource declared last", () => {
		const declared = new DeclaredResources();
		declared.note("a", pausing(true));
		declared.note("b", pausing(false));
		declared.note("c", pausing(undefined));
		expect([...declared.pausesOf("ml", "p1")]).toEqual([
			["a", true],
			["b", false],
		]);
		declared.note("a", pausing(true, "p2"));
		declared.note("b", pausing(undefined));
		expect([
			declared.pausesOf("ml", "p1").size,
			declared.pausesOf("ml", "p2").get("a"),
		]).toEqual([0, true]);
		expect(declared.pausesOf("other", "p2").size).toBe(0);
	});

	it("is looked up without a walk over all resources", () => {
		const declared = new DeclaredResources();
		let reads = 0;
		for (let number = 0; number < 1_000; number += 1) {
			const inputs = pausing(true, `p${number}`);
			const counted = new Proxy(inputs, {
				get: (target, key) => {
					reads += 1;
					return Reflect.get(target, key);
				},
			});
			declared.note(`urn ${number}`, counted);
		}
		reads = 0;
		const problems = pauseContradiction(
			{ declared, urn: "urn b" },
			pausing(false, "p7"),
		);
		expect(problems.map(({ field }) => field)).toEqual(["paused"]);
		expect(reads).toBeLessThan(10);
	});
});

it("the pipelines that the program declares are those of the Pipeline class", () => {
	const declared = new DeclaredResources();
	const urn = `urn:pulumi:dev::shop::${dynamicType("Pipeline")}::images`;
	declared.note(urn, { start: true });
	declared.note(`urn:pulumi:dev::shop::${dynamicType("Job")}::train`, {});
	expect([...declared.declaredPipelines().keys()]).toEqual([urn]);
});
