import { agoText } from "../provider/pipeline-schedule/refusals";
import { many, moment, plain } from "../report/plain";
import type { DriftReport, Twin, UnmanagedObject } from "./report";

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
