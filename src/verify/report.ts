import { createHash } from "node:crypto";
import { z } from "zod";

const resultSchema = z.object({
	id: z.string(),
	group: z.enum(["description", "reading", "writing"]),
	assumption: z.string(),
	verdict: z.enum(["holds", "differs", "untried"]),
	/** What the probe saw, or why it saw nothing. */
	seen: z.string(),
	/** Of a difference: whether the provider does something else because of it. */
	matters: z.boolean().optional(),
	/** Of a difference: what the provider does. */
	otherwise: z.string().optional(),
});

/** What `pulumi-datachain verify --json` prints. It has no token, no team and no names but those that this command made. */
export const verifyReportSchema = z.object({
	schemaVersion: z.literal(1),
	version: z.string(),
	date: z.string(),
	/** The service's host, hashed unless it was asked for. */
	host: z.string(),
	complete: z.boolean(),
	counts: z.object({ holds: z.int(), differs: z.int(), untried: z.int() }),
	results: z.array(resultSchema),
	/** What the service describes and the provider does not know. */
	news: z.array(z.string()),
	/** What this run made and could not remove. */
	left: z.array(
		z.object({
			kind: z.enum(["schedule", "variable"]),
			name: z.string(),
			id: z.int().optional(),
			why: z.string(),
		}),
	),
	/** The uploaded file, which no request removes. */
	file: z.string().optional(),
});

export type VerifyReport = z.infer<typeof verifyReportSchema>;
export type Result = z.infer<typeof resultSchema>;

/** The host for a report that others read. */
export function hostText(baseUrl: string, isShown: boolean): string {
	const { host } = new URL(baseUrl);
	if (isShown) return host;
	return `sha256:${createHash("sha256").update(host).digest("hex").slice(0, 12)}`;
}

/** How many of each verdict. */
export function countsOf(results: readonly Result[]): VerifyReport["counts"] {
	const count = (verdict: Result["verdict"]) =>
		results.filter((result) => result.verdict === verdict).length;
	return {
		holds: count("holds"),
		differs: count("differs"),
		untried: count("untried"),
	};
}

/** Whether a difference matters, so that the command fails. */
export const hasDifference = ({ results }: Pick<VerifyReport, "results">): boolean =>
	results.some(({ verdict, matters }) => verdict === "differs" && matters === true);
