import "../provider/short-lived-process";
import { resolveConnection, resolveRequestLog, wantsTraces } from "../api";
import { lookUpFrom } from "../functions/place";
import { isLookup, LOOKUPS, listKey, textIds } from "../functions/table";
import { createContext, type ProviderContext } from "../provider/context";
import type { Props } from "../provider/handler";
import { compact } from "../provider/shared/json";
import { connectionSources, logSources, writeLimit } from "./provider-config";
import { ResourceHost } from "./resource-host";
import { reveal, secretValue } from "./values";

export { checkProviderArgs, differsInArgs, isDefaultProvider } from "./provider-config";
export { PartlyDone, type ResourceDiff, type Which } from "./resource-host";
export { conceal, reveal } from "./values";

/** One configured provider: a process of its own serves it. The connection is resolved when a call first needs it. */
export class ConfiguredProvider {
	private context: ProviderContext | undefined;

	constructor(
		private readonly args: Props,
		private readonly isDefault: boolean,
		private readonly tell: (line: string) => void,
		/** Fires when the deployment shall end: a wait for a job or a pipeline ends then, and what it waits for runs on. */
		private readonly interrupt: AbortSignal,
	) {
		lookUpFrom({ config: () => undefined, secret: asSecret, log: () => this.log, warn: tell });
	}

	get resources(): ResourceHost {
		this.context ??= createContext(this.sources, this.tell, {
			maxConcurrentWrites: writeLimit(this.args, this.isDefault),
			log: this.log,
			interrupt: this.interrupt,
		});
		return new ResourceHost(this.context);
	}

	get wantsTraces(): boolean {
		return wantsTraces(logSources(this.args, this.isDefault));
	}

	/** A lookup by its public name. Lists stand in an object, because a function of a plugin answers one. */
	async look(name: string, marked: Props): Promise<Props> {
		if (!isLookup(name)) throw new Error(`The datachain provider has no function "${name}".`);
		const connection = resolveConnection(this.sources);
		const args = reveal(marked).props;
		const lookup: (args: never, options: object) => Promise<object> = LOOKUPS[name];
		const found = await lookup(args as never, { connection });
		if (!Array.isArray(found)) return compact({ ...textIds(name, found) });
		return compact({ [listKey(name)]: found.map((item) => textIds(name, item)) });
	}

	/** The engine shows nothing of what a plugin prints, so that lines without a file go the way of notices. */
	private get log() {
		const write = (line: string) => this.tell(line.trimEnd());
		return resolveRequestLog({ ...logSources(this.args, this.isDefault), write });
	}

	private get sources() {
		return connectionSources(this.args, this.isDefault);
	}
}

/** What a lookup marks as secret travels with Pulumi's own mark; the SDK's Outputs do not exist here. */
const asSecret = <T>(value: T) => secretValue(value) as never;
