import { expect, it } from "vitest";
import {
	type DriftKind,
	type DriftReport,
	driftReportSchema,
	hasDrift,
	type Outcome,
	outcomeOf,
	verdictOf,
} from "../../../src/commands/drift-report";
import { sampleReport } from "../../helpers/drift-reports";

const late = { clockChanges: sampleReport().clockChanges.map((each) => ({ ...each, isPast: true })) };

it.each<[string, Partial<DriftReport>, DriftKind[]]>([
	["unmanaged objects", { changed: [], missing: [], twins: [] }, ["unmanaged"]],
	["a duplicate", { changed: [], missing: [], unmanaged: [] }, ["unmanaged", "duplicate"]],
	["a past change of clocks", { ...late, changed: [], missing: [], unmanaged: [], twins: [] }, ["changed"]],
])("%s count as drift of these kinds only", (_what, more, kinds) => {
	const report = { ...sampleReport(), ...more };
	const all = ["changed", "missing", "unmanaged", "duplicate"] as const;
	expect(all.filter((kind) => hasDrift(report, [kind]))).toEqual(kinds);
});

it.each<[Outcome, Partial<DriftReport>]>([
	["drift", {}],
	["incomplete", { changed: [] }],
	["incomplete", { changed: [], failed: [] }],
	["none", { changed: [], failed: [], unlisted: [] }],
])("the outcome is %s with %j: what could not be checked does not pass for no drift", (outcome, more) => {
	expect(outcomeOf({ ...sampleReport(), ...more }, ["changed"])).toBe(outcome);
});

it.each<[string, DriftReport, boolean]>([
	["at another time", { ...sampleReport(), checkedAt: "2027-01-01T00:00:00.000Z", requests: 9 }, true],
	["of another name", sampleReport("other"), false],
	["after a change of clocks", { ...sampleReport(), ...late }, false],
	...(["twins", "failed", "unlisted"] as const).map((section): [string, DriftReport, boolean] => [
		`without ${section}`,
		{ ...sampleReport(), [section]: [] },
		false,
	]),
])("the verdict of a report %s is the same: %j", (_which, other, same) => {
	expect(verdictOf(other) === verdictOf(sampleReport())).toBe(same);
});

it("survives its own JSON", () => {
	const text = JSON.stringify(sampleReport());
	expect(driftReportSchema.strict().parse(JSON.parse(text))).toEqual(sampleReport());
});
