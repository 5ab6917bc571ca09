import { isFinishedJobStatus } from "../../schemas/job";
import { progress } from "../terminal";
import { type RunsOptions, withSession } from "./session";

export interface LogsOptions extends RunsOptions {
	follow?: boolean;
}

/** On a terminal nothing that a job wrote can move the cursor; in a pipe its bytes stay as they are. */
export const logText = (text: string): string =>
	process.stdout.isTTY ? text.replace(/[^\P{Cc}\n\t]/gu, "\ufffd") : text;

/** Prints a job's log: as far as it is, or to its end. With `--json` one object a line. */
export const logs = (jobId: string, options: LogsOptions): Promise<void> =>
	withSession(options, async ({ client, interrupt }) => {
		const which = { job_id: jobId };
		const [job] = await client.jobs.list(which);
		if (job === undefined) {
			throw new Error(
				`Team "${client.teamName}" has no job "${jobId}". "pulumi-datachain jobs" lists the newest.`,
			);
		}
		let isInLine = false;
		const endLine = () => {
			if (isInLine) process.stdout.write("\n");
			isInLine = false;
		};
		// As in the service's own client, a message ends where it ends: its lines have line breaks of their own.
		const write = ({ message, id }: { id?: number | undefined; message: string }) => {
			if (!isInLine) progress.clear();
			process.stdout.write(options.json ? `${JSON.stringify({ line: message, id })}\n` : logText(message));
			isInLine = !options.json && message !== "" && !message.endsWith("\n");
		};
		if (!options.follow && !isFinishedJobStatus(job.status)) {
			for (const line of (await client.jobs.logs(which)).lines) write(line);
			return endLine();
		}
		try {
			for await (const event of client.jobs.followLogs(which)) {
				if (event.type === "line") write(event);
				else if (options.json) process.stdout.write(`${JSON.stringify({ status: event.status })}\n`);
				else if (!isInLine) progress.show(event.status);
			}
		} catch (error) {
			// Only the reading ends; the job goes on.
			if (!interrupt.aborted) throw error;
			process.exitCode = 130;
		} finally {
			endLine();
		}
	});
