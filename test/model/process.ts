import {
	type DynamicProvider,
	serveDynamically,
} from "../../src/provider/hosts/dynamic-host";
import { handlerOf } from "../../src/provider/hosts/hosting";
import type { Props } from "../../src/provider/model/props";
import {
	type ContextOptions,
	createContext,
	type ProviderContext,
} from "../../src/provider/run/context";
import { PartialFailureError } from "../../src/provider/run/handler";
import { dynamicType, type Kind, pluginType } from "../../src/schemas/kinds";
import { type PluginProvider, plain, pluginProvider } from "./plugin-provider";
import type { Entry, Host } from "./stack";

export const urnOf = (
	kind: Kind,
	name: string,
	stack = "dev",
	host: Host = "dynamic",
): string =>
	`urn:pulumi:${stack}::shop::${host === "plugin" ? pluginType(kind) : dynamicType(kind)}::${name}`;

export interface ProcessOptions extends ContextOptions {
	readonly env: NodeJS.ProcessEnv;
	/** The dynamic host unless given. */
	readonly host?: Host | undefined;
	readonly preview?: boolean | undefined;
	/** The stack's name; "dev" unless given. */
	readonly stack?: string | undefined;
	/** May put something else in place of a part of the context, such as a slower client. */
	readonly adjusted?: (context: ProviderContext) => ProviderContext;
}

/** What identifies a resource: its kind and its name in the program. */
export type Who = Pick<Entry, "kind" | "name">;

/** The SDK's own key, which stands for the provider's code. */
const PROVIDER_KEY = { __provider: "stub" };

/** A provider process, for one operation of the engine, which calls it: what it knows of the run ends with it. */
export class Process {
	readonly context: ProviderContext;
	/** Everything it told the person at the terminal. */
	readonly notices: string[] = [];
	private readonly host: Host;
	private readonly stack: string;
	private readonly preview: boolean;
	private readonly served = new Map<Kind, DynamicProvider>();

	constructor(options: ProcessOptions) {
		const {
			env,
			host = "dynamic",
			preview = false,
			stack = "dev",
			adjusted,
			...others
		} = options;
		const context = createContext({ env }, (line) => this.notices.push(line), others);
		this.context = adjusted?.(context) ?? context;
		this.host = host;
		this.preview = preview;
		this.stack = stack;
	}

	serve(kind: Kind): DynamicProvider {
		const known = this.served.get(kind);
		if (known) return known;
		const provider =
			this.host === "plugin"
				? pluginProvider(this.context, kind)
				: serveDynamically(handlerOf(kind), () => this.context, dynamicType(kind));
		provider.configure({ config: { get: () => undefined } });
		this.served.set(kind, provider);
		return provider;
	}

	/** A check that must pass; answers the inputs that the engine goes on with. */
	async check(who: Who, inputs: Props, old?: Entry): Promise<Props> {
		const found = await this.checked(who, inputs, old);
		if (found.refusals.length > 0) throw new Error(found.refusals.join("\n"));
		return { ...found.inputs, ...PROVIDER_KEY };
	}

	/** What a check refuses, as the user reads it. */
	async refusals(who: Who, inputs: Props, old?: Entry): Promise<string[]> {
		return (await this.checked(who, inputs, old)).refusals;
	}

	/** What the engine asks the plugin for in a preview, after the diff; the dynamic host is not asked. */
	async previewStep({ kind }: Who, inputs: Props, old?: Entry): Promise<void> {
		const provider = this.serve(kind);
		if ("previewStep" in provider)
			await (provider as PluginProvider).previewStep(inputs, old?.inputs);
	}

	/** Answers what the engine stores: also where the object was made and is not as declared. */
	async create({ kind, name }: Who, inputs: Props): Promise<Entry> {
		return {
			kind,
			name,
			inputs,
			...(await written(() => this.serve(kind).create(inputs))),
		};
	}

	async update(old: Entry, inputs: Props): Promise<Entry> {
		const { kind, id, outs } = old;
		const write = async () => ({
			id,
			...(await this.serve(kind).update(id, outs, inputs)),
		});
		return { ...old, inputs, ...(await written(write)) };
	}

	/** The entry after a refresh; undefined where the provider says that the object is gone. */
	async refresh(old: Entry): Promise<Entry | undefined> {
		const {
			id,
			props = {},
			inputs = {},
		} = await this.serve(old.kind).read(old.id, old.outs);
		if (id === undefined) return undefined;
		const kept = "__provider" in old.outs ? PROVIDER_KEY : {};
		const stored = (found: Props): Props => ({ ...plain(found), ...kept });
		return {
			...old,
			id,
			outs: stored(props),
			inputs: stored(inputs),
			problem: undefined,
		};
	}

	close(): Promise<void> {
		this.context.owners.close();
		return this.context.client.close();
	}

	/** The inputs as the program's classes send them. */
	private async checked({ kind, name }: Who, args: Props, old?: Entry) {
		const __urn = urnOf(kind, name, this.stack, this.host);
		const news = {
			...args,
			__urn,
			...(this.preview && { __preview: true }),
			...PROVIDER_KEY,
		};
		const { inputs, failures } = await this.serve(kind).check(old?.inputs ?? {}, news);
		return { inputs, refusals: failures.map(({ reason }) => reason) };
	}
}

/** An error that carries an id leaves the resource in the state; any other one is thrown. */
async function written(write: () => Promise<{ id: string; outs: Props }>) {
	try {
		return { ...(await write()), problem: undefined };
	} catch (error) {
		const kept =
			error instanceof PartialFailureError ? error.outs : Object(error).properties;
		if (!(error instanceof Error && "id" in error && kept)) throw error;
		return { id: String(error.id), outs: plain(kept), problem: error.message };
	}
}
