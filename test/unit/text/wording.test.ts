import { expect, test } from "vitest";
import { noPipeline, someOf } from "../../../src/text/wording";

test("names in a message end with how many more there are", () => {
	expect(someOf([..."abcdefghij"])).toBe("a, b, c, d, e, f, g, h, i, j");
	expect(someOf([..."abcdefghijkl"])).toBe("a, b, c, d, e, f, g, h, i, j and 2 more");
});

test("a pipeline that is not there comes with those that are", () => {
	const names = Array.from({ length: 12 }, (_, at) => `p${at}`);
	expect(noPipeline("ml", "nope", names)).toBe(
		'team "ml" has no pipeline "nope". It has "p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8", "p9" and 2 more.',
	);
	const misspelled = noPipeline("ml", "P11x", [...names, "nightly-images"]);
	expect(misspelled).toMatch(
		/^team "ml" has no pipeline "P11x"\. Did you mean "p11"\? It has "p0", .* and 3 more\.$/,
	);
	expect(noPipeline("ml", "nope", [null, undefined, ""])).toBe(
		'team "ml" has no pipeline "nope". It has no pipelines yet.',
	);
});
