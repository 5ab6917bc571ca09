import { type Command, InvalidArgumentError, Option } from "commander";
import type { Call } from "../provider/context";
import type { Props } from "../provider/handler";
import { handlerOf, hosted } from "../provider/hosting";
import { parseDuration } from "../schemas/duration";
import type { Kind } from "../schemas/kinds";
import { type TeamOptions, teamCommand } from "./session";
import { explainFailure, progress, say } from "./terminal";

/** Options of the commands that start something and may follow it to its end. */
export interface FollowOptions extends TeamOptions {
	wait?: boolean;
	timeout?: string;
	onInterrupt: "cancel" | "leave";
}

export const followCommand = (command: Command): Command =>
	teamCommand(command)
		.option("--wait", "follow it to its end; the exit code says how it ended")
		.option("--timeout <time>", "with --wait: give up after 90s, 30m, 1h30m (default: 1h)", duration)
		.addOption(
			new Option("--on-interrupt <what>", "with --wait: what Ctrl-C does to it")
				.choices(["cancel", "leave"])
				.default("leave"),
		);

function duration(text: string): string {
	if (parseDuration(text) !== undefined) return text;
	throw new InvalidArgumentError("Write it as 90s, 30m or 1h30m.");
}

/** What a shell says of a command that ran out of time, and of one that was interrupted. */
const [TIMED_OUT, INTERRUPTED] = [124, 130];

/** The checks of a deployment, before anything is sent. */
export async function checkInputs(call: Call, kind: Kind, news: Props): Promise<Props> {
	const given = Object.fromEntries(Object.entries(news).filter(([, value]) => value !== undefined));
	const { inputs, problems } = await hosted(handlerOf(kind)).check(call, {}, given);
	// The input that a program would add has no option here.
	const unclear = `The name "${news.file}" does not say what it is. Rename it: .py for Python, .sh or .bash for a shell script.`;
	const reasons = problems.map(({ field, reason }) => (field === "queryType" ? unclear : reason));
	if (reasons.length > 0) throw new Error(reasons.join("\n"));
	return inputs;
}

/** How something that was followed stands when the command ends. */
interface Followed {
	/** `Job 6f96…`, as sentences begin. */
	readonly what: string;
	readonly hasEnded: boolean;
	/** Why it is no success; undefined if it is one. */
	readonly problem: string | undefined;
	readonly timedOut: boolean;
	readonly exitCode: number;
	/** What shows how it goes on, if it has not ended. */
	readonly next: string;
	/** What ends it after Ctrl-C, and what that does to it. */
	readonly end: () => Promise<unknown>;
	readonly ended: string;
}

/** Leaves in the exit code how it ended, and says why on stderr. After Ctrl-C it goes on or ends, as the flag says. */
export async function reportEnd(
	{ onInterrupt }: FollowOptions,
	interrupt: AbortSignal,
	{ what, hasEnded, problem, timedOut, exitCode, next, end, ended }: Followed,
): Promise<void> {
	progress.clear();
	if (interrupt.aborted && !hasEnded) {
		process.exitCode = INTERRUPTED;
		if (onInterrupt === "leave") return say(`${what} was left running.`);
		return end().then(
			() => say(`${what} was ${ended}.`),
			(error: unknown) => say(explainFailure(error, false)),
		);
	}
	if (problem === undefined) return;
	process.exitCode = timedOut ? TIMED_OUT : exitCode;
	if (!interrupt.aborted) say(hasEnded ? problem : `${problem} ${next}`);
}

/** On a terminal: what was started. */
export function tellStarted(what: string, url?: string): void {
	if (process.stderr.isTTY) say(url === undefined ? what : `${what} ${url}`);
	progress.show("…");
}
