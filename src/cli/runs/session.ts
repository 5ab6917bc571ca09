import { type DataChainClient, resolveConnection } from "../../api";
import { pipelinesInstead } from "../../api/pipelines-instead";
import { type Call, createContext } from "../../provider/context";
import { printable } from "../failure";
import { connectionSources } from "../pulumi-cli";
import { progress, say, tolerateClosedOutput } from "../terminal";
import { withClient } from "../with-client";

/** Options that every command about runs has. */
export interface RunsOptions {
	json?: boolean;
	team?: string;
}

/** A connection to the team, and where the command's output goes. */
export interface Session {
	/** Its calls end with `interrupt`. */
	readonly client: DataChainClient;
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
	const { signal: interrupt } = stopping;
	const stop = () => stopping.abort();
	process.once("SIGINT", stop).once("SIGTERM", stop);
	const explicit = { teamName: options.team };
	const connection = resolveConnection(await connectionSources({ explicit, signal: interrupt }));
	const contexts: { client: DataChainClient }[] = [];
	const tell = (line: string) => {
		progress.clear();
		if (process.stderr.isTTY) say(printable(line));
	};
	const call = (): Call => {
		const context = createContext({ explicit: connection }, tell, { interrupt });
		contexts.push(context);
		const urn = `command ${process.pid} ${contexts.length} ${Date.now()}`;
		return { ...context, urn, stateUrn: undefined, preview: false, secrets: [], secretsMoved: false };
	};
	const print = (result: unknown, text: string) =>
		void process.stdout.write(options.json ? `${JSON.stringify(result, undefined, 2)}\n` : text);
	try {
		return await withClient(connection, interrupt, (client) => work({ client, interrupt, print, call }));
	} finally {
		process.off("SIGINT", stop).off("SIGTERM", stop);
		progress.clear();
		await Promise.all(contexts.map(({ client }) => client.close()));
	}
}

/** The answer; or, where the service knows no pipeline of that name, a failure that says which ones there are. */
export async function orPipelines<T>(client: DataChainClient, name: string, asked: Promise<T>): Promise<T> {
	try {
		return await asked;
	} catch (error) {
		const reason = await pipelinesInstead(client, { team_name: client.teamName, name }, error);
		throw new Error(reason.charAt(0).toUpperCase() + reason.slice(1), { cause: error });
	}
}
