import { createClient, type DataChainClient, resolveConnection } from "../../../../src/api";
import type { StateResource } from "../../../../src/drift/state";
import { createContext, type ProviderContext } from "../../../../src/provider/context";
import type { ResourceHandler } from "../../../../src/provider/handler";
import { pipelineSchedule } from "../../../../src/provider/pipeline-schedule/handler";
import { pipelineSettings } from "../../../../src/provider/pipeline-settings/handler";
import type { LocalServer } from "../../../../src/server";
import type { DriftCase, Inputs, Kind } from "./case";

export const HANDLERS: Readonly<Record<Kind, ResourceHandler>> = {
	PipelineSchedule: pipelineSchedule,
	PipelineSettings: pipelineSettings,
};

/** A case, and the resource that was made for it, as the state has it. */
export interface Deployed {
	readonly each: DriftCase;
	readonly pipeline: string;
	readonly resource: StateResource;
}

/** Someone else: a client with no part in what Pulumi does. */
export const secondClient = (server: LocalServer): DataChainClient =>
	createClient(resolveConnection({ env: server.environment }));

/** Work in a provider process of its own: what another run remembered must not help it. */
export async function inNewProcess<T>(
	server: LocalServer,
	work: (context: ProviderContext) => Promise<T>,
): Promise<T> {
	const context = createContext({ env: server.environment }, () => {});
	try {
		return await work(context);
	} finally {
		await context.client.close();
	}
}

/** Each case gets a pipeline and a resource of its own, made by the provider. */
export async function deploy(
	server: LocalServer,
	client: DataChainClient,
	cases: readonly DriftCase[],
): Promise<Deployed[]> {
	return inNewProcess(server, async (context) => {
		const deployed: Deployed[] = [];
		for (const [index, each] of cases.entries()) {
			const pipeline = await newPipeline(client);
			const name = `case-${index}`;
			const inputs = await checkedInputs(context, each, { ...each.declared, pipelineName: pipeline }, name);
			const { id, outs } = await HANDLERS[each.kind].create(context, inputs);
			const urn = `urn:pulumi:dev::drift::pulumi-nodejs:dynamic/datachain:${each.kind}::${name}`;
			const resource = {
				urn,
				kind: each.kind,
				name,
				id,
				inputs,
				outputs: outs,
				secretPaths: new Set<string>(),
			};
			deployed.push({ each, pipeline, resource });
		}
		return deployed;
	});
}

export async function newPipeline(client: DataChainClient): Promise<string> {
	const { pipeline } = await client.pipelines.trigger({ datasets: ["dev.images.raw"] });
	if (!pipeline?.name) throw new Error("The local server made a pipeline without a name.");
	return pipeline.name;
}

async function checkedInputs(
	context: ProviderContext,
	each: DriftCase,
	declared: Inputs,
	name: string,
): Promise<Inputs> {
	const named = each.kind === "PipelineSchedule" ? { scheduleName: name, ...declared } : declared;
	const { inputs, problems } = await HANDLERS[each.kind].check(context, {}, named);
	if (problems.length === 0) return inputs;
	const why = problems.map(({ reason }) => reason).join(" ");
	throw new Error(`The case "${each.covers}, ${each.what}" declares something invalid: ${why}`);
}
