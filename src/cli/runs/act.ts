import { printable } from "../failure";
import { orPipelines, type RunsOptions, withSession } from "./session";
import { pipelineView } from "./views";

/** Asks the service to end jobs. */
export const cancel = (ids: readonly string[], options: RunsOptions): Promise<void> =>
	withSession(options, async ({ client, print }) => {
		const done: { id: string; message: string | null }[] = [];
		try {
			for (const id of ids) {
				const { message } = await client.jobs.cancel({ job_id: id });
				done.push({ id, message: message ?? null });
			}
		} finally {
			// Where one fails, those before it are ended all the same.
			print(done, done.map(({ id, message }) => `${id}: ${printable(message ?? "asked to end")}\n`).join(""));
		}
	});

/** Pauses or resumes a pipeline: paused, its running jobs go on and no new ones start. */
export const setPaused = (name: string, paused: boolean, options: RunsOptions): Promise<void> =>
	withSession(options, async ({ client, print }) => {
		const act = paused ? client.pipelines.pause : client.pipelines.resume;
		await orPipelines(client, name, act({ name }));
		const now = pipelineView(await client.pipelines.status({ name }));
		print(now, `${now.name}: ${now.status}\n`);
	});
