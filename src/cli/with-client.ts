import {
	type ConnectionSettings,
	createClient,
	type DataChainClient,
	leftOut,
	type UnreadableInfo,
} from "../api";
import { printable } from "./failure";
import { progress, say } from "./terminal";

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

/** Says once of an element of a list that it was left out: without a word, it would look as if the service had none. */
function tellUnreadable(info: UnreadableInfo): void {
	const text = `warning: ${leftOut(info)}`;
	if (said.has(text)) return;
	said.add(text);
	progress.clear();
	say(printable(text));
}
