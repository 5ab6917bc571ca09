import { describe, expect, test } from "vitest";
import { allCells, type Cell, coveringCells, diagonal, pairsOf } from "../../../tools/matrix/cells";

const newest = "3.999.0";
const valuesOf = (cells: readonly Cell[]) =>
	new Set(cells.flatMap((cell) => Object.entries(cell).map(([axis, value]) => `${axis} ${value}`)));

describe("the matrix", () => {
	test("leaves out what the SDK itself rules out", () => {
		const cells = allCells(newest);
		expect(cells.some(({ runtime, sdk }) => runtime === 20 && sdk === newest)).toBe(false);
		expect(cells.some(({ typescript, sdk }) => typescript.startsWith("6.") && sdk === "3.216.0")).toBe(false);
		expect(valuesOf(cells).size).toBe(3 + 2 + 2 + 3 + 3);
	});

	test("covers each possible pair of values with few cells", () => {
		const cells = coveringCells(newest);
		expect(new Set(cells.flatMap(pairsOf))).toEqual(new Set(allCells(newest).flatMap(pairsOf)));
		expect(cells.length).toBeLessThan(14);
	});

	test("has a diagonal in which each value occurs that stays the same", () => {
		const fixed = [...valuesOf(allCells(newest))].filter((value) => value !== `sdk ${newest}`);
		expect(valuesOf(diagonal)).toEqual(new Set(fixed));
	});
});
