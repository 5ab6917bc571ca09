import { normalizeCron } from "../../schemas/cron";
import { parseInstant } from "../../schemas/instant";
import { noPipeline } from "../../schemas/some-of";
import type { Call } from "../context";
import { type CheckResult, type Problem, type Props, problem } from "../handler";
import { checkFields } from "../shared/check-fields";
import { claims } from "../shared/claims";
import { missingIsUndefined } from "../shared/not-found";
import { madePausedNotice, neverRunsNotice, pauseNotice } from "../shared/pause-notices";
import { changes, describe, differences } from "../shared/table";
import { withTeam } from "../shared/team";
import { containsUnknown } from "../shared/unknown";
import { parseUrn } from "../urn";
import { compileDeclared } from "./compile";
import { SCHEDULE_FIELDS, type ScheduleArgs } from "./fields";
import { getNow, scheduleRef } from "./find";
import { strangers } from "./name";
import { nameMayBeTaken } from "./refusals";

/** A one-time start this long ago is no slip of a deployment that took a while. */
const PAST_MILLIS = 60_000;

export async function checkSchedule(call: Call, olds: Props, news: Props): Promise<CheckResult> {
	const { inputs: given, problems } = withTeam(call, olds, {
		...news,
		scheduleName: news.scheduleName ?? defaultName(call),
	});
	const wrong = checkFields(SCHEDULE_FIELDS, olds, given);
	const compiled = compileDeclared(call, olds, given, wrong);
	const { inputs } = compiled;
	const isNew = olds.scheduleName === undefined;
	const doubled =
		`both declare schedule "${String(inputs.scheduleName)}" in team "${String(inputs.teamName)}". Give one of the two another ` +
		"scheduleName, or remove it.";
	const found = [
		...problems,
		...(await stillRefused(call, inputs, wrong)),
		...compiled.problems,
		...needsATime(inputs),
		...(isNew ? inThePast(call, inputs) : []),
		...claims(call, "PipelineSchedule", inputs, doubled),
	];
	if (isNew) madePausedNotice(call, inputs);
	const touched = call.secretsMoved || changes(SCHEDULE_FIELDS, olds, inputs).length > 0;
	if (found.length > 0 || !touched || containsUnknown(inputs)) return { inputs, problems: found };
	const args = inputs as unknown as ScheduleArgs;
	return { inputs, problems: await preflight(call, args, isNew, olds) };
}

/** `<project>-<stack>-<resource name>`; undefined, which is refused as missing, where the host gives no name. */
function defaultName({ urn, program }: Call): string | undefined {
	const name = parseUrn(urn)?.name;
	return program && name && `${program.project}-${program.stack}-${name}`;
}

/**
 * A cron that would be refused in a new schedule is accepted where the one that is adopted has it already. Which one that
 * is may not be known before the deployment, which checks again.
 */
async function stillRefused(call: Call, inputs: Props, problems: Problem[]): Promise<Problem[]> {
	const { cronExpression: cron, teamName: team, scheduleName: name } = inputs;
	const others = problems.filter(({ field }) => field !== "cronExpression");
	if (typeof cron !== "string" || others.length === problems.length) return problems;
	if (inputs.adopt !== true || typeof team !== "string") return problems;
	if (containsUnknown([team, name])) return others;
	const named = (await call.lists.glanceSchedules(team)).filter((item) => item.schedule_name === name);
	const isLive = named.some((item) => normalizeCron(item.cron_expression ?? "") === normalizeCron(cron));
	return isLive ? others : problems;
}

function needsATime(inputs: Props): Problem[] {
	if (inputs.cronExpression !== undefined || inputs.startAfter !== undefined) return [];
	const text =
		'a schedule needs a cronExpression, a startAfter, or both. Add cronExpression: "0 3 * * *" to run every day at 03:00 UTC.';
	return [problem("cronExpression", text)];
}

function inThePast(call: Call, { cronExpression, startAfter, adopt }: Props): Problem[] {
	const start = typeof startAfter === "string" ? parseInstant(startAfter) : undefined;
	if (cronExpression !== undefined || adopt === true || call.adoptEqual) return [];
	if (start === undefined || start > call.time.now() - PAST_MILLIS) return [];
	return [
		problem(
			"startAfter",
			`${String(startAfter)} has passed, and without a cronExpression the schedule runs only once, then. Give a time in the ` +
				"future, or add a cronExpression.",
		),
	];
}

/**
 * What a preview can already tell: a pipeline that does not exist, a name that is taken, what adoption will change,
 * what will be paused or resumed. `create` and `update` decide again, with whatever else the run knows by then.
 */
async function preflight(call: Call, args: ScheduleArgs, isNew: boolean, olds: Props): Promise<Problem[]> {
	const missing = isNew ? await missingPipeline(call, args) : [];
	if (missing.length > 0) return missing;
	await pauseNotice(call, args);
	await neverRunsNotice(call, args);
	if (!isNew && olds.scheduleName === args.scheduleName) return [];
	const items = await call.lists.glanceSchedules(args.teamName);
	const unknown = strangers(call, args, items, isNew ? {} : { isRename: true });
	const [first, ...others] = unknown;
	if (first === undefined) return [];
	const existing = others.length === 0 ? await getNow(call, args.teamName, first.id) : undefined;
	const different = existing ? differences(SCHEDULE_FIELDS, args, existing) : [];
	const consent = (isNew && args.adopt === true) || (call.adoptEqual && different.length === 0);
	const movable = different.every((row) => row.field !== "pipelineName");
	if (existing === undefined || !consent || !movable) {
		// The engine asks one resource after the other, in any order: whether another one gives the name up shows later.
		if (call.preview) call.notice(nameMayBeTaken(call, args, unknown, isNew));
		return [];
	}
	// The diff of a rename makes a replacement of it, which is checked as new.
	if (!isNew) return [];
	// Whoever has it in the state is told by its diff, as in the deployment.
	if (call.preview) call.ownership.take(call.urn, scheduleRef(args.teamName, existing.id));
	const list = different.map((row) => describe(SCHEDULE_FIELDS, row)).join("; ");
	call.notice(
		`Adopting schedule "${args.scheduleName}" (id ${existing.id}) of team "${args.teamName}"` +
			(list === "" ? ": nothing will change." : ` will change it: ${list}.`),
	);
	return [];
}

async function missingPipeline(call: Call, args: ScheduleArgs): Promise<Problem[]> {
	const known = await call.lists.glancePipelines(args.teamName);
	if (known.some((pipeline) => pipeline.name === args.pipelineName)) return [];
	const target = { team_name: args.teamName, name: args.pipelineName };
	if (await call.client.pipelines.status(target).catch(missingIsUndefined)) return [];
	const names = known.map((pipeline) => pipeline.name);
	return [problem("pipelineName", noPipeline(args.teamName, args.pipelineName, names))];
}
