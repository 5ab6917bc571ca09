import { type ContextOptions, createContext, type ProviderContext } from "../../src/provider/context";
import { type DynamicProvider, serveDynamically } from "../../src/provider/dynamic-host";
import type { Props } from "../../src/provider/handler";
import { handlerOf } from "../../src/provider/hosting";
import { dynamicType, type Kind, pluginType } from "../../src/schemas/kinds";

export const urnOf = (kind: Kind, name: string, stack = "dev", inPlugin = false): string =>
	`urn:pulumi:${stack}::model::${inPlugin ? pluginType(kind) : dynamicType(kind)}::${name}`;

/** The providers of one process, as the engine calls them; what they remember ends with it. */
export type Providers = (kind: Kind) => DynamicProvider;

export function providersOf(context: ProviderContext): Providers {
	return (kind) => {
		const provider = serveDynamically(handlerOf(kind), () => context, dynamicType(kind));
		provider.configure({ config: { get: () => undefined } });
		return provider;
	};
}

/** Work in a process of its own. */
export async function inProcess<T>(
	env: NodeJS.ProcessEnv,
	work: (providers: Providers) => Promise<T>,
	options: ContextOptions = {},
	say: (line: string) => void = () => {},
): Promise<T> {
	const context = createContext({ env }, say, options);
	try {
		return await work(providersOf(context));
	} finally {
		await context.client.close();
	}
}

/** The inputs that the engine goes on with; fails where the check finds fault with them. */
export async function checked(provider: DynamicProvider, olds: Props, news: Props): Promise<Props> {
	const { inputs, failures } = await provider.check(olds, news);
	if (failures.length > 0) throw new Error(failures.map(({ reason }) => reason).join(" "));
	return inputs;
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
