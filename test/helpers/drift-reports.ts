import type { DriftReport } from "../../src/team/drift-report";

const at = { team: "vision", id: "7" };
const changed = { how: "changed" } as const;
const odd = { team: "vision", urn: null, resource: null, id: null };

/** A report with something in each section, and names as unfriendly as a server may send them. */
export function sampleReport(name = "nightly"): DriftReport {
	const ref = {
		...at,
		urn: `urn:pulumi:dev::images::x::${name}`,
		kind: "PipelineSchedule",
		resource: name,
		name,
	};
	return counted({
		schemaVersion: 1,
		checkedAt: "2026-01-31T03:00:00Z",
		stack: "dev",
		project: "images",
		teams: ["vision"],
		serviceUrl: "https://studio.example.com/api",
		requests: 2,
		summary: { ...NO_COUNTS, managed: 6, unchanged: 3, ignored: 4 },
		changed: [
			{
				...ref,
				repair: "update",
				changedAt: "2026-01-30T03:00:00Z",
				fields: [
					{
						...changed,
						field: "cronExpression",
						hidden: false,
						declared: "0 3 * * *",
						live: "9 9 * * *",
					},
					{ ...changed, field: "startAfter", hidden: true },
				],
			},
		],
		missing: [{ ...ref, resource: "weekly", name: "weekly" }],
		unmanaged: [
			{
				...at,
				kind: "schedule",
				name,
				createdBy: "ops-oncall",
				createdAt: "2026-01-01T02:30:00+00:00",
			},
			{ ...at, kind: "pipeline", name: "rusty-vise", createdBy: null, createdAt: null },
		],
		twins: [
			{
				...at,
				id: "9",
				name,
				createdBy: "another-stack",
				createdAt: "2026-01-28T03:00:00+00:00",
				pipeline: "quiet-harbor",
				samePipeline: true,
				twinOf: ref,
			},
		],
		failed: [
			{
				...ref,
				what: "resource",
				resource: "hourly",
				name: "hourly",
				reason: `502 for ${name}.`,
			},
			{
				...odd,
				what: "element",
				kind: "pipeline",
				name: "odd-one",
				reason: "status: Invalid input",
			},
			{
				...odd,
				what: "list",
				kind: "pipeline",
				name: null,
				reason: "403 for the list.",
			},
		],
		unlisted: [{ ...ref, resource: "beyond", name: "beyond-the-cap" }],
		notRunning: [
			{
				...ref,
				resource: "late",
				name: "late",
				why: "postponed",
				pipeline: name,
				startAfter: "2126-01-01T00:00:00Z",
			},
			{
				...ref,
				resource: "still",
				name: "still",
				why: "paused",
				pipeline: name,
				startAfter: null,
			},
		],
		unmanagedVariables: [
			{ ...ref, kind: "PipelineSettings", variables: ["THEIRS", name] },
		],
		unchecked: [
			{ ...ref, kind: "JobFile", field: "content", reason: "It cannot be read back." },
		],
		clockChanges: [
			{
				...ref,
				resource: "berlin",
				name: "berlin",
				timeZone: "Europe/Berlin",
				at: "2026-03-29T01:00:00Z",
				isPast: false,
				from: "0 2 * * *",
				to: "0 1 * * *",
			},
		],
	});
}

const NO_COUNTS = {
	changed: 0,
	missing: 0,
	unmanaged: 0,
	twins: 0,
	failed: 0,
	unlisted: 0,
	notRunning: 0,
	unmanagedVariables: 0,
	unchecked: 0,
};
const COUNTED = Object.keys(NO_COUNTS) as (keyof typeof NO_COUNTS)[];

/** The report with the numbers of what it has. */
export const counted = (report: DriftReport): DriftReport => ({
	...report,
	summary: {
		...report.summary,
		...Object.fromEntries(COUNTED.map((key) => [key, report[key].length])),
	},
});
