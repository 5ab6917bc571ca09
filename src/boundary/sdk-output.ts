import * as pulumi from "@pulumi/pulumi";

/**
 * What an Output answers at run time beyond the SDK's declarations. The SDK's serializer asks Outputs of other
 * versions of itself in these words, so they stay.
 */
export interface SdkOutput {
	readonly isKnown: Promise<boolean>;
	readonly isSecret: Promise<boolean>;
	/** The value, or undefined where it is not known; with `true` a mark of the SDK's stands for what is not known. */
	promise(withUnknowns?: boolean): Promise<unknown>;
}

export const isOutput = (value: unknown): value is SdkOutput => pulumi.Output.isInstance(value);

/** True of an Output and of a promise: values that come later. */
export const isLater = (value: unknown): value is SdkOutput | Promise<unknown> =>
	isOutput(value) || value instanceof Promise;

/** What `use` makes of a value once it is known in full. A secret in the value or in the result makes it all secret. */
export const whenKnown = (value: unknown, use: (known: unknown) => unknown): pulumi.Output<unknown> =>
	unwrapped(value).apply((known) => unwrapped(use(known)));

/** The SDK's types cannot say what a deeply unwrapped unknown is. */
const unwrapped = (value: unknown) => pulumi.output<unknown>(value) as pulumi.Output<unknown>;
