import { isTypeOf } from "../../schemas/kinds";
import { parseUrn } from "../model/messages";
import type { Props } from "../model/props";

/** What the state has of a resource of the program. */
export interface DeployedResource {
	/** Left out if the engine made no diff, as for another provider. */
	readonly id?: string | undefined;
	/** The inputs of the last deployment; once there was a diff, also the outputs. */
	readonly inputs: Props;
}

/** What the state has of the program's resources, as the engine tells it in check and diff: a create is told nothing of it. */
export class DeployedResources {
	private readonly byUrn = new Map<string, DeployedResource>();
	private readonly byPipeline = new Map<string, Set<string>>();

	note(urn: string, resource: DeployedResource): void {
		this.byUrn.set(urn, resource);
		const { teamName, pipelineName } = resource.inputs;
		const key = pipelineKey(teamName, pipelineName);
		const urns = this.byPipeline.get(key) ?? new Set();
		this.byPipeline.set(key, urns.add(urn));
	}

	of(urn: string): DeployedResource | undefined {
		return this.byUrn.get(urn);
	}

	/** The resources that the state has on a pipeline, whatever the program declares now. */
	onPipeline(
		team: string,
		pipelineName: string,
	): { urn: string; resource: DeployedResource }[] {
		const urns = this.byPipeline.get(pipelineKey(team, pipelineName)) ?? [];
		return [...urns].flatMap((urn) => {
			const resource = this.byUrn.get(urn);
			return resource ? [{ urn, resource }] : [];
		});
	}
}

const pipelineKey = (team: unknown, pipeline: unknown): string =>
	JSON.stringify([team, pipeline]);

/** The checked inputs of each resource of the program, by URN. A delete is not told them by the engine. */
export class DeclaredResources {
	private readonly byUrn = new Map<string, Props>();
	/** By pipeline: the resources that declare whether it is paused. */
	private readonly pauses = new Map<string, Map<string, boolean>>();
	private readonly pipelines = new Map<string, Props>();

	note(urn: string, inputs: Props): void {
		const { teamName, pipelineName } = this.byUrn.get(urn) ?? {};
		this.pauses.get(pipelineKey(teamName, pipelineName))?.delete(urn);
		this.byUrn.set(urn, inputs);
		if (typeof inputs.paused === "boolean") this.notePause(urn, inputs, inputs.paused);
		if (isTypeOf("Pipeline", parseUrn(urn)?.type ?? ""))
			this.pipelines.set(urn, inputs);
	}

	has(urn: string): boolean {
		return this.byUrn.has(urn);
	}

	get(urn: string): Props | undefined {
		return this.byUrn.get(urn);
	}

	/** The resources that declare whether the pipeline is paused, with what they declare: it is paused or not, whoever says so. */
	pausesOf(team: unknown, pipeline: unknown): ReadonlyMap<string, boolean> {
		return this.pauses.get(pipelineKey(team, pipeline)) ?? new Map();
	}

	/** The `Pipeline` resources, by URN. */
	declaredPipelines(): ReadonlyMap<string, Props> {
		return this.pipelines;
	}

	private notePause(
		urn: string,
		{ teamName, pipelineName }: Props,
		paused: boolean,
	): void {
		const key = pipelineKey(teamName, pipelineName);
		const urns = this.pauses.get(key) ?? new Map<string, boolean>();
		this.pauses.set(key, urns.set(urn, paused));
	}
}
