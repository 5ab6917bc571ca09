import { createClient } from "../../../../src/api";
import { createContext } from "../../../../src/provider/context";
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

/** How the service is reached, and with how much patience. */
export interface At {
	readonly env: NodeJS.ProcessEnv;
	/** While the program is checked and compared; while something is created, updated or deleted. */
	readonly urls: { readonly checking: string; readonly writing: string };
	readonly attemptMillis: number;
	readonly patience: readonly number[];
	readonly random: () => number;
}

/** What is left after one try: the state, and the error where there was one. */
export interface Tried {
	readonly known: Known | undefined;
	readonly error?: unknown;
}

/**
 * One `pulumi up` of one schedule, as a deployment runs it: a new provider process each time, the engine's calls in
 * the engine's order.
 */
export async function up(at: At, known: Known | undefined, declared: Declared | undefined): Promise<Tried> {
	const { env, urls, patience } = at;
	const options = { attemptTimeoutMillis: at.attemptMillis, random: at.random };
	const checkingEnv = { ...env, DATACHAIN_STUDIO_URL: urls.checking };
	const context = createContext({ env: checkingEnv }, () => {}, { ...options, patience });
	// The same process, with a connection that breaks between the diff and the write.
	const { teamName } = context;
	const other = { baseUrl: urls.writing, token: String(env.DATACHAIN_STUDIO_TOKEN), teamName };
	const client = urls.writing === urls.checking ? context.client : createClient(other, options);
	const checking = processWith(context).serve("PipelineSchedule");
	const writing = processWith({ ...context, client }).serve("PipelineSchedule");
	try {
		return await deploy(checking, writing, known, declared);
	} finally {
		await Promise.all([context.client.close(), client.close()]);
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
			return await kept(inputs, known, async () => ({
				id: known.id,
				...(await writing.update(known.id, known.outs, inputs)),
			}));
		}
		// The old one goes first, as `diff` asks; what was deleted is out of the state even if the new one fails.
		if (known) await writing.delete(known.id, known.outs);
		left = undefined;
		return declared === undefined || inputs === undefined
			? { known: undefined }
			: await kept(inputs, undefined, async () =>
					writing.create(await checked(checking, {}, { ...declared })),
				);
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
