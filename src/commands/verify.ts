import { createInterface } from "node:readline/promises";
import type { Command } from "commander";
import { type ConnectionSettings, resolveConnection } from "../client";
import { findSettings, normalizeBaseUrl } from "../client/connection";
import { STYLES, styled } from "../text/renderings";
import { plain, type Severity } from "../text/report";
import type { Remainder } from "../verify/clean-up";
import { VerifyError } from "../verify/description";
import { findLeftovers, type Leftover, removeLeftovers } from "../verify/leftovers";
import {
	countsOf,
	hasDifference,
	hostText,
	type Result,
	type VerifyReport,
} from "../verify/report";
import {
	type Finished,
	type Prepared,
	prepare,
	runChecks,
	type VerifyOptions,
	type Watcher,
} from "../verify/run";
import { Service } from "../verify/service";
import {
	leftoverLine,
	leftoverLines,
	planLines,
	remainderLines,
	resultLine,
} from "../verify/words";
import { connectionSources } from "./pulumi-cli";
import { type TeamOptions, teamCommand } from "./session";
import {
	interruptible,
	inWantedColor,
	ownManifest,
	printResult,
	progress,
	say,
} from "./terminal";

interface Options extends TeamOptions {
	pipeline?: string;
	yes?: boolean;
	description: boolean;
	showHost?: boolean;
	removeLeftovers?: boolean;
}

export const define = (command: Command): Command =>
	teamCommand(command)
		.option(
			"--pipeline <name>",
			"also make the checks that write, with this paused pipeline",
		)
		.option("-y, --yes", "write without asking")
		.option("--no-description", "leave out the description that the service publishes")
		.option(
			"--show-host",
			"name the service's host in the JSON report, instead of its hash",
		)
		.option(
			"--remove-leftovers",
			"only remove the objects that a killed run left in the team",
		)
		.addHelpText("after", EXAMPLES)
		.action(verify);

const EXAMPLES = `
Checks what the provider assumes about the service: the description that it publishes (no token needed), then with
requests that read. With --pipeline it also writes, with a schedule and a variable of its own, and removes them again. It
says what it will do before it does. It triggers, resumes and runs nothing.

Exit codes: 0 no difference that matters, 2 a difference that matters, 1 the checks failed or an object was not removed.

Examples:
  $ pulumi-datachain verify
  $ pulumi-datachain verify --pipeline quiet-harbor
  $ pulumi-datachain verify --json > report.json
`;

async function verify(options: Options): Promise<void> {
	if (options.removeLeftovers && options.pipeline !== undefined)
		throw new Error(
			"--remove-leftovers and --pipeline: the first removes and checks nothing. Keep one of them.",
		);
	await interruptible(async (signal) => {
		const { baseUrl, connection } = await connectionOf(options, signal);
		if (options.removeLeftovers) return removeAll(options, connection, signal);
		await check(options, {
			...{ baseUrl, connection, signal },
			pipeline: options.pipeline,
			noDescription: !options.description,
		});
	}).finally(() => progress.clear());
}

/** The connection of the provider. Without a token, the base URL alone, unless the options need more. */
async function connectionOf(
	options: Options,
	signal: AbortSignal,
): Promise<Pick<VerifyOptions, "baseUrl" | "connection">> {
	const explicit = { teamName: options.team };
	const sources = await connectionSources({ explicit, stack: options.stack, signal });
	const { token, baseUrl } = findSettings(sources);
	const isNeeded =
		options.pipeline !== undefined || options.removeLeftovers || !options.description;
	if (token === undefined && !isNeeded)
		return { baseUrl: normalizeBaseUrl(baseUrl.value), connection: undefined };
	const connection = resolveConnection(sources);
	return { baseUrl: connection.baseUrl, connection };
}

async function check(options: Options, work: VerifyOptions): Promise<void> {
	progress.show("Checking the service…");
	const prepared = await prepare(work);
	try {
		say(`Checking what the provider assumes about ${work.baseUrl}.`);
		if (prepared.service === undefined)
			say("There is no token, so only the description is checked.");
		for (const line of [...leftoverLines(prepared.leftovers), ...planLines(prepared)])
			say(line);
		if (prepared.target !== undefined) await consent(options, work.signal);
		const finished = await runChecks(work, prepared, watcherOf(options, work.signal));
		tellEnd(options, work, prepared, finished);
	} finally {
		await prepared.service?.close();
	}
}

