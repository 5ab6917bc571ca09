import * as pulumi from "@pulumi/pulumi";

interface Options {
	readonly preview?: boolean;
	/** What the engine answers for a resource: its outputs. Its inputs where left out. */
	readonly outputs?: Readonly<Record<string, unknown>>;
}

export const TYPE = "pulumi-nodejs:dynamic/datachain";

/** Runs a program that declares resources, and answers what each of them registered, secrets marked as in the request. */
export async function registered(
	program: () => readonly pulumi.CustomResource[],
	{ preview = false, outputs }: Options = {},
) {
	const newResource = ({ name, inputs }: pulumi.runtime.MockResourceArgs) => ({
		id: preview ? undefined : `${name}-id`,
		state: outputs ?? inputs,
	});
	await pulumi.runtime.setMocks(
		{ newResource, call: ({ inputs }) => inputs },
		"shop",
		"prod",
		preview,
	);
	const requests = recordRequests();
	const resources = program();
	const urns = await Promise.all(resources.map(({ urn }) => settled(urn)));
	// A component registers its outputs last; they must not reach the mocks of the next program.
	await pulumi.runtime.disconnect();
	return urns.map((urn) => requestOf(urn, requests));
}

type Request = Parameters<Monitor["registerResource"]>[0];
type Monitor = NonNullable<ReturnType<typeof pulumi.runtime.getMonitor>>;

function recordRequests(): readonly Request[] {
	const monitor = pulumi.runtime.getMonitor();
	if (monitor === undefined) throw new Error("There is no mock monitor.");
	const requests: Request[] = [];
	const usual = monitor.registerResource;
	const record = (request: Request, ...rest: unknown[]) => {
		requests.push(request);
		return Reflect.apply(usual, monitor, [request, ...rest]);
	};
	Object.assign(monitor, { registerResource: record });
	return requests;
}

/** What a resource registers, as the engine gets it. */
function requestOf(urn: string, requests: readonly Request[]) {
	const found = requests.find((request) =>
		urn.endsWith(`${request.getType()}::${request.getName()}`),
	);
	if (found === undefined) throw new Error(`${urn} was not registered.`);
	return {
		type: found.getType(),
		name: found.getName(),
		inputs: (found.getObject()?.toJavaScript() ?? {}) as Readonly<
			Record<string, unknown>
		>,
	};
}

/** The inputs of the only resource that a program declares, without the ones that every resource has. */
export async function inputsOf(
	program: () => pulumi.CustomResource,
	options?: Options,
): Promise<Record<string, unknown>> {
	const [only] = await registered(() => [program()], options);
	const { __urn, __provider, ...inputs } = only?.inputs ?? {};
	return inputs;
}

/** The value of an output that is known. */
export const settled = <T>(output: pulumi.Output<T>): Promise<T> =>
	new Promise((resolve) => {
		output.apply((value) => resolve(value));
	});

/** A value that the engine does not know before the deployment. */
export const unknown = (): pulumi.Output<string> =>
	pulumi.output(pulumi.unknown) as unknown as pulumi.Output<string>;
