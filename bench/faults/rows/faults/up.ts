import { createClient } from "../../../../src/api";
import { type ContextOptions, createContext } from "../../../../src/provider/context";
import type { DynamicProvider } from "../../../../src/provider/host/dynamic-host";
import { checked, type Props, processWith } from "../../process";
import type { Declared } from "./plan";

/** What the state holds of one schedule. */
export interface Known {
	readonly id: string;
	readonly inputs: Props;
	readonly outs: Props;
	/** Made, but not everything came out as declared: the engine updates it next time, whatever the diff says. */
	readonly incomplete?: boolean;
}

/** What is left after one try: the state, and the error where there was one. */
export interface Tried {
	readonly known: Known | undefined;
	readonly error?: unknown;
}

/**
 * One `pulumi up` of one schedule, as a deployment runs it: a new provider process each time, the engine's calls in
 * the engine's order. `writingUrl` is where the service is when something is written.
 */
export async function up(
	env: NodeJS.ProcessEnv,
	writingUrl: string,
	options: ContextOptions,
	known: Known | undefined,
	declared: Declared | undefined,
): Promise<Tried> {
	const context = createContext({ env }, () => {}, options);
	const { teamName } = context;
	const writer = createClient(
		{ baseUrl: writingUrl, token: String(env.DATACHAIN_STUDIO_TOKEN), teamName },
		options,
	);
	const client = writingUrl === env.DATACHAIN_STUDIO_URL ? context.client : writer;
	const checking = processWith(context).serve("PipelineSchedule");
	const writing = processWith({ ...context, client }).serve("PipelineSchedule");
	try {
		return await deploy(checking, writing, known, declared);
	} finally {
		await Promise.all([context.client.close(), writer.close()]);
	}
}

async function deploy(
	checking: DynamicProvider,
	writing: DynamicProvider,
	known: Known | undefined,
	declared: Declared | undefined,
): Promise<Tried> {
	let left = known;
	try {
		const inputs = declared && (await checked(checking, known?.inputs ?? {}, { ...declared }));
		const diff = known && inputs && (await checking.diff(known.id, known.outs, inputs));
		if (known && inputs && diff?.replaces.length === 0) {
			if (!diff.changes && known.incomplete !== true) return { known };
			const { id } = known;
			return await kept(inputs, known, async () => ({
				id,
				...(await writing.update(id, known.outs, inputs)),
			}));
		}
		// The old one goes first, as `diff` asks; what was deleted is out of the state even if the new one fails.
		if (known) await writing.delete(known.id, known.outs);
		left = undefined;
		if (declared === undefined) return { known: undefined };
		const anew = await checked(checking, {}, { ...declared });
		return await kept(anew, undefined, () => writing.create(anew));
	} catch (error) {
		return { known: left, error };
	}
}

/** The engine keeps the id and the properties that an error of a half-done write carries. */
async function kept(
	inputs: Props,
	before: Known | undefined,
	write: () => Promise<{ id: string; outs: Props }>,
): Promise<Tried> {
	try {
		return { known: { ...(await write()), inputs } };
	} catch (error) {
		if (!(error instanceof Error) || !("id" in error) || !("properties" in error))
			return { known: before, error };
		const outs = error.properties as Props;
		return { known: { id: String(error.id), inputs, outs, incomplete: true }, error };
	}
}
