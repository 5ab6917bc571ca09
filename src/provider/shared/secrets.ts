import type { Call } from "../context";
import type { Props } from "../handler";
import { resourceName } from "../urn";
import { deepEqual } from "./table";
import { containsUnknown } from "./unknown";

/** Whether other inputs are secrets than before. Both are lists of dotted paths, or nothing. */
export function secretsMoved(before: unknown, now: unknown): boolean {
	const paths = (value: unknown) => (Array.isArray(value) ? [...value].map(String).sort() : []);
	return !deepEqual(paths(before), paths(now));
}

/** Whether one of these inputs is a secret, or holds one. The engine encrypts by key: a copy under another key would be in clear. */
export const holdSecrets = ({ secrets }: Pick<Call, "secrets">, inputs: readonly string[]): boolean =>
	secrets.some((path) => inputs.some((input) => path === input || path.startsWith(`${input}.`)));

/**
 * A line for each secret input that changes. The engine shows no line for it in a preview: both sides of the change
 * are `[secret]`.
 */
export function changedSecrets(
	{ urn, secrets }: Pick<Call, "urn" | "secrets">,
	olds: Props,
	news: Props,
): string[] {
	if (Object.keys(olds).length === 0) return [];
	return secrets.flatMap((path) => {
		const [before, now] = [valueAt(olds, path), valueAt(news, path)];
		if (containsUnknown(now) || before === undefined || deepEqual(before, now)) return [];
		return [`${resourceName(urn)}: the secret value of ${path} changes.`];
	});
}

/** Variable names may hold dots, so the longest key that fits is taken at each step. */
export function valueAt(value: unknown, path: string): unknown {
	if (typeof value !== "object" || value === null) return undefined;
	if (Object.hasOwn(value, path)) return Object.getOwnPropertyDescriptor(value, path)?.value;
	for (let at = path.lastIndexOf("."); at > 0; at = path.lastIndexOf(".", at - 1)) {
		const head = path.slice(0, at);
		if (!Object.hasOwn(value, head)) continue;
		return valueAt(Object.getOwnPropertyDescriptor(value, head)?.value, path.slice(at + 1));
	}
	return undefined;
}
