/** What a probe says about its assumption. */
export interface Outcome {
	readonly verdict: "holds" | "differs" | "untried";
	/** What the probe saw, or why there was nothing to see. No values of the team. */
	readonly seen: string;
	/** Whether a difference matters, where the row leaves that to its probe. */
	readonly matters?: boolean;
	/** What the service has and the provider does not know; no difference. */
	readonly news?: readonly string[];
}

export const holds = (seen: string, news: readonly string[] = []): Outcome => ({
	verdict: "holds",
	seen,
	news,
});
export const differs = (seen: string): Outcome => ({ verdict: "differs", seen });
export const untried = (seen: string): Outcome => ({ verdict: "untried", seen });

/** Thrown where a probe cannot see what it would look at. */
export class Untried extends Error {
	override readonly name = "Untried";
}
