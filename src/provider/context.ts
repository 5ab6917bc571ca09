import {
	type ClientOptions,
	type ConnectionSources,
	createClient,
	type DataChainClient,
	resolveConnection,
} from "../api";
import { KeyedLock } from "./shared/keyed-lock";
import { Ownership } from "./shared/ownership";
import { TeamLists } from "./shared/team-lists";

/** What the handlers work with: made once per provider process and shared by all resource kinds. */
export interface ProviderContext {
	readonly client: DataChainClient;
	/** The team of resources that name none. */
	readonly teamName: string;
	/** Remembered in the state, so that "missing" is not believed when the connection has moved elsewhere. */
	readonly serviceUrl: string;
	readonly lists: TeamLists;
	readonly ownership: Ownership;
	readonly locks: KeyedLock;
	/** Tells the person at the terminal something, once per text and deployment. */
	notice(text: string): void;
	/** Pauses between looks at the list after a lost reply, before deciding that nothing was made. */
	readonly graceMillis: readonly number[];
}

export function createContext(
	sources: ConnectionSources,
	write: (line: string) => void,
	options: ClientOptions = {},
): ProviderContext {
	const connection = resolveConnection(sources);
	const client = createClient(connection, options);
	const said = new Set<string>();
	return {
		client,
		teamName: connection.teamName,
		serviceUrl: connection.baseUrl,
		lists: new TeamLists(client),
		ownership: new Ownership(),
		locks: new KeyedLock(),
		notice(text) {
			if (said.has(text)) return;
			said.add(text);
			write(text);
		},
		graceMillis: [250, 500, 1000, 1500, 2000, 3000],
	};
}
