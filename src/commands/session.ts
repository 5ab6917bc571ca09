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
} from "../api";
import { pipelinesInstead } from "../api/client";
import { withoutRequest } from "../api/errors";
import { didYouMean } from "../schemas/suggest";
import type { Schedule, ScheduleItem } from "../schemas/wire/schedule";
import { visible } from "../schemas/wording";
import { connectionSources } from "./pulumi-cli";
import { interruptible, printResult, progress, say, wholeNumber } from "./terminal";

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
		.option("-s, --stack <name>", "stack whose config may hold the connection (default: the selected one)")
		.option("--json", "print the result as JSON");

/** The action of a command that lists objects, or shows the one that the command line names. */
export const listOrShow =
	<Options extends TeamOptions>(
		list: (session: Session, options: Options) => Promise<void>,
		show: (session: Session, which: string) => Promise<void>,
	) =>
	async (which: string | undefined, options: Options): Promise<void> => {
		if (which === undefined) return withSession(options, (session) => list(session, options));
		const { json, team, stack, ...filters } = options;
		const [filter] = Object.keys(filters);
		if (filter !== undefined)
			throw new Error(`--${filter} is for the list. Leave it out, or leave out ${JSON.stringify(which)}.`);
		return withSession({ json, team, stack }, (session) => show(session, which));
	};

/** Rows of a list, unless --limit says otherwise. */
const USUAL_LIMIT = 20;

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
	what: string,
	options: LimitOptions,
	list: (limit: number) => Promise<readonly One[]>,
): Promise<readonly One[]> {
	const found = await list(options.limit ?? USUAL_LIMIT);
	if (options.limit === undefined && found.length >= USUAL_LIMIT)
		say(`These are the newest ${found.length} ${what}, and there may be more; --limit lists them.`);
	return found;
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

export const withSession = <T>(options: TeamOptions, work: (session: Session) => Promise<T>): Promise<T> =>
	interruptible(async (interrupt) => {
		const explicit = { teamName: options.team };
		const sources = await connectionSources({ explicit, stack: options.stack, signal: interrupt });
		const connection = resolveConnection(sources);
		const print: Session["print"] = (result, text) => printResult(options, result, () => visible(text()));
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
	const client = createClient(connection, { onUnreadable: tellUnreadable });
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
	const known = withoutRequest(warning);
	if (said.has(known)) return;
	said.add(known);
	say(`warning: ${warning}`);
}

/** Requests under way at once: quick enough for a large team, and no burden for the service. */
const CONCURRENT = 8;

/** Asks for all of them, a few at a time, and answers in their order without those that the service no longer has. */
export async function askEach<Item, Found>(
	what: string,
	items: readonly Item[],
	ask: (item: Item) => Promise<Found>,
): Promise<Found[]> {
	const found: Found[][] = items.map(() => []);
	let done = 0;
	const waiting = queue(items);
	const work = async () => {
		for (const [index, item] of waiting) {
			try {
				found[index] = [await ask(item)];
			} catch (error) {
				if (!isMissing(error)) throw error;
			} finally {
				progress.show(`Reading ${++done} of ${items.length} ${what}…`);
			}
		}
	};
	await Promise.all(Array.from({ length: CONCURRENT }, work));
	return found.flat();
}

/** A generator: unlike an array's iterator it ends with the first loop that fails, and no worker takes anything new. */
function* queue<Item>(items: readonly Item[]): Generator<[index: number, item: Item], void> {
	yield* items.entries();
}

/** The schedules of a list in full, with their pipelines, which the list does not name. */
export const readSchedules = (client: DataChainClient, items: readonly ScheduleItem[]): Promise<Schedule[]> =>
	askEach("schedules", items, ({ id }) => client.schedules.get({ schedule_id: id }));

interface Statuses {
	readonly what: "job" | "pipeline";
	readonly known: readonly string[];
	readonly groups?: readonly string[];
	/** Lists one of them that has this status now. */
	having(status: string): Promise<readonly { readonly status?: string | null | undefined }[]>;
}

/**
 * The statuses to filter by, in the service's spelling. The service may have others than those that are known: one
 * that something has is right, and any other is a mistake that would look like "there are none".
 */
export async function checkedStatuses(
	given: readonly string[],
	{ teamName }: Pick<DataChainClient, "teamName">,
	{ what, known, groups = [], having }: Statuses,
): Promise<string[]> {
	const all = [...known, ...groups];
	const isThere = async (wanted: string) =>
		(await having(wanted)).some(({ status }) => status?.toUpperCase() === wanted);
	const checked: string[] = [];
	for (const text of given) {
		const status = text.trim().toUpperCase();
		if (!all.includes(status) && !(await isThere(status))) {
			const group = groups.length === 0 ? "" : `, or a group: ${groups.join(", ")}`;
			throw new Error(
				`Team "${teamName}" has no ${what} with status ${JSON.stringify(text)}.${didYouMean(text, all)} ` +
					`A ${what}'s status is ${known.join(", ")}${group}. Another one is accepted if a ${what} has it.`,
			);
		}
		checked.push(status);
	}
	return checked;
}

/** The answer; or, if the service knows no pipeline of that name, a failure that says which ones there are. */
export async function orPipelines<T>(client: DataChainClient, name: string, asked: Promise<T>): Promise<T> {
	try {
		return await asked;
	} catch (error) {
		const reason = await pipelinesInstead(client, { team_name: client.teamName, name }, error);
		// The one that was meant may be none of the newest, which the reason names.
		const names = await client.pipelines.list({ limit: 1_000 }).then(
			(all) => all.flatMap((pipeline) => pipeline.name ?? []),
			(): string[] => [],
		);
		const meant = didYouMean(name, names);
		throw new Error(`${reason.charAt(0).toUpperCase()}${reason.slice(1)}${meant}`, { cause: error });
	}
}

/** The answer; or, if the service knows no job of that id, a failure that says where ids are found. */
export async function orJobs<T>(
	client: DataChainClient,
	id: string,
	asked: Promise<T | undefined>,
): Promise<T> {
	const found = await asked.catch((error: unknown) => {
		// A text that is no UUID may be refused as such.
		const isUnknown =
			error instanceof NotFoundError ? error.fromService : error instanceof InvalidRequestError;
		if (!isUnknown) throw error;
		return undefined;
	});
	if (found !== undefined) return found;
	// People give the name that they know.
	const named = (await client.jobs.list({ limit: 100 })).filter(({ name }) => name === id);
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
