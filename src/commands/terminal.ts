import { once } from "node:events";
import { stripVTControlCharacters } from "node:util";
import { InvalidArgumentError } from "commander";
import { errorCode } from "../client/errors";
import { boundedText, shellWord } from "../text/report";
import { messageOf, STEERING, visible } from "../text/wording";
import { mayNotify, progress } from "./progress";

export { progress } from "./progress";

/** Colour only for a person: on a terminal, and not if NO_COLOR or a dumb terminal asks for none. */
export function wantsColor(
	{ isTTY }: { isTTY?: boolean },
	env: NodeJS.ProcessEnv = process.env,
): boolean {
	return isTTY === true && !env.NO_COLOR && env.TERM !== "dumb";
}

/** The text with its colours if a person reads it. */
export const inWantedColor = (text: string): string =>
	wantsColor(process.stdout) ? text : stripVTControlCharacters(text);

/**
 * Tells if the output is lost: on a full disk half a result would otherwise have the exit code of a whole one. A reader
 * such as `head` may close the pipe before everything is written, which is no failure.
 */
export function watchOutput(): void {
	process.stdout.on("error", () => {});
	process.stdout.once("error", (error) => {
		if (errorCode(error) === "EPIPE") return;
		say(`error: The output could not be written (${errorCode(error)}).`);
		process.exitCode = 1;
	});
	// Nobody is left to be told.
	process.stderr.on("error", () => {});
}

/** Ends the process when nobody reads its output any more: for commands that do nothing but follow something. */
export const endWithReader = (
	exitCode: () => number | undefined = () => undefined,
): void =>
	void process.stdout.once("error", () => process.exit(process.exitCode ?? exitCode()));

/** A line for people, beside the output and in place of the progress. Nothing in it can move the cursor. */
export function say(text: string): void {
	progress.clear();
	process.stderr.write(`${visible(text)}\n`);
}

/** What is good to know and no reason to worry; --quiet leaves it out. */
export function notify(text: string): void {
	if (mayNotify()) say(text);
}

/** As JSON, which escapes only some of the characters that steer a terminal or turn the direction of text. */
export const jsonText = (value: unknown, indent = 0): string =>
	JSON.stringify(value, undefined, indent).replace(
		STEERING,
		(control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`,
	);

/** A result: as JSON if that was asked for, else as text, which is made only then. */
export function printResult(
	{ json }: { readonly json?: boolean | undefined },
	result: unknown,
	text: () => string,
	indent = 2,
): void {
	progress.clear();
	process.stdout.write(json ? `${jsonText(result, indent)}\n` : text());
}

/** Runs `work` with a signal that fires on Ctrl-C and SIGTERM, so that it can end what it has started. */
export async function interruptible<T>(
	work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
	const controller = new AbortController();
	const stop = () => controller.abort();
	process.once("SIGINT", stop).once("SIGTERM", stop);
	try {
		return await work(controller.signal);
	} finally {
		process.off("SIGINT", stop).off("SIGTERM", stop);
	}
}

/** Resolves when the signal fires. */
export async function aborted(signal: AbortSignal): Promise<void> {
	if (!signal.aborted) await once(signal, "abort");
}

/**
 * Ends the process on Ctrl-C or SIGTERM, after `signal` has ended what it had started. Only for commands that read:
 * there is nothing to undo.
 */
export function endOnInterrupt(
	exitCode = (signalCode: number): number => signalCode,
): AbortSignal {
	const controller = new AbortController();
	const end = (signalNumber: number) => (): void => {
		controller.abort();
		progress.clear();
		process.exit(exitCode(128 + signalNumber));
	};
	process.once("SIGINT", end(2)).once("SIGTERM", end(15));
	return controller.signal;
}

/** A failure as a sentence; where in the code it came from only when asked for. */
export function explainFailure(error: unknown, debug: boolean): string {
	if (debug && error instanceof Error) return visible(error.stack ?? error.message);
	return boundedText(`error: ${messageOf(error)}`);
}

/** Lines to paste into a shell, or to hand to its `eval`. */
export const exportLines = (variables: Readonly<Record<string, string>>): string =>
	Object.entries(variables)
		.map(([name, value]) => `export ${name}=${shellWord(value)}\n`)
		.join("");

/** Reads the value of an option that is a whole number. */
export const wholeNumber =
	(from = 0, to = Number.POSITIVE_INFINITY) =>
	(text: string): number => {
		const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
		if (value >= from && value <= to) return value;
		const least = from === 0 ? "a whole number" : `a whole number, ${from} or more`;
		const wanted =
			to === Number.POSITIVE_INFINITY ? least : `a number from ${from} to ${to}`;
		throw new InvalidArgumentError(`Write ${wanted}.`);
	};

/** For options that may be given several times. */
export const collect = (value: string, before: readonly string[] = []): string[] => [
	...before,
	value,
];

/** The parts of our own package.json that commands need. */
interface OwnManifest {
	readonly version: string;
	readonly engines: { readonly node: string };
	readonly peerDependencies: { readonly "@pulumi/pulumi": string };
}

/** Loaded, so that each number is written in one place only; the single executable has it in its bundle. */
export const ownManifest = (): OwnManifest =>
	require("../../package.json") as OwnManifest;
