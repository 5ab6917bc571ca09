import * as pulumi from "@pulumi/pulumi";

/**
 * An asset with nothing in it (`new StringAsset("")`) breaks Pulumi's provider host before the provider is asked. It
 * travels as an empty path, which the provider refuses in words.
 */
export function withoutEmptyAsset(source: pulumi.Input<unknown>): pulumi.Input<unknown> {
	if (pulumi.Output.isInstance(source)) return source.apply(withoutEmptyAsset);
	if (source instanceof Promise) return source.then(withoutEmptyAsset);
	if (!pulumi.asset.Asset.isInstance(source)) return source;
	// The SDK keeps what an asset was made of as a promise.
	const contents = ["path", "text", "uri"].map((key): unknown => Reflect.get(source, key));
	return Promise.all(contents).then((found) => (found.some(Boolean) ? source : ""));
}
