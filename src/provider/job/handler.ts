import { ConflictError, InvalidRequestError } from "../../api";
import { isFinishedJobStatus } from "../../schemas/job";
import type { Job } from "../../schemas/wire/job";
import type { Call } from "../context";
import { PartlyDoneError, type Props, type ResourceHandler } from "../handler";
import { inOneForm } from "../job-file/content-hash";
import { findJob } from "../runs/find-job";
import { timeoutOf } from "../runs/wait-fields";
import { waitForJob } from "../runs/wait-for-job";
import { withoutSecrets } from "../runs/without-secrets";
import { anew, held, letGo, tellHolder } from "../shared/holding";
import { compact, pick } from "../shared/json";
import { isMissing, refuseOtherService } from "../shared/not-found";
import { diffByTable } from "../shared/table";
import { seenSoon } from "../time";
import { parseUrn } from "../urn";
import { checkJob } from "./check";
import { makeJob } from "./create";
import { JOB_FIELDS } from "./fields";
import { goesOn, jobRef } from "./marker";
import { queryContent } from "./query";

const INPUTS = Object.keys(JOB_FIELDS);

export const job: ResourceHandler = {
	fields: JOB_FIELDS,

	check: checkJob,

	async diff(call, id, olds, news) {
		const known = inOneForm(olds, news, queryContent(news));
		const byTable = diffByTable(JOB_FIELDS, known, news);
		const another = anew("contentHash");
		// The same query under another form of hash: only the state changes.
		const changes = byTable.changes || olds.contentHash !== known.contentHash || isAwaited(olds, news);
		const again = byTable.replaces.length === 0 && mustRunAgain(olds, news);
		const result = again ? another : { ...byTable, changes };
		return held(call, jobRef(String(olds.teamName), id), result, another);
	},

	async create(call, inputs) {
		for (const finish of call.ownership.replaced(call.urn)) await finish();
		const made = await makeJob(call, inputs);
		return { id: made.id, outs: await followed(call, inputs, made) };
	},

	/** A service forgets old jobs. One that is gone was run all the same, and forgetting it here would run it again. */
	async read(call, id, outs) {
		const team = String(outs.teamName ?? call.teamName);
		const listed = (await call.lists.jobs(team)).find((each) => each.id === id);
		const live = listed ?? (await findJob(call, team, id));
		if (live === undefined) {
			refuseOtherService(call, outs, `Job ${id} of team "${team}" was not found`);
			if (outs.jobId === undefined) return {};
		}
		const inputs = pick({ ...outs, teamName: team }, INPUTS);
		return { state: { id, inputs, outs: live ? jobOuts(call, inputs, live) : outs } };
	},

	async update(call, id, olds, news) {
		const team = String(news.teamName);
		const live = await findJob(call, team, id);
		const known = live ?? { id, status: String(olds.status ?? "unknown") };
		const again = news.wait === true && !isFinishedJobStatus(known.status);
		const outs = again ? await followed(call, news, known) : jobOuts(call, pick(news, INPUTS), known, olds);
		return { outs };
	},

	async delete(call, id, outs) {
		const team = String(outs.teamName ?? call.teamName);
		const what = `Job "${String(outs.name ?? "")}" (id ${id}) in team "${team}"`;
		const object = jobRef(team, id);
		await letGo(call, object, tellHolder(call, `${what} was left alone`), async () => {
			call.ownership.deleting(object);
			const live = await findJob(call, team, id);
			if (live === undefined) refuseOtherService(call, outs, `Job ${id} of team "${team}" was not found`);
			else if (goesOn(live, outs)) await cancelAndConfirm(call, team, live, outs);
		});
	},
};

/** A job that was waited for and failed is no success of the deployment: the next one runs it again. */
const mustRunAgain = (olds: Props, news: Props): boolean =>
	news.wait === true && ["FAILED", "CANCELED"].includes(String(olds.status).toUpperCase());

/** Declared to be waited for, and not seen to have ended: the deployment is not done with it. */
const isAwaited = (olds: Props, news: Props): boolean =>
	news.wait === true && !isFinishedJobStatus(String(olds.status));

/** Waits where that is declared. A job that fails, or does not end in time, stays in the state with its id. */
async function followed(call: Call, inputs: Props, made: Job): Promise<Props> {
	const own = pick(inputs, INPUTS);
	if (inputs.wait !== true) return jobOuts(call, own, made);
	const target = {
		team: String(inputs.teamName),
		jobId: made.id,
		label: parseUrn(call.urn)?.name ?? "job",
		clean: withoutSecrets(call, inputs),
	};
	const timeout = timeoutOf(inputs.timeout as string | number | undefined);
	const { job: ended, problem } = await waitForJob(call, target, made, timeout);
	const outs = jobOuts(call, own, ended);
	const next = ` Run "pulumi up" again to go on waiting for it, or cancel it with "npx pulumi-datachain cancel ${made.id}".`;
	if (problem !== undefined)
		throw new PartlyDoneError(made.id, outs, problem + (isFinishedJobStatus(ended.status) ? "" : next));
	return outs;
}

/** The inputs, and what the service adds to them; never its error texts, which may hold secrets. */
function jobOuts(call: Call, inputs: Props, live: Job, olds: Props = {}): Props {
	return compact({
		...inputs,
		jobId: live.id,
		status: live.status,
		url: live.url ?? olds.url,
		createdAt: live.created_at ?? olds.createdAt,
		createdBy: live.created_by ?? olds.createdBy,
		startedAt: live.started_at ?? olds.startedAt,
		finishedAt: live.finished_at ?? olds.finishedAt,
		exitCode: live.exit_code ?? olds.exitCode,
		serviceUrl: call.serviceUrl,
	});
}

async function cancelAndConfirm(call: Call, team: string, live: Job, outs: Props): Promise<void> {
	const isEnding = (status: string) =>
		status.toUpperCase().startsWith("CANCEL") || !goesOn({ ...live, status }, outs);
	let refused: unknown;
	try {
		call.lists.drop(team);
		if (!isEnding(live.status)) await call.client.jobs.cancel({ team_name: team, job_id: live.id });
	} catch (error) {
		// A refusal may say that it has ended in the meantime; the look below tells whether that is so.
		if (!isMissing(error) && !(error instanceof ConflictError || error instanceof InvalidRequestError))
			throw error;
		refused = error;
	}
	const hasEnded = await seenSoon(call, async () => {
		const now = await findJob(call, team, live.id);
		return now === undefined || isEnding(now.status) || undefined;
	});
	if (hasEnded) return;
	if (refused !== undefined) throw refused;
	throw new Error(
		`The service accepted the cancellation of job "${live.name ?? ""}" (id ${live.id}) in team "${team}", but shows it as ` +
			"running. Run the command again; if it stays, cancel the job in the web UI.",
	);
}
