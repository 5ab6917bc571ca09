import { describe, expect, it } from "vitest";
import { Handover } from "../../../src/provider/shared/handover";
import { DeclaredPauses } from "../../../src/provider/shared/pauses";

describe("who declares whether a pipeline is paused", () => {
	it("is named where another resource declares the opposite", () => {
		const pauses = new DeclaredPauses();
		expect(pauses.declare("A", "ml", "p1", true)).toBeUndefined();
		expect(pauses.declare("B", "ml", "p1", true)).toBeUndefined();
		expect(pauses.declare("C", "ml", "p1", false)).toBe("A");
	});

	it("is told apart by team and pipeline", () => {
		const pauses = new DeclaredPauses();
		pauses.declare("A", "ml", "p1", true);
		expect(pauses.declare("B", "ml", "p2", false)).toBeUndefined();
		expect(pauses.declare("B", "other", "p1", false)).toBeUndefined();
	});

	it("does not contradict itself when it declares again, for the same pipeline or another", () => {
		const pauses = new DeclaredPauses();
		pauses.declare("A", "ml", "p1", true);
		expect(pauses.declare("A", "ml", "p1", false)).toBeUndefined();
		pauses.declare("A", "ml", "p2", true);
		expect(pauses.declare("B", "ml", "p1", true)).toBeUndefined();
	});

	it("is forgotten when it declares nothing any more, and never contradicts by silence", () => {
		const pauses = new DeclaredPauses();
		pauses.declare("A", "ml", "p1", true);
		expect(pauses.declare("A", "ml", "p1", undefined)).toBeUndefined();
		expect(pauses.declare("B", "ml", "p1", false)).toBeUndefined();
		expect(pauses.declare("C", "ml", "p1", undefined)).toBeUndefined();
	});

	it("is asked for by pipeline, and answered no once the last that said so has taken it back", () => {
		const pauses = new DeclaredPauses();
		expect(pauses.isDeclared("ml", "p1")).toBe(false);
		pauses.declare("A", "ml", "p1", false);
		expect(["p1", "p2"].map((pipeline) => pauses.isDeclared("ml", pipeline))).toEqual([true, false]);
		expect(pauses.isDeclared("other", "p1")).toBe(false);
		pauses.declare("A", "ml", "p1", undefined);
		expect(pauses.isDeclared("ml", "p1")).toBe(false);
	});
});

describe("what a resource leaves on a pipeline", () => {
	it("is what its last state had, until it was put back", () => {
		const handover = new Handover();
		expect(handover.of("ml/p1")).toBeUndefined();
		handover.note("ml/p1", "A", { workers: 1 });
		handover.note("ml/p1", "A", { workers: 2 });
		expect(handover.of("ml/p1")).toMatchObject({ by: "A", outs: { workers: 2 } });
		handover.forget("ml/p1");
		expect(handover.of("ml/p1")).toBeUndefined();
	});

	it("counts as inherited once somebody took it with what was there before", () => {
		const handover = new Handover();
		expect(handover.inherit("ml/p1")).toBeUndefined();
		expect(handover.wasInherited("ml/p1")).toBe(false);
		handover.note("ml/p1", "A", { workers: 1 });
		expect(handover.wasInherited("ml/p1")).toBe(false);
		expect(handover.inherit("ml/p1")).toEqual({ by: "A", outs: { workers: 1 } });
		expect(handover.wasInherited("ml/p1")).toBe(true);
	});
});
