import { declaredCron } from "../provider/pipeline-schedule/compile";
import { clockChangeAhead } from "../schemas/cron";
import type { Finding } from "./examine";
import type { ClockChange } from "./report";

/** How long before a change of clocks it is named. */
const NOTICE_MS = 30 * 86_400_000;

/** The change of clocks that the next deployments of a schedule must follow; undefined where none is near. */
export function clockChangeOf(
	{ resource: { inputs, secretPaths }, ref }: Finding,
	now = Date.now(),
): ClockChange | undefined {
	const { utcCron } = inputs;
	const declared = declaredCron({ ...inputs, teamName: inputs.teamName ?? ref.team });
	if (declared?.timeZone === undefined || typeof utcCron !== "string" || secretPaths.has("utcCron"))
		return undefined;
	const change = clockChangeAhead(declared, utcCron, now, now + NOTICE_MS);
	return change && { ...ref, timeZone: declared.timeZone, from: utcCron, ...change };
}
