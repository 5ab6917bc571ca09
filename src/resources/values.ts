import * as pulumi from "@pulumi/pulumi";

/**
 * What an Output answers at run time beyond the SDK's declarations. The SDK's serializer asks Outputs of other
 * versions of itself in these words, so they stay.
 */
export interface SdkOutput {
	readonly isKnown: Promise<boolean>;
	readonly isSecret: Promise<boolean>;
	/** The value, or undefined if it is not known; with `true` a mark of the SDK's stands for what is not known. */
	promise(withUnknowns?: boolean): Promise<unknown>;
}

export const isOutput = (value: unknown): value is SdkOutput =>
	pulumi.Output.isInstance(value);

/** True of an Output and of a promise: values that come later. */
export const isLater = (value: unknown): value is SdkOutput | Promise<unknown> =>
	isOutput(value) || value instanceof Promise;

/** What `use` makes of a value once it is known in full. A secret in the value or in the result makes it all secret. */
export const whenKnown = (
	value: unknown,
	use: (resolved: unknown) => unknown,
): pulumi.Output<unknown> =>
	unwrapped(value).apply((resolved) => unwrapped(use(resolved)));

/** The SDK's types cannot say what a deeply unwrapped unknown is. */
const unwrapped = (value: unknown) =>
	pulumi.output<unknown>(value) as pulumi.Output<unknown>;

/**
 * An asset with nothing in it (`new StringAsset("")`) breaks Pulumi's provider host before the provider is asked. It
 * travels as an empty path, which the provider refuses in words.
 */
export function withoutEmptyAsset(
	source: pulumi.Input<unknown>,
): pulumi.Input<unknown> {
	if (pulumi.Output.isInstance(source)) return source.apply(withoutEmptyAsset);
	if (source instanceof Promise) return source.then(withoutEmptyAsset);
	if (!pulumi.asset.Asset.isInstance(source)) return source;
	// The SDK keeps what an asset was made of as a promise.
	const contents = ["path", "text", "uri"].map((key): unknown =>
		Reflect.get(source, key),
	);
	return Promise.all(contents).then((answers) => (answers.some(Boolean) ? source : ""));
}

/** An output that every resource of ours has once it exists. */
const EXISTS = "serviceUrl";

/**
 * In a preview the SDK takes every output that the state does not have for one that is not known yet, and shows it
 * as changing. An absent output of a resource that exists, and an input that the program leaves out, are known: they
 * are undefined.
 */
export function showAbsentAsUndefined(
	resource: pulumi.CustomResource,
	properties: readonly string[],
	leftOut: readonly string[],
): void {
	const outputs = new Map<string, unknown>(Object.entries(resource));
	const exists = outputs.get(EXISTS);
	for (const key of properties) {
		const usual = outputs.get(key);
		if (!isOutput(usual)) continue;
		const isAbsent = async (): Promise<boolean> =>
			(await usual.promise(true)) === undefined &&
			(leftOut.includes(key) || (isOutput(exists) && (await exists.isKnown)));
		// Made on demand, because programs look at few of them; the URN is known as soon as the engine has answered.
		const get = () =>
			resource.urn.apply(async () => ((await isAbsent()) ? undefined : usual));
		Object.defineProperty(resource, key, { get, enumerable: true, configurable: true });
	}
}

interface Later {
	readonly path: string;
	readonly value: SdkOutput | Promise<unknown>;
}

/**
 * The dotted paths of the inputs that are secret in the program, sorted; undefined if none is. Paths only, never
 * a value: the list itself is stored in plain text. Answers at once where every input is plain.
 */
export function secretPaths(
	inputs: pulumi.Inputs,
): Promise<string[] | undefined> | undefined {
	const later = Object.entries(inputs).flatMap(([key, value]) => laterIn(value, key));
	if (later.length === 0) return undefined;
	return secretsAmong(later).then(
		(paths) => (paths.length === 0 ? undefined : [...new Set(paths)].sort()),
		// The input that fails stops the registration by itself, with its own reason.
		() => undefined,
	);
}

/** A secret in a list marks the whole list: positions say nothing once the list changes. */
function laterIn(value: unknown, path: string, inList = false): Later[] {
	if (isLater(value)) return [{ path, value }];
	if (Array.isArray(value)) return value.flatMap((item) => laterIn(item, path, true));
	if (typeof value !== "object" || value === null || hasOwnForm(value)) return [];
	return Object.entries(value).flatMap(([key, item]) =>
		laterIn(item, inList ? path : `${path}.${key}`, inList),
	);
}

/** The SDK sends these in a form of their own; what they hold inside is no input. */
const hasOwnForm = (value: object): boolean =>
	pulumi.Resource.isInstance(value) ||
	pulumi.asset.Asset.isInstance(value) ||
	pulumi.asset.Archive.isInstance(value);

async function secretsAmong(later: readonly Later[]): Promise<string[]> {
	return (await Promise.all(later.map(secretsIn))).flat();
}

async function secretsIn({ path, value }: Later): Promise<string[]> {
	if (isOutput(value) && (await value.isSecret)) return [path];
	if (isOutput(value) && !(await value.isKnown)) return [];
	return secretsAmong(laterIn(await (isOutput(value) ? value.promise() : value), path));
}
