import { visible } from "../text/wording";

/** A pipe gets its first line when a command has taken this long, and then one each time. */
const LINE_MILLIS = 5_000;
const BAR_COLUMNS = 20;

let isQuiet = false;

/** From `--quiet` on nothing but results, warnings and errors is printed. */
export function beQuiet(): void {
	isQuiet = true;
}

export const mayNotify = (): boolean => !isQuiet;

/** What goes on now, as a line of a pipe. */
let current = "";
let lastLineAt = 0;
let timer: NodeJS.Timeout | undefined;

/** A log that a pipe ends up in keeps every line, so there are few of them. */
function printLine(): void {
	if (current === "" || Date.now() - lastLineAt < LINE_MILLIS) return;
	lastLineAt = Date.now();
	process.stderr.write(`${visible(current)}\n`);
}

function watch(text: string): void {
	current = text;
	if (text === "") {
		clearInterval(timer);
		timer = undefined;
	} else if (timer === undefined) {
		lastLineAt = Date.now();
		// A single request can take long, too, and nothing is shown anew meanwhile.
		timer = setInterval(printLine, LINE_MILLIS / 5).unref();
	}
}

/** A dumb terminal, such as one in an editor, cannot clear a line: it gets what a pipe gets. */
const canClearLine = (): boolean => process.stderr.isTTY && process.env.TERM !== "dumb";

let isShown = false;

function show(text: string): void {
	if (isQuiet || !canClearLine() || (text === "" && !isShown)) return;
	isShown = text !== "";
	process.stderr.write(`\r\u001b[K${visible(text)}`);
}

/** On stderr, what a command does that takes its time: one line that changes on a terminal, a line every few seconds elsewhere. */
export const progress = {
	/** A part of the work whose length nobody knows. */
	step(text: string): void {
		show(text);
		if (!isQuiet && !canClearLine()) watch(text);
	},
	/** `Reading schedules: 12 of 100`, with a bar on a terminal. */
	count(action: string, done: number, all: number): void {
		const text = `${action}: ${done.toLocaleString("en-US")} of ${all.toLocaleString("en-US")}`;
		const filled = all === 0 ? BAR_COLUMNS : Math.floor((done / all) * BAR_COLUMNS);
		show(`${text} [${"#".repeat(filled)}${"-".repeat(BAR_COLUMNS - filled)}]`);
		if (!isQuiet && !canClearLine()) watch(text);
	},
	/** The state of something that is followed, which its output tells elsewhere; only a terminal shows it. */
	show,
	clear(): void {
		show("");
		watch("");
	},
};
