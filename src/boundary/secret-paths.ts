import * as pulumi from "@pulumi/pulumi";
import { isLater, isOutput, type SdkOutput } from "./sdk-output";

interface Later {
	readonly path: string;
	readonly value: SdkOutput | Promise<unknown>;
}

/**
 * The dotted paths of the inputs that are secret in the program, sorted; undefined where none is. Paths only, never
 * a value: the list itself is stored in clear. Answers at once where every input is plain.
 */
export function secretPaths(inputs: pulumi.Inputs): Promise<string[] | undefined> | undefined {
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
