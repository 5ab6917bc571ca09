import { reveal } from "../../src/plugin/values";
import { type ContextOptions, createContext, type ProviderContext } from "../../src/provider/context";
import { type DynamicProvider, serveDynamically } from "../../src/provider/dynamic-host";
import type { Props } from "../../src/provider/handler";
import { handlerOf } from "../../src/provider/hosting";
import { dynamicType, type Kind, pluginType } from "../../src/schemas/kinds";
import { pluginProvider } from "./plugin-provider";

/** Who serves the handlers to the engine. */
export type Host = "dynamic" | "plugin";

export const urnOf = (kind: Kind, name: string, stack = "dev", host: Host = "dynamic"): string =>
	`urn:pulumi:${stack}::shop::${host === "plugin" ? pluginType(kind) : dynamicType(kind)}::${name}`;

/** A provider process, for one operation of the engine: what it knows of the run ends with it. */
export interface Process {
	readonly context: ProviderContext;
	/** Everything it told the person at the terminal. */
	readonly notices: readonly string[];
	readonly host: Host;
	serve(kind: Kind): DynamicProvider;
	close(): Promise<void>;
}

/** Starts one; `adjusted` may put something else in place of a part of its context, such as a slower client. */
export function startProcess(
	env: NodeJS.ProcessEnv,
	options: ContextOptions = {},
	host: Host = "dynamic",
	adjusted = (context: ProviderContext) => context,
): Process {
	const notices: string[] = [];
	const context = adjusted(createContext({ env }, (line) => notices.push(line), options));
	const served = new Map<Kind, DynamicProvider>();
	const serve = (kind: Kind): DynamicProvider => {
		if (host === "plugin") return pluginProvider(context, kind);
		const provider = serveDynamically(handlerOf(kind), () => context, dynamicType(kind));
		provider.configure({ config: { get: () => undefined } });
		return provider;
	};
	return {
		context,
		notices,
		host,
		serve: (kind) => {
			const provider = served.get(kind) ?? serve(kind);
			served.set(kind, provider);
			return provider;
		},
		close: () => {
			context.claims.close();
			return context.client.close();
		},
	};
}

/** The SDK's own key, which stands for the provider's code. */
const PROVIDER_KEY = { __provider: "stub" };

/** The inputs as the program's classes send them. */
export const sent = (urn: string, args: Props, preview: boolean): Props => ({
	...args,
	__urn: urn,
	...(preview && { __preview: true }),
	...PROVIDER_KEY,
});

/** The inputs that the engine goes on with; fails where the check finds fault with them. */
export async function checked(provider: DynamicProvider, olds: Props, news: Props): Promise<Props> {
	const { inputs, failures } = await provider.check(olds, news);
	if (failures.length > 0) throw new Error(failures.map(({ reason }) => reason).join("\n"));
	return { ...inputs, ...PROVIDER_KEY };
}

/** The dynamic host gets what the engine stores without the tags of secrets. */
const plain = (props: Props): Props => reveal(props).props;

/** What the engine stores of a create or an update. */
export interface Written {
	readonly id: string;
	readonly outs: Props;
	/** Set where it was only partly done. */
	readonly problem?: string | undefined;
}

/** An error that carries an id leaves the resource in the state; any other one is thrown. */
export async function written(write: () => Promise<{ id: string; outs: Props }>): Promise<Written> {
	try {
		return { ...(await write()), problem: undefined };
	} catch (error) {
		if (!(error instanceof Error && "id" in error && "properties" in error)) throw error;
		return { id: String(error.id), outs: plain(error.properties as Props), problem: error.message };
	}
}

/** What a refresh stores; undefined where the provider says that the object is gone. */
export async function readBack(
	provider: DynamicProvider,
	old: { readonly id: string; readonly outs: Props },
): Promise<{ id: string; outs: Props; inputs: Props; problem: undefined } | undefined> {
	const { id, props = {}, inputs = {} } = await provider.read(old.id, old.outs);
	if (id === undefined) return undefined;
	const kept = "__provider" in old.outs ? PROVIDER_KEY : {};
	return {
		id,
		outs: { ...plain(props), ...kept },
		inputs: { ...plain(inputs), ...kept },
		problem: undefined,
	};
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
