import { renderEnvironment } from "../../schemas/environment";
import type { Job } from "../../schemas/wire/job";
import { ADOPT_EQUAL, type Call } from "../context";
import type { Props } from "../handler";
import { declaredEnvironment } from "../pipeline-settings/environment";
import { findJob } from "../runs/find-job";
import { failureIsUndefined, makeOnce, sendOnce } from "../runs/send-once";
import { createdAt, RECENT_MILLIS } from "../shared/before-request";
import { toWire } from "../shared/table";
import { seenSoon } from "../time";
import { JOB_FIELDS, WIRE_FIELDS } from "./fields";
import { declarationMark, goesOn, jobRef, MARKER, markedAmong, requestMark } from "./marker";
import { queryText } from "./query";

/** Starts the job; one that an interrupted deployment of this very resource left is taken over with consent only. */
export async function makeJob(call: Call, inputs: Props): Promise<Job> {
	const team = String(inputs.teamName);
	const query = await queryText(inputs);
	const declaration = declarationMark(call, inputs, query);
	const left = markedAmong(call, team, await call.lists.glanceJobs(team), declaration);
	const made = takenOver(call, inputs, left) ?? (await startOnce(call, inputs, query, declaration));
	call.ownership.take(call.urn, jobRef(team, made.id));
	return made;
}

/**
 * With consent the newest one that still runs, or that was started within the hour; without it one that runs is refused,
 * because there would be two.
 */
function takenOver(call: Call, inputs: Props, left: readonly Job[]): Job | undefined {
	const running = left.filter((job) => goesOn(job, inputs)).at(-1);
	const recent = left.filter((job) => call.time.now() - (createdAt(job) ?? 0) < RECENT_MILLIS).at(-1);
	const taken = running ?? recent;
	if (call.adoptEqual && taken !== undefined) {
		const why = `it is of the same declaration, and ${ADOPT_EQUAL} is set`;
		call.notice(`Job "${taken.name ?? ""}" (id ${taken.id}, ${taken.status}) is taken over: ${why}.`);
		return taken;
	}
	if (running === undefined) {
		if (recent !== undefined) call.notice(ranAlready(recent));
		return undefined;
	}
	throw new Error(
		`A job that this very resource declares is ${running.status} already (id ${running.id}, started by ${running.created_by ?? "somebody"}), and ` +
			"it is not in the state: an interrupted deployment left it. None was started beside it. Run once with " +
			`${ADOPT_EQUAL}=true to take it over, or end it with "npx pulumi-datachain cancel ${running.id}".`,
	);
}

/** It may be what an interrupted deployment left, or what a destroy has forgotten: only the user knows. */
const ranAlready = ({ name, id, status }: Job): string =>
	`Job "${name ?? ""}" (id ${id}, ${status}) is of the same declaration and not in the state; another one is started. Where an interrupted ` +
	`deployment left it, run with ${ADOPT_EQUAL}=true to take it over instead.`;

/** A lost reply is found by its mark. */
async function startOnce(call: Call, inputs: Props, query: string, declaration: string): Promise<Job> {
	const team = String(inputs.teamName);
	const mark = requestMark(declaration);
	const body = toWire(JOB_FIELDS, WIRE_FIELDS, inputs);
	const { own } = declaredEnvironment(inputs, {});
	const send = async () => {
		const { id } = await sendOnce(call, () =>
			call.client.jobs.create({
				...body,
				team_name: team,
				query,
				query_type: inputs.queryType === "SHELL" ? "SHELL" : "PYTHON",
				environment: renderEnvironment({ ...own, [MARKER]: mark }),
			}),
		);
		return (await readSoon(call, team, id, mark)) ?? "the reply named no job that could be read.";
	};
	const find = async () => {
		const jobs = await call.lists.freshJobs(team).catch(failureIsUndefined);
		return markedAmong(call, team, jobs ?? [], mark)[0];
	};
	call.lists.drop(team);
	return makeOnce(call, send, find, (why) => unclear(inputs, why));
}

/** The job as the list shows it, with patience for a list that lags behind. An id without our mark is somebody else's. */
async function readSoon(call: Call, team: string, id: string, mark: string): Promise<Job | undefined> {
	const live = await seenSoon(call, () => findJob(call, team, id).catch(failureIsUndefined));
	// Where the service shows no environment, the id in the reply is all there is.
	return live?.environment == null || live.environment[MARKER] === mark ? live : undefined;
}

const unclear = (inputs: Props, why: string): Error =>
	new Error(
		`Could not tell whether job "${String(inputs.name)}" was started in team "${String(inputs.teamName)}": ${why} It is not in ` +
			`the list so far, and it was not sent again, because that could start a second one. Run once with ${ADOPT_EQUAL}=true: if it ` +
			"was started, it is taken over; if not, it is started then.",
	);
