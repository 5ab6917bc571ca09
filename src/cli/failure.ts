/** A failure as a sentence; where in the code it came from only when asked for. */
export function explainFailure(error: unknown, debug: boolean): string {
	if (!(error instanceof Error)) return `error: ${String(error)}`;
	return debug ? (error.stack ?? error.message) : `error: ${error.message}`;
}
