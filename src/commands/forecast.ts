import type { Command } from "commander";
import { comparisonPage, forecastPage } from "../board/files";
import {
	AbortedError,
	type ConnectionSettings,
	type ConnectionSources,
	type DataChainClient,
	resolveConnection,
} from "../client";
import { timeZoneProblem } from "../cron";
import { analyse, type ClusterLimit } from "../team/forecast-analyse";
import {
	type Comparison,
	compareRuns,
	describeComparison,
} from "../team/forecast-compare";
import { describeForTerminal } from "../team/forecast-report";
import { type ForecastWindow, groupBy, windowOf } from "../team/forecast-runs";
import {
	type ForecastSchedule,
	type PipelineFacts,
	pipelineFacts,
	scheduleOfTeam,
	schedulesByUrn,
	schedulesOfPreview,
	unknownKindNotes,
	whyHidden,
} from "../team/forecast-schedules";
import { newestAndPaused } from "../team/live-pipelines";
import { managedPipelines } from "../team/managed-pipelines";
import { parseInstant } from "../text/instant";
import { many } from "../text/report";
import { messageOf } from "../text/wording";
import { findProject } from "./project-file";
import {
	askPulumi,
	connectionSources,
	type PulumiOptions,
	readStack,
} from "./pulumi-cli";
import { checkFormats, printReport, type ReportOptions } from "./report-output";
import { readSchedules, withClient } from "./session";
import { endOnInterrupt, progress, wholeNumber } from "./terminal";

interface ForecastOptions extends ReportOptions {
	stack?: string;
	live?: boolean;
	compare?: boolean;
	days: number;
	from?: string;
	timeZone: string;
}

export const define = (command: Command): Command =>
	command
		.option(
			"-s, --stack <name>",
			"stack whose schedules to forecast (default: the selected one)",
		)
		.option("--live", "forecast all schedules of the live team, managed or not")
		.option("--compare", "compare the deployed runs with the runs that a preview plans")
		.option("--days <number>", "length of the window", wholeNumber(1, MOST_DAYS), 7)
		.option("--from <instant>", "start of the window, as ISO 8601 (default: now)")
		.option(
			"--time-zone <name>",
			"time zone in which times are shown, such as Europe/Berlin",
			UTC,
		)
		.option("--json", "print the forecast as JSON, with every run")
		.option(
			"--markdown",
			"with --compare: print it as Markdown, fit for a comment on a pull request",
		)
		.option("--html <file>", "write it to this file, as one self-contained page")
		.addHelpText("after", EXAMPLES)
		.action(forecast);

const UTC = "UTC";
const MOST_DAYS = 366;

const EXAMPLES = `
Reads the state through the Pulumi CLI, or the live team, and writes nothing but the file of --html. How long runs
take and how many workers they need comes from the service, if it shows them.

Exit codes: 0 done, 1 error.

Examples:
  $ pulumi-datachain forecast
  $ pulumi-datachain forecast --stack prod --days 30 --html forecast.html
  $ pulumi-datachain forecast --live --time-zone Europe/Berlin
  $ pulumi-datachain forecast --compare --markdown > comment.md
`;

/** A window for which every run is listed must fit into a page and a JSON text. */
const MOST_LISTED_RUNS = 2_000_000;

async function forecast(options: ForecastOptions): Promise<void> {
	const window = checkedWindow(options);
	const read = { stack: options.stack, signal: endOnInterrupt() };
	if (options.compare) {
		const comparison = await compareDeployed(window, read);
		const described = describeComparison(comparison);
		const page = () => comparisonPage(comparison);
		return printReport(options, { result: comparison, report: described, page });
	}
	const facts = options.live ? await readLive(read) : await readDeployed(read);
	const source = options.live ? "live" : "stack";
	const lists = options.json || options.html !== undefined;
	const mostListed = lists ? MOST_LISTED_RUNS : 0;
	const report = analyse({
		...facts,
		window,
		timeZone: options.timeZone,
		source,
		mostListed,
	});
	if (lists && report.summary.runs > MOST_LISTED_RUNS) {
		throw new Error(
			`There are ${report.summary.runs.toLocaleString("en-US")} runs in these ${options.days} days, and at most ${MOST_LISTED_RUNS.toLocaleString("en-US")} can be listed. Choose fewer --days, or leave --json and --html out.`,
		);
	}
	printReport(options, {
		result: report,
		report: describeForTerminal(report),
		page: () => forecastPage(report),
	});
}

function checkedWindow(options: ForecastOptions): ForecastWindow {
	if (options.live && (options.compare || options.stack !== undefined)) {
		throw new Error(
			"--live forecasts the whole team; leave out --stack and --compare.",
		);
	}
	checkFormats(options);
	if (options.markdown && !options.compare)
		throw new Error("--markdown is for --compare. Add it, or use --html.");
	if (options.compare && options.timeZone !== UTC)
		throw new Error(
			"--time-zone is for a forecast: a comparison shows its times in UTC. Leave out one of them.",
		);
	const problem = timeZoneProblem(options.timeZone);
	if (problem !== undefined) throw new Error(`--time-zone: ${problem}`);
	const now = Date.now();
	const from = options.from === undefined ? now : parseInstant(options.from);
	if (from === undefined)
		throw new Error('--from must be a date-time such as "2026-01-31T03:00:00Z".');
	return windowOf(from, options.days, now);
}

