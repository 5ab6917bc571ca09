import * as grpc from "@grpc/grpc-js";
import { Alias } from "@pulumi/pulumi/proto/alias_pb";
import { ResourceMonitorClient } from "@pulumi/pulumi/proto/resource_grpc_pb";
import {
	RegisterResourceOutputsRequest,
	RegisterResourceRequest,
	type RegisterResourceResponse,
} from "@pulumi/pulumi/proto/resource_pb";
import type { Empty } from "google-protobuf/google/protobuf/empty_pb";
import type { Props } from "../provider/handler";
import { MESSAGE_LIMITS, props, struct } from "./properties";

/** What a resource was before: of another type, or without a parent. */
export interface FormerPlace {
	readonly type?: string;
	readonly noParent?: boolean;
}

export interface Registration {
	readonly type: string;
	readonly name: string;
	readonly parent: string;
	/** Undefined for a component, which no provider manages. */
	readonly provider?: string;
	/** Secrets and unknown values are tagged. */
	readonly inputs: Props;
	/** URNs by input, and those that it depends on as a whole. */
	readonly inputDependencies?: Readonly<Record<string, readonly string[]>>;
	readonly dependencies?: readonly string[];
	readonly aliases?: readonly (FormerPlace | Alias)[];
	/** Options of the component that hold for what is in it. */
	readonly protect?: boolean | undefined;
	readonly retainOnDelete?: boolean | undefined;
}

export interface Registered {
	readonly urn: string;
	readonly outputs: Props;
}

/** The engine's side of a program: takes the resources that a component is made of. */
export class Monitor {
	private readonly client: ResourceMonitorClient;

	constructor(address: string) {
		this.client = new ResourceMonitorClient(address, grpc.credentials.createInsecure(), MESSAGE_LIMITS);
	}

	async register(resource: Registration): Promise<Registered> {
		const request = new RegisterResourceRequest()
			.setType(resource.type)
			.setName(resource.name)
			.setParent(resource.parent)
			.setCustom(resource.provider !== undefined)
			.setProvider(resource.provider ?? "")
			.setObject(struct(resource.inputs))
			.setAcceptsecrets(true)
			.setSupportspartialvalues(true)
			.setDependenciesList([...(resource.dependencies ?? [])])
			.setAliasspecs(true)
			.setAliasesList(
				(resource.aliases ?? []).map((alias) => (alias instanceof Alias ? alias : former(alias))),
			);
		if (resource.protect !== undefined) request.setProtect(resource.protect);
		if (resource.retainOnDelete !== undefined) request.setRetainondelete(resource.retainOnDelete);
		for (const [input, urns] of Object.entries(resource.inputDependencies ?? {})) {
			const dependencies = new RegisterResourceRequest.PropertyDependencies().setUrnsList([...urns]);
			request.getPropertydependenciesMap().set(input, dependencies);
		}
		const answer = await new Promise<RegisterResourceResponse>((resolve, reject) =>
			this.client.registerResource(request, (error, found) => (error ? reject(error) : resolve(found))),
		);
		return { urn: answer.getUrn(), outputs: props(answer.getObject()) };
	}

	async registerOutputs(urn: string, outputs: Props): Promise<void> {
		const request = new RegisterResourceOutputsRequest().setUrn(urn).setOutputs(struct(outputs));
		await new Promise<Empty>((resolve, reject) =>
			this.client.registerResourceOutputs(request, (error, done) => (error ? reject(error) : resolve(done))),
		);
	}

	close(): void {
		this.client.close();
	}
}

function former({ type, noParent }: FormerPlace): Alias {
	const spec = new Alias.Spec();
	if (type !== undefined) spec.setType(type);
	if (noParent) spec.setNoparent(true);
	return new Alias().setSpec(spec);
}
