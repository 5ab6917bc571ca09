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
| Bun     | runs        | –           |
| Node 20 | fails       | –           |
| Node 22 | –           | deploys     |

On Node with npm; CommonJS, ESM; TypeScript 5.9.3: \`npm run test:matrix\` tries each pair of values that can go together.`);
	});

	test("takes the place between its marks, and none where there are no marks", () => {
		const text = "before\n<!-- matrix -->old<!-- /matrix -->\nafter\n";
		expect(withTable(text, "$1")).toBe("before\n<!-- matrix -->\n\n$1\n\n<!-- /matrix -->\nafter\n");
		expect(withTable("no marks", "table")).toBeUndefined();
	});
});