/** Fails unless the user agrees. */
async function consent({ yes }: Options, signal: AbortSignal): Promise<void> {
	if (yes) return;
	const refused = new VerifyError(
		"Nothing was written. Add --yes to write without being asked.",
	);
	if (!process.stdin.isTTY || !process.stderr.isTTY) throw refused;
	const terminal = createInterface({ input: process.stdin, output: process.stderr });
	// A terminal in this mode turns Ctrl-C into an event of its own.
	terminal.once("SIGINT", () => terminal.close());
	const closed = new Promise<string>((resolve) =>
		terminal.once("close", () => resolve("")),
	);
	try {
		const answer = await Promise.race([
			terminal.question("Continue? [y/N] ", { signal }),
			closed,
		]);
		if (!/^y(es)?$/i.test(answer.trim())) throw new VerifyError("Nothing was written.");
	} finally {
		terminal.close();
	}
}

const SEVERITIES: Readonly<Record<Result["verdict"], Severity>> = {
	holds: "good",
	differs: "bad",
	untried: "quiet",
};

function watcherOf({ json }: Options, signal: AbortSignal): Watcher {
	return {
		begins: (id) => progress.show(`Checking ${id}…`),
		checked: (result) => {
			if (json) return;
			progress.clear();
			const severity =
				result.verdict === "differs" && !result.matters
					? "odd"
					: SEVERITIES[result.verdict];
			const verdict = styled(STYLES[severity], result.verdict.padEnd(7));
			process.stdout.write(inWantedColor(`${verdict}  ${resultLine(result)}\n`));
		},
		beforeWriting: (notYet) => {
			signal.addEventListener("abort", () => {
				say("Interrupted. Removing what was made…");
				endOnSecond(notYet);
			});
		},
		onRemovalBegins: () => progress.show("Removing what was made…"),
		onRemovalEnds: (left) => {
			for (const line of remainderLines(left)) say(line);
		},
	};
}

/** A second Ctrl-C does not wait for the removal, so it names what is left. */
function endOnSecond(notYet: () => Remainder[]): void {
	const end = () => {
		for (const line of remainderLines(notYet())) say(line);
		process.exit(1);
	};
	process.once("SIGINT", end).once("SIGTERM", end);
}

function tellEnd(
	options: Options,
	{ baseUrl }: VerifyOptions,
	{ target }: Prepared,
	{ results, news, left, file, complete }: Finished,
): void {
	const counts = countsOf(results);
	const report: VerifyReport = {
		schemaVersion: 1,
		version: ownManifest().version,
		date: new Date().toISOString(),
		host: hostText(baseUrl, options.showHost === true),
		complete,
		counts,
		results: [...results],
		news: [...news],
		left: left.map(({ kind, name, id, why }) => ({ kind, name, id, why })),
		file,
	};
	printResult(options, report, () => {
		const added =
			news.length === 0
				? ""
				: `The service also describes: ${plain(news.join(", "), 1_500)}.\n`;
		const numbers = `${counts.holds} hold, ${counts.differs} differ, ${counts.untried} could not be tried.`;
		return `${added}${numbers}\n`;
	});
	if (!complete) say("The command was interrupted, so the other checks were not made.");
	if (target !== undefined && left.length === 0)
		say(
			`Everything that was made is removed${file === undefined ? "" : ", except for the file"}.`,
		);
	process.exitCode = !complete || left.length > 0 ? 1 : hasDifference(report) ? 2 : 0;
}

/** Removes what earlier runs left, after a look and with consent. */
async function removeAll(
	options: Options,
	connection: ConnectionSettings | undefined,
	signal: AbortSignal,
): Promise<void> {
	if (connection === undefined) return;
	const service = new Service(connection, signal);
	try {
		const leftovers = await findLeftovers(service);
		const empty = { removed: [], left: [] };
		if (leftovers.length === 0)
			return printResult(options, empty, () => "There is nothing to remove.\n");
		say("To be removed:");
		for (const leftover of leftovers) say(`- ${leftoverLine(leftover)}`);
		say("If another run of this command is under way, it loses its objects.");
		await consent(options, signal);
		const left = await removeLeftovers(service, leftovers);
		for (const line of remainderLines(left)) say(line);
		const removed = leftovers.filter(
			(leftover) => !left.some((each) => isSame(each, leftover)),
		);
		printResult(
			options,
			{ removed, left },
			() => `Removed ${removed.length} of ${leftovers.length}.\n`,
		);
		process.exitCode = left.length > 0 ? 1 : 0;
	} finally {
		await service.close();
	}
}

/** A killed run may leave two schedules of one name. */
const isSame = (one: Remainder, other: Leftover): boolean =>
	one.name === other.name && one.id === ("id" in other ? other.id : undefined);
