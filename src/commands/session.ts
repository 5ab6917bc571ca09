import type { Command } from "commander";
import {
	type ConnectionSettings,
	createClient,
	type DataChainClient,
	InvalidRequestError,
	isMissing,
	leftOut,
	NotFoundError,
	resolveConnection,
	type UnreadableInfo,
} from "../client";
import { missingPipelineReason } from "../client/client";
import { withoutRequest } from "../client/errors";
import { listAllPipelines } from "../operations/lists";
import { isRunOfASchedule } from "../schemas/pipeline-status";
import type { Schedule, ScheduleItem } from "../schemas/wire/schedule";
import { didYouMean } from "../text/suggest";
import { visible } from "../text/wording";
import { connectionSources } from "./pulumi-cli";
import {
	interruptible,
	notify,
	printResult,
	progress,
	say,
	wholeNumber,
} from "./terminal";

/** Options of every command about a team. */
export interface TeamOptions {
	json?: boolean;
	team?: string;
	stack?: string;
}

/** Adds the options of every command about a team. */
export const teamCommand = (command: Command): Command =>
	command
		.option("--team <name>", "team to work in (default: the connection's)")
		.option(
			"-s, --stack <name>",
			"stack whose config may hold the connection (default: the selected one)",
		)
		.option("--json", "print the result as JSON");

/** The action of a command that lists objects, or shows the one that the command line names. */
export const listOrShow =
	<Options extends TeamOptions>(
		list: (session: Session, options: Options) => Promise<void>,
		show: (session: Session, nameOrId: string) => Promise<void>,
	) =>
	async (nameOrId: string | undefined, options: Options): Promise<void> => {
		if (nameOrId === undefined)
			return withSession(options, (session) => list(session, options));
		const { json, team, stack, ...filters } = options;
		const [filter] = Object.keys(filters);
		if (filter !== undefined)
			throw new Error(
				`--${filter} is for the list. Leave it out, or leave out ${JSON.stringify(nameOrId)}.`,
			);
		return withSession({ json, team, stack }, (session) => show(session, nameOrId));
	};

/** Rows of a list, unless --limit says otherwise. */
export const USUAL_LIMIT = 20;

/** Options of a list of which only the newest are shown. */
export interface LimitOptions extends TeamOptions {
	limit?: number;
}

export const LIMIT = [
	"--limit <number>",
	`list at most this many (default: ${USUAL_LIMIT})`,
	wholeNumber(1),
] as const;

/** The newest of a list. Says so if it is cut and nobody asked for that: the rest would look as if it did not exist. */
export async function newest<One>(
	plural: string,
	options: LimitOptions,
	list: (limit: number) => Promise<readonly One[]>,
): Promise<readonly One[]> {
	const items = await list(options.limit ?? USUAL_LIMIT);
	if (options.limit === undefined && items.length >= USUAL_LIMIT)
		notify(
			`These are the newest ${items.length} ${plural}, and there may be more; --limit lists them.`,
		);
	return items;
}

/** A connection to the team, and where the command's output goes. */
export interface Session {
	readonly connection: ConnectionSettings;
	/** Its calls end with `interrupt`. */
	readonly client: DataChainClient;
	/** Fires on Ctrl-C and SIGTERM. */
	readonly interrupt: AbortSignal;
	/** Whether results are printed as JSON. */
	readonly json: boolean;
	/** A result: as JSON if that was asked for, else as text, which is made only then. */
	print(result: unknown, text: () => string): void;
}

export const withSession = <T>(
	options: TeamOptions,
	work: (session: Session) => Promise<T>,
): Promise<T> =>
	interruptible(async (interrupt) => {
		const explicit = { teamName: options.team };
		const sources = await connectionSources({
			explicit,
			stack: options.stack,
			signal: interrupt,
		});
		const connection = resolveConnection(sources);
		const print: Session["print"] = (result, text) =>
			printResult(options, result, () => visible(text()));
		try {
			return await withClient(connection, interrupt, (client) =>
				work({ connection, client, interrupt, json: options.json === true, print }),
			);
		} finally {
			progress.clear();
		}
	});

/** Works with a client of its own, whose calls end with the signal; it is closed afterwards. */
export async function withClient<T>(
	connection: ConnectionSettings,
	signal: AbortSignal,
	work: (client: DataChainClient) => Promise<T>,
): Promise<T> {
	const client = createClient(connection, {
		onUnreadable: tellUnreadable,
		maxConnections: CONCURRENT,
	});
	try {
		return await work(client.scoped({ signal }));
	} finally {
		await client.close();
	}
}

const said = new Set<string>();

/** Without a word, an element that was left out of a list would look as if the service did not have it. */
const tellUnreadable = (info: UnreadableInfo): void => warnOnce(leftOut(info));

/** On stderr; what has been said is not said again. */
export function warnOnce(warning: string): void {
	const key = withoutRequest(warning);
	if (said.has(key)) return;
	said.add(key);
	say(`warning: ${warning}`);
}

/** Requests under way at once. After a "too many requests" the client itself sends fewer. */
const CONCURRENT = 32;

