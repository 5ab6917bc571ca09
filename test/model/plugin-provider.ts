import type { DynamicProvider } from "../../src/provider/hosts/dynamic-host";
import { ownProperties } from "../../src/provider/hosts/hosting";
import {
	ResourceHost,
	type Which,
} from "../../src/provider/hosts/plugin/resource-host";
import { conceal, reveal } from "../../src/provider/hosts/plugin/values";
import type { Props } from "../../src/provider/model/props";
import type { ProviderContext } from "../../src/provider/run/context";
import type { Kind } from "../../src/schemas/kinds";

/** The dynamic host gets what the engine stores without the tags of secrets. */
export const plain = (props: Props): Props => reveal(props).props;

/** Our classes name the paths of secrets; the engine marks the values themselves. */
const marked = (props: Props, own: Props = ownProperties(props)): Props => {
	const secrets = Array.isArray(props.__secret)
		? props.__secret.map((path) => String(path).split("."))
		: [];
	return conceal(own, secrets);
};

/** What only the plugin is asked for. */
export interface PluginProvider extends DynamicProvider {
	/** In a preview the engine goes on to create or update, which says what only a preview may say; old inputs of an update. */
	previewStep(inputs: Props, oldInputs?: Props): Promise<void>;
}

/** The plugin's host in the words of the model, which plays the dynamic host's engine. */
export function pluginProvider(context: ProviderContext, kind: Kind): PluginProvider {
	const host = new ResourceHost(context);
	const which = (...props: readonly Props[]): Which => ({
		kind,
		urn: String(props.find(({ __urn }) => __urn !== undefined)?.__urn),
	});
	return {
		configure: () => undefined,
		async check(olds, news) {
			const who = which(news);
			const { inputs, failures } = await host.check(who, marked(olds), marked(news));
			return {
				inputs: {
					...plain(inputs),
					__urn: who.urn,
					...(news.__secret !== undefined && { __secret: news.__secret }),
				},
				failures: failures.map((reason) => ({ property: "", reason })),
			};
		},
		async previewStep(inputs, olds) {
			const who = which(inputs);
			if (olds === undefined) await host.create(who, marked(inputs), true);
			else
				await host.update(
					who,
					"",
					{ olds, oldInputs: marked(olds) },
					marked(inputs),
					true,
				);
		},
		async diff(id, olds, news) {
			const { changes, replaces, deleteBeforeReplace, detailed } = await host.diff(
				which(news, olds),
				id,
				{ olds, oldInputs: marked(olds) },
				marked(news),
			);
			const changedKeys = Object.keys(detailed);
			return {
				changes,
				replaces: [...replaces],
				deleteBeforeReplace,
				...{ changedKeys },
			};
		},
		async create(inputs) {
			const { id, properties } = await host.create(
				which(inputs),
				marked(inputs),
				false,
			);
			return { id, outs: plain(properties) };
		},
		async read(id, props) {
			const found = await host.read(which(props), id, marked(props, props), {});
			if (found === undefined) return {};
			const { __urn } = props;
			return {
				id: found.id,
				props: plain(found.properties),
				inputs: { ...plain(found.inputs), __urn },
			};
		},
		async update(id, olds, news) {
			const state = { olds, oldInputs: marked(olds) };
			return {
				outs: plain(
					await host.update(which(news, olds), id, state, marked(news), false),
				),
			};
		},
		delete: (id, props) => host.delete(which(props), id, props),
	};
}
