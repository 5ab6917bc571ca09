import { expect, it } from "vitest";
import { DeclaredPauses } from "../../../src/provider/pauses";

it("who declares whether a pipeline is paused never contradicts itself, and is forgotten when it declares nothing", () => {
	const pauses = new DeclaredPauses();
	const declare = (urn: string, pipeline: string, paused?: boolean) =>
		pauses.declare(urn, "ml", pipeline, paused);
	declare("A", "p1", true);
	expect([declare("A", "p1", false), declare("B", "p1", true)]).toEqual([undefined, "A"]);
	declare("A", "p1");
	expect([declare("B", "p1", false), declare("C", "p1")]).toEqual([undefined, undefined]);
});
