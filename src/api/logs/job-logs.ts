import { z } from "zod";

/** A job's log as far as the reply could be read. */
export interface JobLogs {
	readonly text: string;
	readonly lines: readonly JobLogLine[];
}

export interface JobLogLine {
	readonly id?: number;
	readonly message: string;
}

const lineSchema = z.union([
	z.string().transform((message): JobLogLine => ({ message })),
	z
		.looseObject({ id: z.int().nullish(), message: z.string() })
		.transform(({ id, message }): JobLogLine => (typeof id === "number" ? { id, message } : { message })),
]);

/**
 * The API's reference does not show this reply. Taken are the forms the service uses elsewhere: `{"logs": …}`, a bare
 * array of lines, a JSON string and plain text. Anything else is no log, and reads as an empty one.
 */
export function readJobLogs(reply: unknown): JobLogs {
	const logs = typeof reply === "object" && reply !== null && "logs" in reply ? reply.logs : reply;
	if (typeof logs === "string") return { text: logs, lines: splitLines(logs) };
	const lines = z.array(lineSchema).safeParse(logs);
	if (!lines.success) return { text: "", lines: [] };
	return { text: joinLines(lines.data), lines: lines.data };
}

function splitLines(text: string): JobLogLine[] {
	return (text.match(/[^\n]*\n|[^\n]+$/g) ?? []).map((message) => ({ message }));
}

/** Lines of the service end in a newline of their own; where they do not, one is put between them. */
function joinLines(lines: readonly JobLogLine[]): string {
	return lines
		.map(({ message }, index) =>
			message.endsWith("\n") || index === lines.length - 1 ? message : `${message}\n`,
		)
		.join("");
}
