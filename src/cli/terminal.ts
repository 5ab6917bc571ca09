interface Stream {
	readonly isTTY?: boolean | undefined;
	write(text: string): unknown;
}

/** Colour only for a person: on a terminal, and not where NO_COLOR or a dumb terminal asks for none. */
export function wantsColor(stream: Stream, env: NodeJS.ProcessEnv = process.env): boolean {
	return stream.isTTY === true && !env.NO_COLOR && env.TERM !== "dumb";
}

/** One line, on stderr unless given, that says what is going on; nothing at all where nobody watches. */
export function makeProgress(given?: Stream) {
	const show = (text: string): void => {
		const stream: Stream = given ?? process.stderr;
		if (stream.isTTY) stream.write(`\r\u001b[K${text}`);
	};
	return { show, clear: () => show("") };
}

export const progress = makeProgress();

/** A line for people, beside the output. */
export const say = (text: string): void => void process.stderr.write(`${text}\n`);

/** What `head` leaves behind when it closes the pipe is not worth a crash. */
export function tolerateClosedOutput(): void {
	process.stdout.on("error", () => {});
}

/**
 * Ends the process on Ctrl-C or SIGTERM, after `signal` has ended what it had started. Only for commands that read:
 * there is nothing to undo.
 */
export function endOnInterrupt(exitCode: (signalNumber: number) => number): AbortSignal {
	const controller = new AbortController();
	const end = (signalNumber: number) => (): void => {
		controller.abort();
		progress.clear();
		process.exit(exitCode(128 + signalNumber));
	};
	process.once("SIGINT", end(2)).once("SIGTERM", end(15));
	return controller.signal;
}
