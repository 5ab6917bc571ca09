import { describe, expect, test } from "vitest";
import { allCells, type Cell, coveringCells, diagonal, pairsOf } from "../../../tools/matrix/cells";
import { shortTable, wholeTable, withTable } from "../../../tools/matrix/table";

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

describe("the table", () => {
	const cell: Cell = {
		manager: "npm",
		modules: "ESM",
		typescript: "5.9.3",
		sdk: "3.248.0",
		runtime: 20,
	};
	const outcomes = [
		{ cell: { ...cell, manager: "bun", runtime: "bun" }, deployed: false },
		{ cell: { ...cell, runtime: 22, sdk: "3.270.0" }, deployed: true },
		{ cell: { ...cell, modules: "CommonJS" }, deployed: true, problem: "compilation failed" },
		{ cell, deployed: true },
	] as const;

	test("has a row for each cell, in order, with its result", () => {
		const [, , ...rows] = wholeTable(outcomes).split("\n");
		expect(rows.map((row) => row.split(/ *\| */).filter((text) => text !== ""))).toEqual([
			["Bun", "3.248.0", "5.9.3", "ESM", "bun", "runs"],
			["Node 20", "3.248.0", "5.9.3", "CommonJS", "npm", "fails"],
			["Node 20", "3.248.0", "5.9.3", "ESM", "npm", "deploys"],
			["Node 22", "3.270.0", "5.9.3", "ESM", "npm", "deploys"],
		]);
	});

	test("is short in the README, where one failure makes a failure", () => {
		expect(shortTable(outcomes)).toBe(`|         | SDK 3.248.0 | SDK 3.270.0 |
| ------- | ----------- | ----------- |
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
