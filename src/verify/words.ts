import { showInstant } from "../text/instant";
import { many } from "../text/report";
import type { Remainder } from "./clean-up";
import type { Leftover } from "./leftovers";
import type { Result } from "./report";
import type { Prepared } from "./run";
import { WritingFacts } from "./writing-facts";

/** What is said of one assumption, after its verdict. */
export function resultLine({
	id,
	verdict,
	assumption,
	seen,
	otherwise,
}: Result): string {
	const about = `${id}: ${assumption}`;
	if (verdict === "holds") return `${about} (${seen})`;
	if (verdict === "untried") return `${about} Not tried: ${seen}.`;
	return `${about} Seen: ${seen}. Then: ${otherwise}`;
}

/** What the checks that write will do. */
export function planLines({ target, service }: Prepared): string[] {
	if (target === undefined || service === undefined) return [];
	const { pipeline, names } = target;
	const { start } = new WritingFacts(service, target);
	return [
		`The checks with --pipeline write to team ${JSON.stringify(service.teamName)}. They trigger, resume and run nothing:`,
		`- They create two schedules ${names.schedule} for pipeline ${JSON.stringify(pipeline)}, change one and delete both. Neither can run before ${showInstant(start)}.`,
		`- They add the variable ${names.variable} to the pipeline and remove it. Both requests repeat all other variables. A variable that someone changes at the same time can be overwritten.`,
		"- They expect that a settings request keeps what it leaves out. If it does not, files and credentials of the pipeline are lost, because no response shows them; other settings are sent again.",
		`- They upload the file ${names.file} (7 bytes), which stays: no request of the API deletes a file.`,
	];
}

export const leftoverLine = (leftover: Leftover): string =>
	leftover.kind === "schedule"
		? `schedule ${leftover.name} (id ${leftover.id}, created ${leftover.since ?? "at an unknown time"})`
		: `variable ${leftover.name} of pipeline ${JSON.stringify(leftover.pipeline)}`;

/** That an earlier run left something, and how to remove it. */
export function leftoverLines(leftovers: readonly Leftover[]): string[] {
	if (leftovers.length === 0) return [];
	return [
		`An earlier run that was killed, or one that still runs, has ${many(leftovers.length, "object")} in the team:`,
		...leftovers.map((leftover) => `- ${leftoverLine(leftover)}`),
		"If no other run of this command is under way, remove them with `pulumi-datachain verify --remove-leftovers`.",
	];
}

/** What a run could not remove, and what to do about it. */
export function remainderLines(left: readonly Remainder[]): string[] {
	if (left.length === 0) return [];
	return [
		`${many(left.length, "object")} could not be removed:`,
		...left.map(
			({ kind, name, id, why }) =>
				`- ${kind} ${name}${id === undefined ? "" : ` (id ${id})`}: ${why}`,
		),
		"Run `pulumi-datachain verify --remove-leftovers` again. It lists the objects before it removes any.",
	];
}
