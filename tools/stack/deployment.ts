import { z } from "zod";

/** What `pulumi stack export` prints, as far as our tools read it. */
export const deploymentSchema = z.looseObject({
	version: z.number(),
	deployment: z.looseObject({
		resources: z
			.array(
				z.looseObject({
					urn: z.string(),
					type: z.string(),
					custom: z.boolean().optional(),
					id: z.string().optional(),
					inputs: z.record(z.string(), z.unknown()).optional(),
					outputs: z.record(z.string(), z.unknown()).optional(),
				}),
			)
			.optional(),
		pending_operations: z.array(z.unknown()).optional(),
	}),
});

/** A state in the file of the backend: the same, under other names. */
export const checkpointSchema = z
	.looseObject({
		version: z.number(),
		checkpoint: z.looseObject({ latest: deploymentSchema.shape.deployment.optional() }),
	})
	.transform(({ version, checkpoint }) => ({ version, deployment: checkpoint.latest ?? {} }));

export type Deployment = z.infer<typeof deploymentSchema>;
export type StateResource = NonNullable<Deployment["deployment"]["resources"]>[number];

/** The resources that stand for something outside: no stack, no providers. */
export function managedResources(state: Deployment): StateResource[] {
	return (state.deployment.resources ?? []).filter(
		({ custom, type }) => custom === true && !type.startsWith("pulumi:providers:"),
	);
}

/** The last part of a URN: the name that the program gave. */
export function resourceName({ urn }: StateResource): string {
	return urn.slice(urn.lastIndexOf("::") + 2);
}

/** `pulumi-nodejs:dynamic/datachain:PipelineSchedule` → `PipelineSchedule`. */
export function resourceKind({ type }: StateResource): string {
	return type.slice(type.lastIndexOf(":") + 1);
}
