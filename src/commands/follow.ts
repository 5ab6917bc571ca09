import { type Command, InvalidArgumentError, Option } from "commander";
import { parseDuration } from "../text/duration";
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
		.option(
			"--timeout <time>",
			"with --wait: give up after 90s, 30m, 1h30m (default: 1h)",
			duration,
		)
		.addOption(
			new Option("--on-interrupt <what>", "with --wait: what Ctrl-C does to it")
				.choices(["cancel", "leave"])
				.default("leave"),
		);

/** Refuses what only --wait uses: who gives it expects the command to wait. */
export function checkFollowed({ wait, timeout, onInterrupt }: FollowOptions): void {
	const unused =
		timeout === undefined
			? onInterrupt === "cancel" && "--on-interrupt cancel"
			: "--timeout";
	if (!wait && unused)
		throw new Error(
			`${unused} is only used together with --wait. Add --wait, or leave it out.`,
		);
}

function duration(text: string): string {
	if (parseDuration(text) !== undefined) return text;
	throw new InvalidArgumentError("Write it as 90s, 30m or 1h30m.");
}

/** What a shell says of a command that ran out of time, and of one that was interrupted. */
const [TIMED_OUT, INTERRUPTED] = [124, 130];

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
	readonly consequence: string;
}

/** Leaves in the exit code how it ended, and says why on stderr. After Ctrl-C it goes on or ends, as the flag says. */
export async function reportEnd(
	{ onInterrupt }: FollowOptions,
	interrupt: AbortSignal,
	{
		what: subject,
		hasEnded,
		problem,
		timedOut,
		exitCode,
		next,
		end,
		consequence,
	}: Followed,
): Promise<void> {
	progress.clear();
	if (interrupt.aborted && !hasEnded) {
		process.exitCode = INTERRUPTED;
		if (onInterrupt === "leave") return say(`${subject} was left running.`);
		return end().then(
			() => say(`${subject} was ${consequence}.`),
			(error: unknown) => say(explainFailure(error, false)),
		);
	}
	if (problem === undefined) return;
	process.exitCode = timedOut ? TIMED_OUT : exitCode;
	if (!interrupt.aborted) say(hasEnded ? problem : `${problem} ${next}`);
}

/** On a terminal: what was started. */
export function announceStart(subject: string, url?: string): void {
	if (process.stderr.isTTY) say(url === undefined ? subject : `${subject} ${url}`);
	progress.show("…");
}