/** Asks for all of them, a few at a time, and answers in their order without those that the service no longer has. */
export async function askEach<Item, Found>(
	plural: string,
	items: readonly Item[],
	ask: (item: Item) => Promise<Found>,
): Promise<Found[]> {
	const answers: Found[][] = items.map(() => []);
	let done = 0;
	const waiting = queue(items);
	const work = async () => {
		for (const [index, item] of waiting) {
			try {
				answers[index] = [await ask(item)];
			} catch (error) {
				if (!isMissing(error)) throw error;
			} finally {
				progress.count(`Reading ${plural}`, ++done, items.length);
			}
		}
	};
	await Promise.all(Array.from({ length: CONCURRENT }, work));
	return answers.flat();
}

/** A generator: unlike an array's iterator it ends with the first loop that fails, and no worker takes anything new. */
function* queue<Item>(
	items: readonly Item[],
): Generator<[index: number, item: Item], void> {
	yield* items.entries();
}

/** The schedules of a list in full, with their pipelines, which the list does not name. */
export const readSchedules = (
	client: DataChainClient,
	items: readonly ScheduleItem[],
): Promise<Schedule[]> =>
	askEach("schedules", items, ({ id }) => client.schedules.get({ schedule_id: id }));

/** The first rows of a list that was read whole. Says how many there are if it is cut and nobody asked for that. */
export function firstRows<One>(
	plural: string,
	{ limit }: LimitOptions,
	all: readonly One[],
): readonly One[] {
	const rows = all.slice(0, limit ?? USUAL_LIMIT);
	if (limit === undefined && rows.length < all.length)
		notify(
			`These are the newest ${rows.length} of ${all.length.toLocaleString("en-US")} ${plural}; --limit lists more.`,
		);
	return rows;
}

interface Statuses {
	readonly what: "job" | "pipeline";
	readonly known: readonly string[];
	readonly groups?: readonly string[];
	/** Lists one of them that has this status now. */
	having(
		status: string,
	): Promise<readonly { readonly status?: string | null | undefined }[]>;
}

/**
 * The statuses to filter by, in the service's spelling. The service may have others than those that are known: one
 * that something has is right, and any other is a mistake that would look like "there are none".
 */
export async function checkedStatuses(
	given: readonly string[],
	{ teamName }: Pick<DataChainClient, "teamName">,
	{ what: noun, known: statuses, groups = [], having }: Statuses,
): Promise<string[]> {
	const all = [...statuses, ...groups];
	const isThere = async (wanted: string) =>
		(await having(wanted)).some(({ status }) => status?.toUpperCase() === wanted);
	const checked: string[] = [];
	for (const text of given) {
		const status = text.trim().toUpperCase();
		if (!all.includes(status) && !(await isThere(status))) {
			const group = groups.length === 0 ? "" : `, or a group: ${groups.join(", ")}`;
			throw new Error(
				`Team "${teamName}" has no ${noun} with status ${JSON.stringify(text)}.${didYouMean(text, all)} ` +
					`A ${noun}'s status is ${statuses.join(", ")}${group}. Another one is accepted if a ${noun} has it.`,
			);
		}
		checked.push(status);
	}
	return checked;
}

/** The answer; or, if the service knows no pipeline of that name, a failure that says which ones there are. */
export async function orPipelines<T>(
	client: DataChainClient,
	name: string,
	asked: Promise<T>,
): Promise<T> {
	try {
		return await asked;
	} catch (error) {
		// Runs of schedules have names too, by the thousand, and nobody means one.
		const listPipelines = async () => {
			const all = await listAllPipelines(client);
			return all.filter(
				(pipeline) => pipeline.name === name || !isRunOfASchedule(pipeline),
			);
		};
		const target = { team_name: client.teamName, name };
		const reason = await missingPipelineReason(client, target, error, listPipelines);
		throw new Error(`${reason.charAt(0).toUpperCase()}${reason.slice(1)}`, {
			cause: error,
		});
	}
}

/** The answer; or, if the service knows no job of that id, a failure that says where ids are found. */
export async function orJobs<T>(
	client: DataChainClient,
	id: string,
	asked: Promise<T | undefined>,
): Promise<T> {
	const answer = await asked.catch((error: unknown) => {
		// A text that is no UUID may be refused as such.
		const isUnknown =
			error instanceof NotFoundError
				? error.fromService
				: error instanceof InvalidRequestError;
		if (!isUnknown) throw error;
		return undefined;
	});
	if (answer !== undefined) return answer;
	// People give the name that they know.
	const named = (await client.jobs.list({ limit: 100 })).filter(
		({ name }) => name === id,
	);
	const [newest] = named;
	const hint =
		newest === undefined
			? ""
			: ` That is the name of job ${newest.id} (${newest.status}), the newest of that name.`;
	throw new Error(
		`Team "${client.teamName}" has no job ${JSON.stringify(id)}. A job id is a UUID; "pulumi-datachain jobs" lists the newest ` +
			`jobs with their ids.${hint}`,
	);
}
