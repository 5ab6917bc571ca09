import { describe, expect, it } from "vitest";
import { readScript } from "../../../src/server/jobs";

describe("a query's text decides what its job does", () => {
	it.each([
		["raise SystemExit(1)", 1],
		["if bad:\n    raise SystemExit(3)\n", 3],
		["sys.exit(2)", 2],
		["exit 4", 4],
		["exit(5)", 5],
		["exit 0", 0],
		["print('exit 1')", 0],
		["# exit 1", 0],
		["existing 1", 0],
	])("%j ends with %i", (query, code) => {
		expect(readScript(query).exitCode).toBe(code);
	});

	it("prints what it prints, and numbered lines where a comment asks for them", () => {
		const query = "print(\"a 'b'\")\n  print('c')\necho d e\nprint(x)\n# local-server: lines=2\n";
		const output = ["a 'b'\n", "c\n", "d e\n", "line 1\n", "line 2\n"];
		expect(readScript(query).output).toEqual(output);
		expect(readScript(query.replaceAll("\n", "\r\n")).output, "as Windows ends lines").toEqual(output);
	});

	it("holds only where a comment of its own says so", () => {
		expect(readScript("# local-server: hold\n").holds).toBe(true);
		expect(readScript("x = '# local-server: hold'").holds).toBe(false);
	});
});
