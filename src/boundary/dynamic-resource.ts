import * as pulumi from "@pulumi/pulumi";
import { warnOfClearToken } from "./clear-token";
import { showDeclaringFrameOnly } from "./declaring-frame";
import { providerStub } from "./stub";

/**
 * A dynamic resource whose provider is named, not serialized. It registers exactly what `pulumi.dynamic.Resource`
 * would, a `__provider` text under the type `pulumi-nodejs:dynamic/…`, without the closure serializer.
 */
export abstract class DynamicResource extends pulumi.CustomResource {
	protected constructor(
		kind: string,
		name: string,
		props: pulumi.Inputs,
		outputs: readonly string[],
		opts: pulumi.CustomResourceOptions | undefined,
	) {
		warnOfClearToken();
		// The SDK turns only the keys it is given into properties of the resource.
		const computed = Object.fromEntries(outputs.map((key) => [key, undefined]));
		const showAllFrames = showDeclaringFrameOnly();
		try {
			super(
				`pulumi-nodejs:dynamic/datachain:${kind}`,
				name,
				{ ...computed, ...props, __provider: providerStub(kind) },
				opts,
			);
		} finally {
			showAllFrames();
		}
	}
}
