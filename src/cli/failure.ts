/** A failure as a sentence; where in the code it came from only when asked for. */
export function explainFailure(error: unknown, debug: boolean): string {
	if (!(error instanceof Error)) return printable(`error: ${String(error)}`);
	return debug ? visible(error.stack ?? error.message) : printable(`error: ${error.message}`);
}

const MOST_CHARACTERS = 2_000;

/** Text that may repeat what others wrote, fit for a terminal: nothing in it can move the cursor or fill the screen. */
export function printable(text: string): string {
	const shown = visible(text);
	if (shown.length <= MOST_CHARACTERS) return shown;
	// The beginning says what is wrong, the end what to do about it.
	return `${shown.slice(0, MOST_CHARACTERS / 2)} … ${shown.slice(-MOST_CHARACTERS / 4)}`;
}

function visible(text: string): string {
	return text.replace(
		/[^\P{Cc}\n\t]/gu,
		(control) => `\\x${control.charCodeAt(0).toString(16).padStart(2, "0")}`,
	);
}
