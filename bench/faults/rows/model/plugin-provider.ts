import { PartlyDone, ResourceHost, type Which } from "../../../../src/plugin/resource-host";
import { reveal } from "../../../../src/plugin/values";
import type { ProviderContext } from "../../../../src/provider/context";
import type { Props } from "../../../../src/provider/handler";
import type { DynamicProvider } from "../../../../src/provider/host/dynamic-host";
import { ownProperties } from "../../../../src/provider/host/state-keys";
import type { Kind } from "../../../../src/schemas/kinds";

const plain = (props: Props): Props => reveal(props).props;

/** The plugin's host in the words of the model, which plays the dynamic host's engine. */
export function pluginProvider(context: ProviderContext, kind: Kind): DynamicProvider {
	const host = new ResourceHost(context);
	const which = (...props: readonly Props[]): Which => ({
		kind,
		urn: String(props.find(({ __urn }) => __urn !== undefined)?.__urn),
	});
	return {
		configure: () => undefined,
		async check(olds, news) {
			const who = which(news);
			const { inputs, failures } = await host.check(who, ownProperties(olds), ownProperties(news));
			const isNew = Object.keys(ownProperties(olds)).length === 0;
			// In a preview the engine goes on to create or update, which says what only a preview may say.
			if (news.__preview === true && failures.length === 0) {
				if (isNew) await host.create(who, inputs, true);
				else await host.update(who, "", { olds, oldInputs: ownProperties(olds) }, inputs, true);
			}
			return {
				inputs: { ...plain(inputs), __urn: who.urn },
				failures: failures.map((reason) => ({ property: "", reason })),
			};
		},
		async diff(id, olds, news) {
			const { changes, replaces, deleteBeforeReplace } = await host.diff(
				which(news, olds),
				id,
				{ olds, oldInputs: {} },
				ownProperties(news),
			);
			return { changes, replaces: [...replaces], deleteBeforeReplace };
		},
		async create(inputs) {
			const { id, properties } = await halfDone(() =>
				host.create(which(inputs), ownProperties(inputs), false),
			);
			return { id, outs: plain(properties) };
		},
		async read(id, props) {
			const found = await host.read(which(props), id, props, {});
			if (found === undefined) return {};
			const { __urn } = props;
			return { id: found.id, props: plain(found.properties), inputs: { ...plain(found.inputs), __urn } };
		},
		async update(id, olds, news) {
			const state = { olds, oldInputs: {} };
			const outs = await halfDone(() =>
				host.update(which(news, olds), id, state, ownProperties(news), false),
			);
			return { outs: plain(outs) };
		},
		delete: (id, props) => host.delete(which(props), id, props),
	};
}

/** The engine takes the secrets' marks off before it stores what was made. */
async function halfDone<T>(work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (error) {
		if (!(error instanceof PartlyDone)) throw error;
		throw Object.assign(new Error(error.message), { id: error.id, properties: plain(error.properties) });
	}
}
