const said = new Set<string>();
let isListening = false;

/**
 * The dynamic host prints the errors of most operations, stack trace included, and answers the engine with them as well:
 * people would read each twice. They are written for people, so that the answer alone is enough.
 */
export function sayOnce(error: Error): void {
	error.stack = "";
	said.add(`${error}: ${error.stack}`);
	if (isListening) return;
	isListening = true;
	const usual = console.error;
	console.error = (...args: unknown[]) => {
		if (args.length !== 1 || typeof args[0] !== "string" || !said.has(args[0])) usual.apply(console, args);
	};
}
