import { printable } from "../failure";
import { orPipelines, type RunsOptions, withSession } from "./session";
import { pipelineView } from "./views";

/** Asks the service to end jobs. */
export const cancel = (ids: readonly string[], options: RunsOptions): Promise<void> =>
	withSession(options, async ({ client, team, interrupt, print }) => {
		const done: { id: string; message: string | null }[] = [];
		try {
			for (const id of ids) {
				const { message } = await client.jobs.cancel({ team_name: team, job_id: id }, { signal: interrupt });
				done.push({ id, message: message ?? null });
			}
		} finally {
			// Where one fails, those before it are ended all the same.
			print(done, done.map(({ id, message }) => `${id}: ${printable(message ?? "asked to end")}\n`).join(""));
		}
	});

/** Pauses or resumes a pipeline: paused, its running jobs go on and no new ones start. */
export const setPaused = (name: string, paused: boolean, options: RunsOptions): Promise<void> =>
	withSession(options, async (session) => {
		const { client, team, interrupt, print } = session;
		const target = { team_name: team, name };
		const signal = { signal: interrupt };
		const act = paused ? client.pipelines.pause : client.pipelines.resume;
		await orPipelines(session, name, act(target, signal));
		const now = pipelineView(await client.pipelines.status({ team_name: team, name }, signal));
		print(now, `${now.name}: ${now.status}\n`);
	});
