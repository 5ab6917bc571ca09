import { type ContextOptions, createContext, type ProviderContext } from "../../src/provider/context";
import type { Props } from "../../src/provider/handler";
import { handlerOf } from "../../src/provider/handlers";
import { type DynamicProvider, serveDynamically } from "../../src/provider/host/dynamic-host";
import { dynamicType, type Kind } from "../../src/schemas/kinds";

export type { Props } from "../../src/provider/handler";

/** A provider process, for one operation of the engine: what it remembers ends with it. */
export interface Process {
	/** The provider as the engine calls it for one resource: each call says whose it is. */
	serve(kind: Kind, name?: string): DynamicProvider;
	close(): Promise<void>;
}

export interface ProcessOptions extends ContextOptions {
	/** Sees what the person at the terminal would. */
	readonly say?: (text: string) => void;
}

export const urnOf = (kind: Kind, name: string): string =>
	`urn:pulumi:dev::bench::${dynamicType(kind)}::${name}`;

export function startProcess(env: NodeJS.ProcessEnv, options: ProcessOptions = {}): Process {
	const { say = () => {}, ...rest } = options;
	return processWith(createContext({ env }, say, rest));
}

export const processWith = (context: ProviderContext): Process => ({
	serve(kind, name = "one") {
		const provider = serveDynamically(handlerOf(kind), () => context);
		provider.configure({ config: { get: () => undefined } });
		const named = (props: Props): Props => ({ ...props, __urn: urnOf(kind, name) });
		return {
			...provider,
			check: (olds, news) => provider.check(olds, named(news)),
			diff: (id, olds, news) => provider.diff(id, olds, named(news)),
			create: (inputs) => provider.create(named(inputs)),
			update: (id, olds, news) => provider.update(id, olds, named(news)),
		};
	},
	close: () => context.client.close(),
});

/** Work in a process of its own. */
export async function inProcess<T>(
	env: NodeJS.ProcessEnv,
	work: (process: Process) => Promise<T>,
	options: ProcessOptions = {},
): Promise<T> {
	const process = startProcess(env, options);
	try {
		return await work(process);
	} finally {
		await process.close();
	}
}

/** The inputs that the engine goes on with; fails where the check finds fault with them. */
export async function checked(provider: DynamicProvider, olds: Props, news: Props): Promise<Props> {
	const { inputs, failures } = await provider.check(olds, news);
	if (failures.length === 0) return inputs;
	throw new Error(`check: ${failures.map(({ reason }) => reason).join(" ")}`);
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
