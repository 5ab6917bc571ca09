import {
	type CallScope,
	type ClientOptions,
	ConnectionError,
	type ConnectionSources,
	createClient,
	type DataChainClient,
	leftOut,
	resolveConnection,
	type UnreadableInfo,
} from "../../client";
import { withoutRequest } from "../../client/errors";
import {
	READ_BACK_DELAYS,
	ReadBackLags,
	realTime,
	type Time,
} from "../../client/read-back";
import { printable } from "../../client/redaction";
import { noticeLongWaits } from "../../operations/rate-limit";
import { ADOPT_EQUAL, type Program } from "../model/messages";
import { SecretNames, type SecretPaths } from "../model/secrets";
import { DeclaredResources, DeployedResources } from "./deployed";
import { type Caller, Owners } from "./owners";
import { SharedOwners } from "./shared-owners";
import { type TeamLists, teamLists } from "./team-lists";

/** Created once per provider process and shared by all kinds. */
export interface ProviderContext {
	readonly client: DataChainClient;
	/** The team of resources that name none. */
	readonly teamName: string;
	/** The state keeps it: "not found" is not believed if the connection points to another service. */
	readonly serviceUrl: string;
	readonly lists: TeamLists;
	readonly owners: Owners;
	readonly deployed: DeployedResources;
	readonly declared: DeclaredResources;
	readonly locks: KeyedLock;
	/** No message may repeat them, whichever resource it is about. */
	readonly secretNames: SecretNames;
	/** Shows a message to the user, once per text and deployment; a host may show it with a resource. */
	notice(text: string, urn?: string): void;
	/** Shows a line of progress, such as a job's log, each time. */
	line(text: string, urn?: string): void;
	/** Fires when the user cancels the deployment, which ends every wait. */
	readonly interrupt: AbortSignal;
	readonly time: Time;
	/** What the service's clock shows, by which ages of its objects are judged. */
	readonly serviceNow: () => number;
	/** The delays between reads until the service shows what was written. */
	readonly readBackDelays: readonly number[];
	readonly lags: ReadBackLags;
	/** The user's consent, for this run, to adopt objects that equal the declaration in every declared field. */
	readonly adoptEqual: boolean;
}

/** One operation of one resource. The URN is that of the dynamic host: without stack and project. */
export interface Call extends ProviderContext, SecretPaths, Caller {
	/** Undefined in a refresh or a destroy without the program. */
	readonly program?: Program | undefined;
	/** True in a preview, if the host can tell. */
	readonly preview: boolean;
	/** True in the preview of a step, which only the plugin is asked for: other resources have their turn meanwhile. */
	readonly previewsStep?: boolean;
	/** How long the program lets the operation take, if the host can tell. */
	readonly limitMillis?: number | undefined;
	/** Other inputs are secrets than the state knows: a reason to update, even if no value differs. */
	readonly secretsMoved: boolean;
}

export interface ContextOptions extends ClientOptions {
	readonly time?: Time | undefined;
	readonly readBackDelays?: readonly number[] | undefined;
	readonly interrupt?: AbortSignal | undefined;
	/** The engine's address, by which the provider processes of one run find each other; none without an engine. */
	readonly engine?: string | undefined;
	readonly tempFolder?: string | undefined;
	/** Told of every request that is sent. */
	readonly onAttempt?: CallScope["onAttempt"];
	/** The consent of a deployment, which `adoptsEqual` reads. False unless given: a command has no state to adopt into. */
	readonly adoptEqual?: boolean | undefined;
}

export function createContext(
	sources: ConnectionSources,
	write: (line: string, urn?: string) => void,
	options: ContextOptions = {},
): ProviderContext {
	const connection = resolveConnection(sources);
	const {
		time = realTime,
		readBackDelays = READ_BACK_DELAYS,
		onAttempt,
		interrupt,
		engine,
		tempFolder,
		adoptEqual = false,
		...clientOptions
	} = options;
	const said = new Set<string>();
	const notice = (text: string, urn?: string) => {
		const withoutId = withoutRequest(text);
		if (said.has(withoutId)) return;
		said.add(withoutId);
		write(text, urn);
	};
	const secretNames = new SecretNames();
	let aheadMillis = 0;
	const client = createClient(connection, {
		onUnreadable: (info) => notice(secretNames.redact(leftOut(byItsId(info)))),
		onRetry: noticeLongWaits(notice),
		...clientOptions,
	}).scoped({
		onAttempt(info) {
			// However it ended: the service may have done it.
			if (info.method === "POST") lists.drop(info.teamName);
			if (info.serviceTime !== undefined) aheadMillis = info.serviceTime - time.now();
			onAttempt?.(info);
		},
	});
	const owners = new Owners(
		SharedOwners.open(engine, connection.baseUrl, notice, tempFolder),
	);
	const lists = teamLists(client, time);
	return {
		client,
		teamName: connection.teamName,
		serviceUrl: connection.baseUrl,
		lists,
		owners,
		deployed: new DeployedResources(),
		declared: new DeclaredResources(),
		locks: new KeyedLock(),
		secretNames,
		notice,
		line: write,
		interrupt: interrupt ?? new AbortController().signal,
		time,
		serviceNow: () => time.now() + aheadMillis,
		readBackDelays,
		lags: new ReadBackLags(options.random),
		adoptEqual,
	};
}

/**
 * Its name may be a secret of a resource whose turn comes later in the run, so that nobody can redact it yet; an id is
 * as good to find it.
 */
const byItsId = (info: UnreadableInfo): UnreadableInfo =>
	info.id === undefined
		? info
		: { ...info, which: `id ${printable(String(info.id), 100)}` };

/** Whether the user consents, for this deployment, to adopt what equals the declaration. */
export function adoptsEqual({
	env = process.env,
}: Pick<ConnectionSources, "env">): boolean {
	const text = (env[ADOPT_EQUAL] ?? "").trim().toLowerCase();
	if (text === "" || text === "false" || text === "0") return false;
	if (text === "true" || text === "1") return true;
	throw new ConnectionError(
		`${ADOPT_EQUAL} cannot be ${JSON.stringify(text)}: set it to true for one deployment that adopts objects equal to the declaration, or unset it.`,
		[],
	);
}

/** Runs one work at a time per key. */
export class KeyedLock {
	private readonly tails = new Map<string, Promise<unknown>>();

	run<T>(key: string, work: () => Promise<T>): Promise<T> {
		const before = this.tails.get(key) ?? Promise.resolve();
		const mine = before.then(work, work);
		this.tails.set(key, mine);
		return mine;
	}
}
