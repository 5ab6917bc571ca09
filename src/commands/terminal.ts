import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";
import { InvalidArgumentError } from "commander";
import { errorCode } from "../api/errors";
import { boundedText, type Report, shellWord } from "../report/report";
import { messageOf, STEERING, visible } from "../schemas/wording";
import type { ServerOptions } from "../server";

/** Colour only for a person: on a terminal, and not if NO_COLOR or a dumb terminal asks for none. */
export function wantsColor({ isTTY }: { isTTY?: boolean }, env: NodeJS.ProcessEnv = process.env): boolean {
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
export const endWithReader = (exitCode: () => number | undefined = () => undefined): void =>
	void process.stdout.once("error", () => process.exit(process.exitCode ?? exitCode()));

/** One line on stderr that says what is going on; nothing at all where nobody watches. */
export const progress = {
	show: (text: string): void => {
		if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${visible(text)}`);
	},
	clear: (): void => progress.show(""),
};

/** A line for people, beside the output and in place of the progress. Nothing in it can move the cursor. */
export function say(text: string): void {
	progress.clear();
	process.stderr.write(`${visible(text)}\n`);
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
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
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
export function endOnInterrupt(exitCode = (signalCode: number): number => signalCode): AbortSignal {
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

/** Writes a page or a calendar where the user said, and says so. */
export function writeReport(file: string, text: string): void {
	try {
		writeFileSync(file, text);
	} catch (error) {
		throw new Error(
			`The file "${file}" cannot be written (${errorCode(error)}). Check the folder and its permissions.`,
		);
	}
	say(`Wrote ${file}`);
}

/** The options in which commands that make a report agree. */
export interface ReportOptions {
	json?: boolean;
	markdown?: boolean;
	html?: string;
}

/** What a command found out, and how it is shown. */
export interface Findings {
	/** What --json prints. */
	readonly result: unknown;
	readonly report: Report;
	/** Lines that only a terminal shows, between the headline and the tables. */
	readonly figure?: readonly string[];
	readonly page: () => string;
	/** JSON on one line, if several reports follow each other. */
	readonly oneLine?: boolean;
}

/** To be asked before any work. */
export function checkFormats({ json, markdown }: ReportOptions): void {
	if (json && markdown) throw new Error("--json and --markdown both print to stdout. Keep one of them.");
}

/** Loaded with the first report: a command must not pay for it. */
const renderings = () => require("../report/renderings") as typeof import("../report/renderings");

/** Writes the page if one is wanted, and prints the report in the wanted form. */
export function printReport(options: ReportOptions, findings: Findings): void {
	const { result, report, figure, page, oneLine } = findings;
	if (options.html !== undefined) writeReport(options.html, page());
	const shown = () =>
		options.markdown
			? renderings().reportMarkdown(report)
			: inWantedColor(renderings().reportText(report, figure));
	printResult(options, result, shown, oneLine ? 0 : 2);
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
		const wanted = to === Number.POSITIVE_INFINITY ? least : `a number from ${from} to ${to}`;
		throw new InvalidArgumentError(`Write ${wanted}.`);
	};

/** The option of commands that serve something. */
export const PORT = [
	"--port <number>",
	"port to listen on (default: a free one)",
	wholeNumber(0, 65_535),
] as const;

/** Why a server does not start, if the system refuses it something; its own errors are sentences already. */
export function explainStart(
	error: unknown,
	{ host = "127.0.0.1", port, dataFile }: Pick<ServerOptions, "host" | "port" | "dataFile">,
): unknown {
	if (!(error instanceof Error && "syscall" in error)) return error;
	const code = errorCode(error);
	if (code === "EADDRINUSE")
		return new Error(
			`Port ${port} on ${host} is in use. Choose another with --port; --port 0 takes a free one.`,
		);
	if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
		return new Error(`This machine has no address "${host}" to listen on. Leave --host out for 127.0.0.1.`);
	if (error.syscall === "listen")
		return new Error(`Not allowed to listen on port ${port} (${code}). Choose another with --port.`);
	return new Error(`The data file "${dataFile}" cannot be used (${code}). Choose another place for it.`);
}

/** For options that may be given several times. */
export const collect = (value: string, before: readonly string[] = []): string[] => [...before, value];

/** The parts of our own package.json that commands need. */
interface OwnManifest {
	readonly version: string;
	readonly engines: { readonly node: string };
	readonly peerDependencies: { readonly "@pulumi/pulumi": string };
}

/** Loaded, so that each number is written in one place only; the single executable has it in its bundle. */
export const ownManifest = (): OwnManifest => require("../../package.json") as OwnManifest;
