import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { objectNames } from "../../../src/commands/export/identifiers";
import { HOSTILE, hostileText } from "../../helpers/export-teams";

function named(...names: string[]) {
	const namesFor = objectNames(names, "schedule");
	return Object.fromEntries(names.map((name) => [name, namesFor(name)]));
}

describe("names for what is exported", () => {
	it("are readable", () => {
		expect(
			named(
				"nightly-images",
				"Weekly report (EU)",
				"Übergröße",
				"夜間の画像",
				"1st",
				"class",
				"👩‍🚀",
			),
		).toEqual({
			"nightly-images": { resource: "nightly-images", identifier: "nightlyImages" },
			"Weekly report (EU)": {
				resource: "weekly-report-eu",
				identifier: "weeklyReportEu",
			},
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

	// export-project.test runs the program that has them as constants.
	it("are distinct for any names, in any order the same", () => {
		fc.assert(
			fc.property(fc.array(hostileText, { maxLength: 20 }), (names) => {
				const all = [...new Set(names)].map(objectNames(names, "schedule"));
				for (const key of ["resource", "identifier"] as const)
					expect(new Set(all.map((each) => each[key])).size).toBe(all.length);
				expect(named(...[...names].reverse())).toEqual(named(...names));
			}),
			{ numRuns: 60, examples: [[[...HOSTILE]]] },
		);
	});
});
