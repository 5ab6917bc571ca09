import {
	type CallScope,
	type ClientOptions,
	ConnectionError,
	type ConnectionSources,
	createClient,
	type DataChainClient,
	leftOut,
	resolveConnection,
} from "../api";
import type { Props } from "./handler";
import { Ownership } from "./ownership";
import { Handover } from "./shared/handover";
import { KeyedLock } from "./shared/keyed-lock";
import { DeclaredPauses } from "./shared/pauses";
import { type TeamLists, teamLists } from "./shared/team-lists";
import { TwinWatch } from "./shared/twins";
import { PATIENCE, realTime, type Time } from "./time";
import type { Program } from "./urn";

/** What the handlers work with: made once per provider process and shared by all resource kinds. */
export interface ProviderContext {
	readonly client: DataChainClient;
	/** The team of resources that name none. */
	readonly teamName: string;
	/** Remembered in the state, so that "missing" is not believed when the connection has moved elsewhere. */
	readonly serviceUrl: string;
	readonly lists: TeamLists;
	readonly ownership: Ownership;
	readonly twins: TwinWatch;
	readonly pauses: DeclaredPauses;
	readonly handover: Handover;
	/** The checked inputs of each resource of the program, by URN: a delete is told nothing of what comes after it. */
	readonly declared: Map<string, Props>;
	readonly locks: KeyedLock;
	/** Tells the person at the terminal something, once per text and deployment. */
	notice(text: string): void;
	/** Shows a line of something that is under way, such as a job's log, as often as it comes. */
	line(text: string): void;
	/** Fires when the user wants the deployment to end: what only waits ends then. */
	readonly interrupt: AbortSignal;
	readonly time: Time;
	/** Pauses between looks at the service until it shows what was written. */
	readonly patience: readonly number[];
	/** The user's consent, for this run, to take over what equals the declaration in every declared field. */
	readonly adoptEqual: boolean;
}

/** One operation of one resource. */
export interface Call extends ProviderContext {
	/** Which resource is calling: its URN, in the dynamic host without stack and project. */
	readonly urn: string;
	/** Whose stack is deployed; a refresh or a destroy without the program is not told. */
	readonly program?: Program | undefined;
	/** The URN under which the state has it; undefined for states of version 0.1.0. */
	readonly stateUrn: string | undefined;
	/** When this resource was made, by our own clock; undefined where the state does not say. */
	readonly madeAt?: number | undefined;
	/** True in a preview, where the host can tell. */
	readonly preview: boolean;
	/** Dotted paths of the inputs that are secrets in the program. */
	readonly secrets: readonly string[];
	/** Other inputs are secrets than the state knows: a reason to update, even where no value differs. */
	readonly secretsMoved: boolean;
}

export interface ContextOptions extends ClientOptions {
	readonly time?: Time | undefined;
	readonly patience?: readonly number[] | undefined;
	readonly interrupt?: AbortSignal | undefined;
	/** Told of every request that is sent. */
	readonly onAttempt?: CallScope["onAttempt"];
}

export function createContext(
	sources: ConnectionSources,
	write: (line: string) => void,
	options: ContextOptions = {},
): ProviderContext {
	const connection = resolveConnection(sources);
	const { time = realTime, patience = PATIENCE, onAttempt, interrupt, ...clientOptions } = options;
	const said = new Set<string>();
	const notice = (text: string) => {
		if (said.has(text)) return;
		said.add(text);
		write(text);
	};
	const client = createClient(connection, {
		onUnreadable: (info) => notice(leftOut(info)),
		...clientOptions,
	}).scoped({ onAttempt });
	const ownership = new Ownership();
	const twins = new TwinWatch(ownership);
	return {
		client,
		teamName: connection.teamName,
		serviceUrl: connection.baseUrl,
		lists: teamLists(client, time, (list) => twins.look(list)),
		ownership,
		twins,
		pauses: new DeclaredPauses(),
		handover: new Handover(),
		declared: new Map(),
		locks: new KeyedLock(),
		notice,
		line: write,
		interrupt: interrupt ?? new AbortController().signal,
		time,
		patience,
		adoptEqual: adoptsEqual(sources.env ?? process.env),
	};
}

export const ADOPT_EQUAL = "DATACHAIN_ADOPT_EQUAL";

function adoptsEqual(env: NodeJS.ProcessEnv): boolean {
	const text = (env[ADOPT_EQUAL] ?? "").trim().toLowerCase();
	if (text === "" || text === "false" || text === "0") return false;
	if (text === "true" || text === "1") return true;
	throw new ConnectionError(
		`${ADOPT_EQUAL} cannot be ${JSON.stringify(text)}: set it to true for one run that takes over what equals the declaration, or leave it out.`,
		[],
	);
}
