import { type ConnectionSettings, createClient, type DataChainClient } from "../../../../src/api";
import { createContext } from "../../../../src/provider/context";
import { type DynamicProvider, serveDynamically } from "../../../../src/provider/host/dynamic-host";
import { pipelineSchedule } from "../../../../src/provider/pipeline-schedule/handler";
import { TeamLists } from "../../../../src/provider/shared/team-lists";
import type { Connections, Contender, Known, Tried } from "./contender";
import type { Declared } from "./plan";

/** The provider as a deployment runs it: a new process each time, the engine's calls in the engine's order. */
export const ourProvider: Contender = {
	name: "this provider",
	async up(at, known, declared) {
		const clients: DataChainClient[] = [];
		const open = (connection: ConnectionSettings) => serve(connection, at, clients);
		const checking = open(at.checking);
		const writing = at.writing === at.checking ? checking : open(at.writing);
		try {
			return await deploy(checking, writing, known, declared);
		} finally {
			await Promise.all(clients.map((client) => client.close()));
		}
	},
};

function serve(
	connection: ConnectionSettings,
	{ attemptMillis, random }: Connections,
	clients: DataChainClient[],
): DynamicProvider {
	const client = createClient(connection, { attemptTimeoutMillis: attemptMillis, random });
	clients.push(client);
	// Everything as in a deployment, the patience after a lost reply included; only one attempt is given less time.
	const context = {
		...createContext({ explicit: connection, env: {} }, () => {}),
		client,
		lists: new TeamLists(client),
	};
	const provider = serveDynamically(pipelineSchedule, () => context);
	provider.configure({ config: { get: () => undefined } });
	return provider;
}

async function deploy(
	checking: DynamicProvider,
	writing: DynamicProvider,
	known: Known | undefined,
	declared: Declared | undefined,
): Promise<Tried> {
	try {
		if (declared === undefined) return { known: known && (await remove(writing, known)) };
		const { inputs, failures } = await checking.check(known?.inputs ?? {}, { ...declared });
		if (failures.length > 0) throw new Error(failures.map(({ reason }) => reason).join("; "));
		if (known === undefined) return await create(writing, inputs);
		const diff = await checking.diff(known.id, known.outs, inputs);
		// `diff` and `delete` share a process in a deployment; what the one remembers, the other must know.
		if (writing !== checking) await writing.diff(known.id, known.outs, inputs);
		if (diff.replaces.length > 0) return await replace(writing, known, inputs);
		if (!diff.changes && known.incomplete !== true) return { known };
		return await update(writing, known, inputs);
	} catch (error) {
		return { known, error };
	}
}

async function create(provider: DynamicProvider, inputs: Known["inputs"]): Promise<Tried> {
	try {
		const { id, outs } = await provider.create(inputs);
		return { known: { id, inputs, outs } };
	} catch (error) {
		return { known: keptBy(error, inputs), error };
	}
}

async function update(provider: DynamicProvider, known: Known, inputs: Known["inputs"]): Promise<Tried> {
	try {
		const { outs } = await provider.update(known.id, known.outs, inputs);
		return { known: { id: known.id, inputs, outs } };
	} catch (error) {
		return { known: keptBy(error, inputs) ?? known, error };
	}
}

/** The old one goes first, as `diff` asks; what was deleted is out of the state even if the new one fails. */
async function replace(provider: DynamicProvider, known: Known, inputs: Known["inputs"]): Promise<Tried> {
	await remove(provider, known);
	return create(provider, inputs);
}

async function remove(provider: DynamicProvider, known: Known): Promise<undefined> {
	await provider.delete(known.id, known.outs);
}

/** The engine keeps the id and the properties that such an error carries. */
function keptBy(error: unknown, inputs: Known["inputs"]): Known | undefined {
	if (!(error instanceof Error) || !("id" in error) || !("properties" in error)) return undefined;
	return { id: String(error.id), inputs, outs: error.properties as Known["outs"], incomplete: true };
}
