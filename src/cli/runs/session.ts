import { createClient, type DataChainClient, resolveConnection } from "../../api";
import { type Call, createContext } from "../../provider/context";
import { printable } from "../failure";
import { connectionSources } from "../pulumi-cli";
import { tellUnreadable } from "../tell-unreadable";
import { makeProgress, type Progress, tolerateClosedOutput } from "../terminal";

/** Options that every command about runs has. */
export interface RunsOptions {
	json?: boolean;
	team?: string;
}

/** A connection to the team, and where the command's output goes. */
export interface Session {
	readonly client: DataChainClient;
	readonly team: string;
	readonly progress: Progress;
	/** Fires on Ctrl-C and SIGTERM. */
	readonly interrupt: AbortSignal;
	/** A result: as JSON where that was asked for, as text otherwise. */
	print(result: unknown, text: string): void;
	/** As the provider's handlers are called; each call is a resource of its own. */
	call(): Call;
}

export async function withSession<T>(
	options: RunsOptions,
	work: (session: Session) => Promise<T>,
): Promise<T> {
	tolerateClosedOutput();
	const stopping = new AbortController();
	const stop = () => stopping.abort();
	process.once("SIGINT", stop).once("SIGTERM", stop);
	const progress = makeProgress();
	const connection = resolveConnection(
		await connectionSources({ explicit: { teamName: options.team }, signal: stopping.signal }),
	);
	const client = createClient(connection, { onUnreadable: tellUnreadable });
	const contexts: { client: DataChainClient }[] = [];
	const call = (): Call => {
		const context = createContext(
			{ explicit: connection },
			(line) => {
				progress.clear();
				if (process.stderr.isTTY) process.stderr.write(`${printable(line)}\n`);
			},
			{ interrupt: stopping.signal },
		);
		contexts.push(context);
		const urn = `command ${process.pid} ${contexts.length} ${Date.now()}`;
		return { ...context, urn, stateUrn: undefined, preview: false, secrets: [], secretsMoved: false };
	};
	try {
		return await work({
			client,
			team: connection.teamName,
			progress,
			interrupt: stopping.signal,
			print: (result, text) =>
				void process.stdout.write(options.json ? `${JSON.stringify(result, undefined, 2)}\n` : text),
			call,
		});
	} finally {
		process.off("SIGINT", stop).off("SIGTERM", stop);
		progress.clear();
		await Promise.all([client, ...contexts.map((context) => context.client)].map((each) => each.close()));
	}
}