/** The schedules of the stack's state, by URN, and where its service is. */
async function readState(options: PulumiOptions) {
	const { state, sources } = await readStack(options);
	// Of resources that name none.
	const { teamName } = resolveConnection(sources);
	const deployed = schedulesByUrn(state, teamName);
	return {
		sources,
		teamName,
		deployed,
		stack: state.stack,
		unknown: unknownKindNotes(state),
	};
}

/** The schedules of the stack's state, and what the service tells of their pipelines. */
async function readDeployed(options: PulumiOptions) {
	const { stack, sources, deployed, unknown } = await readState(options);
	const schedules = [...deployed.values()];
	const facts = await askFacts(sources, schedules, options.signal);
	return { ...facts, stack, schedules, notes: [...unknown, ...facts.notes] };
}

/** What a deployment of the program would do to the runs in the window. */
async function compareDeployed(
	window: ForecastWindow,
	options: PulumiOptions,
): Promise<Comparison> {
	const { stack, sources, teamName, deployed, unknown } = await readState(options);
	progress.step("Asking for a preview…");
	const preview = await askPulumi(["preview", "--json"], options).catch(
		(error: Error) => {
			throw new Error(`${error.message} Run \`pulumi preview\` to see all of it.`);
		},
	);
	const declared = schedulesOfPreview(preview, deployed, teamName);
	const schedules = [...deployed.values(), ...declared.values()];
	const { pipelines, unread } = await askFacts(sources, schedules, options.signal);
	return compareRuns({
		deployed,
		declared,
		pipelines,
		window,
		stack,
		notes: [...unknown, ...unread],
	});
}

/** What the service tells of the pipelines that these schedules run. */
export const askFacts = (
	sources: ConnectionSources,
	schedules: readonly ForecastSchedule[],
	signal: AbortSignal,
) =>
	withClient(resolveConnection(sources), signal, (client) =>
		readFacts(client, schedules),
	);

/** So many schedules are asked for one by one before the Pulumi CLI has started. */
const FEW = 100;

/** All schedules of the live team. The list does not name their pipelines: the stack does, or each is asked for. */
async function readLive({ signal }: PulumiOptions) {
	const connection = resolveConnection(await connectionSources({ signal }));
	return withClient(connection, signal, async (client) => {
		const items = await client.schedules.list();
		const named =
			items.length > FEW
				? await pipelinesOfSelectedStack(connection, signal)
				: new Map<number, string>();
		const unnamed = items.filter(({ id }) => !named.has(id));
		const asked = (await readSchedules(client, unnamed)).map((live) =>
			scheduleOfTeam(client.teamName, live),
		);
		const managed = items.flatMap((item) => {
			const pipeline = named.get(item.id);
			const schedule = scheduleOfTeam(client.teamName, item);
			return pipeline === undefined ? [] : [{ ...schedule, pipeline }];
		});
		const schedules = [...managed, ...asked];
		return { stack: null, schedules, ...(await readFacts(client, schedules)) };
	});
}

/** Of the project in this folder. Without one, or if its state cannot be read, the service tells what is needed. */
async function pipelinesOfSelectedStack(
	connection: ConnectionSettings,
	signal: AbortSignal,
): Promise<ReadonlyMap<number, string>> {
	if (findProject(process.cwd()) === undefined) return new Map();
	try {
		const { state } = await readStack({ signal });
		return managedPipelines(state, connection);
	} catch {
		signal.throwIfAborted();
		return new Map();
	}
}

/** The service answers with 20 of each unless it is told otherwise. */
const MOST_PIPELINES = 10_000;
const MOST_JOBS = 1_000;

/** Lengths and workers are worth knowing, but when something runs is known without them. */
async function readFacts(
	client: DataChainClient,
	schedules: readonly ForecastSchedule[],
) {
	/** Those of the notes that name a request that failed. */
	const unread: string[] = [];
	const orNone = async <T>(
		listName: string,
		asking: Promise<readonly T[]>,
	): Promise<readonly T[]> => {
		try {
			return await asking;
		} catch (error) {
			if (error instanceof AbortedError) throw error;
			unread.push(`${listName} could not be read: ${messageOf(error)}`);
			return [];
		}
	};
	const pipelines = new Map<string, PipelineFacts>();
	const clusters: ClusterLimit[] = [];
	for (const [team, own] of groupBy(schedules, (schedule) => schedule.team)) {
		const hidden = whyHidden(team);
		if (hidden !== undefined) {
			unread.push(
				`The team of ${many(own.length, "schedule")} ${hidden}, so its pipelines, jobs and clusters were not read.`,
			);
			continue;
		}
		const at = { team_name: team };
		const [listed, jobs, machines] = await Promise.all([
			orNone(
				"The pipelines, and whether they are paused,",
				newestAndPaused(client, { ...at, limit: MOST_PIPELINES }),
			),
			orNone("The jobs", client.jobs.list({ ...at, limit: MOST_JOBS })),
			orNone("The clusters", client.clusters.list(at)),
		]);
		for (const [key, value] of pipelineFacts(team, own, listed, jobs))
			pipelines.set(key, value);
		clusters.push(...machines.map((machine) => ({ ...machine, team })));
	}
	const unknown = [...pipelines.values()].filter(
		({ lengths }) => lengths.length === 0,
	).length;
	const few = `${unknown} of ${pipelines.size} pipelines have no finished run. The forecast cannot tell whether they overlap, and counts each of their runs as one minute.`;
	return {
		pipelines,
		clusters,
		notes: unknown > 0 ? [...unread, few] : unread,
		unread,
	};
}
