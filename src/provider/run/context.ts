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
} from "../api";
import { withoutRequest } from "../api/errors";
import { READ_BACK_DELAYS, realTime, type Time } from "../api/read-back";
import { printable } from "../api/redaction";
import { Claims } from "./claims";
import type { Props } from "./handler";
import { ADOPT_EQUAL, type Program } from "./messages";
import { RunClaims } from "./run-claims";
import { SecretNames } from "./secrets";
import type { SettingsState } from "./settings-previous";
import { DuplicateWatch, type TeamLists, teamLists } from "./team-lists";

/** Created once per provider process and shared by all kinds. */
export interface ProviderContext {
	readonly client: DataChainClient;
	/** The team of resources that name none. */
	readonly teamName: string;
	/** The state keeps it: "not found" is not believed if the connection points to another service. */
	readonly serviceUrl: string;
	readonly lists: TeamLists;
	readonly claims: Claims;
	readonly duplicates: DuplicateWatch;
	/** The last state of each pipeline's settings in this run, by team and pipeline. */
	readonly settingsStates: Map<string, SettingsState>;
	/** The checked inputs of each resource of the program, by URN. A delete is not told them by the engine. */
	readonly declared: Map<string, Props>;
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
	/** The delays between reads until the service shows what was written. */
	readonly readBackDelays: readonly number[];
	/** The user's consent, for this run, to adopt objects that equal the declaration in every declared field. */
	readonly adoptEqual: boolean;
}

/** One operation of one resource. */
export interface Call extends ProviderContext {
	/** The resource that is calling: its URN, in the dynamic host without stack and project. */
	readonly urn: string;
	/** Undefined in a refresh or a destroy without the program. */
	readonly program?: Program | undefined;
	/** The URN under which the state has it; undefined for states of version 0.1.0. */
	readonly stateUrn: string | undefined;
	/** When this resource was created, by our own clock; undefined if the state does not say. */
	readonly madeAt?: number | undefined;
	/** True in a preview, if the host can tell. */
	readonly preview: boolean;
	/** How long the program lets the operation take, if the host can tell. */
	readonly limitMillis?: number | undefined;
	/** Dotted paths of the inputs that are secrets in the program. */
	readonly secrets: readonly string[];
	/** Paths of those that were secrets when they were last deployed: the service may still have their values. */
	readonly secretsBefore: readonly string[];
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

/** Whoever watches a deployment should know by then why nothing happens. */
const LONG_WAIT_MILLIS = 5_000;
const RATE_LIMITED =
	"The service limits the rate of requests (HTTP 429). The provider waits as long as the service asks for, ten minutes at most, " +
	"and then continues. Nothing has to be done.";

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
		const known = withoutRequest(text);
		if (said.has(known)) return;
		said.add(known);
		write(text, urn);
	};
	const secretNames = new SecretNames();
	const client = createClient(connection, {
		onUnreadable: (info) => notice(secretNames.redact(leftOut(byItsId(info)))),
		onRetry: ({ because, delayMillis }) => {
			if (because === "RateLimitedError" && delayMillis >= LONG_WAIT_MILLIS) notice(RATE_LIMITED);
		},
		...clientOptions,
	}).scoped({
		onAttempt(info) {
			// However it ended: the service may have done it.
			if (info.method === "POST") lists.drop(info.teamName);
			onAttempt?.(info);
		},
	});
	const claims = new Claims(RunClaims.open(engine, connection.baseUrl, notice, tempFolder));
	const duplicates = new DuplicateWatch(claims);
	const lists = teamLists(client, time, (list) => duplicates.look(list));
	return {
		client,
		teamName: connection.teamName,
		serviceUrl: connection.baseUrl,
		lists,
		claims,
		duplicates,
		settingsStates: new Map(),
		declared: new Map(),
		locks: new KeyedLock(),
		secretNames,
		notice,
		line: write,
		interrupt: interrupt ?? new AbortController().signal,
		time,
		readBackDelays,
		adoptEqual,
	};
}

/**
 * Its name may be a secret of a resource whose turn comes later in the run, so that nobody can redact it yet; an id is
 * as good to find it.
 */
const byItsId = (info: UnreadableInfo): UnreadableInfo =>
	info.id === undefined ? info : { ...info, which: `id ${printable(String(info.id), 100)}` };

/** Whether the user consents, for this deployment, to adopt what equals the declaration. */
export function adoptsEqual({ env = process.env }: Pick<ConnectionSources, "env">): boolean {
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
