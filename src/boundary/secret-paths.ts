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
	const later: Later[] = [];
	for (const [key, value] of Object.entries(inputs)) collectLater(value, key, later);
	if (later.length === 0) return undefined;
	return secretsAmong(later).then(
		(paths) => (paths.length === 0 ? undefined : [...new Set(paths)].sort()),
		// The input that fails stops the registration by itself, with its own reason.
		() => undefined,
	);
}

/** A secret in a list marks the whole list: positions say nothing once the list changes. */
function collectLater(value: unknown, path: string, found: Later[], inList = false): void {
	if (typeof value !== "object" || value === null) return;
	if (isLater(value)) found.push({ path, value });
	else if (Array.isArray(value)) for (const item of value) collectLater(item, path, found, true);
	else if (!hasOwnForm(value)) {
		for (const [key, item] of Object.entries(value)) {
			collectLater(item, inList ? path : `${path}.${key}`, found, inList);
		}
	}
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
	const inside: Later[] = [];
	collectLater(await (isOutput(value) ? value.promise() : value), path, inside);
	return secretsAmong(inside);
}
