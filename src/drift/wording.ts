import { agoText } from "../provider/pipeline-schedule/refusals";
import { many, moment, plain } from "../report/plain";
import type { DriftReport, FieldDrift, Scalar, Twin, UnmanagedObject } from "./report";

/** A value as shown; texts in quotes, so that an empty one can be seen. */
export function showValue(value: Scalar | undefined): string {
	if (value === null || value === undefined) return "not set";
	return typeof value === "string" ? `"${plain(value)}"` : String(value);
}

export interface FieldWords {
	readonly field: string;
	readonly declared: string;
	readonly live: string;
}

/** Hidden values say only that they differ, or on which side there is one. */
export function fieldWords(row: FieldDrift): FieldWords {
	const field = plain(row.field);
	if (!row.hidden) return { field, declared: showValue(row.declared), live: showValue(row.live) };
	switch (row.how) {
		case "added":
			return { field, declared: "not set", live: "differs: set outside Pulumi" };
		case "removed":
			return { field, declared: "set", live: "differs: not there" };
		case "changed":
			return { field, declared: "set", live: "differs" };
	}
}

export const creatorOf = ({ createdBy }: Pick<UnmanagedObject, "createdBy">): string =>
	plain(createdBy ?? "unknown");

/** `2026-01-31 03:00 UTC, 3 days ago`, as seen from another moment. */
export function momentAndAge(timestamp: string | null, seenFrom: string): string {
	const age = Date.parse(seenFrom) - Date.parse(timestamp ?? "");
	return Number.isNaN(age) ? moment(timestamp) : `${moment(timestamp)}, ${agoText(age)}`;
}

export function twinWords({ pipeline, samePipeline }: Twin): string {
	if (pipeline === null) return "has the same name; which pipeline it runs could not be read";
	if (samePipeline) return `runs the pipeline a second time ("${plain(pipeline)}")`;
	return `runs another pipeline under the same name ("${plain(pipeline)}")`;
}

/** `stack "dev" of project "images"`. */
export function subject({ stack, project }: DriftReport): string {
	if (stack === null) return "this stack";
	return project === null
		? `stack "${plain(stack)}"`
		: `stack "${plain(stack)}" of project "${plain(project)}"`;
}

export function teamsOf({ teams }: DriftReport): string {
	const names = teams.map((team) => `"${plain(team)}"`);
	return `team${names.length === 1 ? "" : "s"} ${names.join(", ")}`;
}

/** `2 changed, 1 missing, 3 unmanaged`, and what else there is. */
export function counts({ summary }: DriftReport): string {
	const { changed, missing, unmanaged, twins, failed } = summary;
	return [
		`${changed} changed, ${missing} missing, ${unmanaged} unmanaged`,
		...(twins > 0 ? [many(twins, "twin")] : []),
		...(failed > 0 ? [`${failed} could not be checked`] : []),
	].join(", ");
}

/** How it was found out, and what was left out. */
export function footnotes({ summary, requests, checkedAt }: DriftReport): string[] {
	return [
		`Checked ${many(summary.managed, "managed resource")} with ${many(requests, "request")} at ${moment(checkedAt)}; ${summary.unchanged} as declared.`,
		...(summary.ignored > 0 ? [`${many(summary.ignored, "unmanaged object")} ignored by pattern.`] : []),
	];
}
