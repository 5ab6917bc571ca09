import fc from "fast-check";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { objectNames } from "../../../src/commands/export-identifiers";
import { HOSTILE, hostileText } from "../../helpers/export-teams";

function named(...names: string[]) {
	const namesFor = objectNames(names, "schedule");
	return Object.fromEntries(names.map((name) => [name, namesFor(name)]));
}

/** As many distinct constants of a CommonJS module as there are distinct names. */
function expectUsable(names: readonly string[]): void {
	const all = [...new Set(names)].map(objectNames(names, "schedule"));
	const distinct = all.length;
	expect(new Set(all.map(({ resource }) => resource)).size).toBe(distinct);
	const code = all.map(({ identifier }) => `export const ${identifier} = 1;\n`).join("");
	const { outputText, diagnostics } = ts.transpileModule(code, {
		reportDiagnostics: true,
		compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 },
	});
	expect(diagnostics).toEqual([]);
	const exported: Record<string, number> = {};
	new Function("exports", "require", "module", "__filename", "__dirname", outputText)(exported);
	expect(Object.values(exported).filter((value) => value === 1)).toHaveLength(distinct);
}

describe("names for what is exported", () => {
	it("are readable", () => {
		expect(
			named("nightly-images", "Weekly report (EU)", "Übergröße", "夜間の画像", "1st", "class", "👩‍🚀"),
		).toEqual({
			"nightly-images": { resource: "nightly-images", identifier: "nightlyImages" },
			"Weekly report (EU)": { resource: "weekly-report-eu", identifier: "weeklyReportEu" },
			Übergröße: { resource: "ubergroße", identifier: "ubergroße" },
			夜間の画像: { resource: "夜間の画像", identifier: "夜間の画像" },
			"1st": { resource: "1st", identifier: "schedule1st" },
			class: { resource: "class", identifier: "scheduleClass" },
			"👩‍🚀": { resource: "schedule", identifier: "schedule" },
		});
	});

	it("differ for names that differ only in case or in what is stripped, and the plain spelling keeps the plain name", () => {
		const names = named("nightly", "Nightly", "nightly!", "a-1", "a1");
		expect(names.nightly?.resource).toBe("nightly");
		expect(names.Nightly?.resource).toMatch(/^nightly-[0-9a-f]{6}$/);
		expect(names["nightly!"]?.resource).toMatch(/^nightly-[0-9a-f]{6}$/);
		expect(names.a1?.identifier).toBe("a1");
		expect(names["a-1"]?.identifier).toMatch(/^a1_[0-9a-f]{6}$/);
	});

	it("do not shift when another schedule of a similar name appears", () => {
		const before = named("nightly", "Nightly");
		const after = named("NIGHTLY", "nightly", "Nightly", "nightly?");
		expect(after).toMatchObject(before);
	});

	it("are distinct and legal for any names, in any order the same", () => {
		fc.assert(
			fc.property(fc.array(hostileText, { maxLength: 20 }), (names) => {
				expectUsable(names);
				expect(named(...[...names].reverse())).toEqual(named(...names));
			}),
			{ numRuns: 60, examples: [[[...HOSTILE]]] },
		);
	});
});
