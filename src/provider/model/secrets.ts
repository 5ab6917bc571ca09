import { isDeepStrictEqual } from "node:util";
import { type Needle, needlesForName, redact } from "../../client/redaction";
import { resourceName } from "./messages";
import { concealWhere, containsUnknown, type Props } from "./props";

/** The secrets of the program: where they are, whether they change, and the names that no message may repeat. */

/** Whether other inputs are secrets than before. Both are lists of dotted paths, or nothing. */
export function secretsMoved(before: unknown, now: unknown): boolean {
	const paths = (value: unknown) =>
		Array.isArray(value) ? value.map(String).sort() : [];
	return !isDeepStrictEqual(paths(before), paths(now));
}

/** Which inputs of a resource are secrets. */
export interface SecretPaths {
	/** Dotted paths of the inputs that are secrets in the program. */
	readonly secrets: readonly string[];
	/** Paths of those that were secrets when they were last deployed: the service may still have their values. */
	readonly secretsBefore: readonly string[];
}

/** The paths of what a deployment that is not done must keep secret: what was one before may still be on the service. */
export const secretsUntilDone = ({ secrets, secretsBefore }: SecretPaths): string[] => [
	...new Set([...secrets, ...secretsBefore]),
];

/** The properties with the values at these dotted paths tagged as secrets. */
export const concealAt = (props: Props, secrets: readonly string[]): Props =>
	concealWhere(props, (path) => secrets.includes(path.join(".")));

/** Whether one of these inputs is a secret, or holds one. The engine encrypts by key: a copy under another key would be in plain text. */
export const holdSecrets = (
	{ secrets }: Pick<SecretPaths, "secrets">,
	inputs: readonly string[],
): boolean =>
	secrets.some((path) =>
		inputs.some((input) => path === input || path.startsWith(`${input}.`)),
	);

/**
 * A line for each secret input that changes. The engine shows no line for it in a preview: both sides of the change
 * are `[secret]`.
 */
export function changedSecrets(
	{ urn, secrets }: Pick<SecretPaths, "secrets"> & { readonly urn: string },
	olds: Props,
	news: Props,
): string[] {
	return secrets.flatMap((path) => {
		const [before, now] = [valueAt(olds, path), valueAt(news, path)];
		if (containsUnknown(now) || before === undefined || isDeepStrictEqual(before, now))
			return [];
		return [`${resourceName(urn)}: the secret value of ${path} changes.`];
	});
}

/** Variable names may hold dots, so the longest key that fits is taken at each step. */
export function valueAt(value: unknown, path: string): unknown {
	const props = Object(value) as Props;
	if (Object.hasOwn(props, path)) return props[path];
	for (let at = path.lastIndexOf("."); at > 0; at = path.lastIndexOf(".", at - 1)) {
		const head = path.slice(0, at);
		if (Object.hasOwn(props, head)) return valueAt(props[head], path.slice(at + 1));
	}
	return undefined;
}

/** The texts in a value, and each line of those that have several. */
export function textsIn(value: unknown): string[] {
	if (typeof value === "string")
		return [value, ...value.split(/\r?\n/).map((line) => line.trim())];
	return Object.values(Object(value)).flatMap(textsIn);
}

/** The words of a text that has several, or the names in an object. The positions of a list tell nothing. */
function partsOf(value: unknown): string[] {
	if (Array.isArray(value)) return [];
	if (typeof value !== "string") return Object.keys(Object(value));
	const words = [...new Set(value.match(/[\p{L}\p{N}]+/gu))];
	return words.length < 2 ? [] : words;
}

/**
 * The reason without the parts of a secret: what is wrong with a cron expression names one of its numbers, and what is
 * wrong with a variable its name. A single letter tells nothing, and may be a word of ours.
 */
export function withoutParts(
	{ secrets }: SecretPaths,
	news: Props,
	field: string,
	reason: string,
): string {
	if (!secrets.includes(field)) return reason;
	const words = partsOf(news[field]);
	const parts = words.filter((word) => !/^\p{L}$/u.test(word));
	return redact(
		reason,
		parts.map((text) => ({ text, enough: text.length, wholeWord: true })),
	);
}

/** What a message may name: the text itself, or where an asset is, of an address what stands before its query. */
export function namesIn(value: unknown): string[] {
	const { path, uri } = Object(value) as {
		readonly path?: unknown;
		readonly uri?: unknown;
	};
	const address = typeof uri === "string" ? uri.replace(/[?#].*/s, "") : undefined;
	return [value, path, address].flatMap((name) =>
		typeof name === "string" && name !== "" ? [name] : [],
	);
}

/**
 * The secret names of all resources of a run. A message about one resource may name what another one manages, such as a
 * schedule that has the wanted name.
 */
export class SecretNames {
	private readonly names = new Set<string>();
	/** Made only for a message, because nearly every operation ends without one. */
	private needles: readonly Needle[] | undefined;

	add(names: readonly string[]): void {
		for (const name of names) {
			if (this.names.has(name)) continue;
			this.names.add(name);
			this.needles = undefined;
		}
	}

	readonly redact = (text: string): string => {
		this.needles ??= [...new Set([...this.names].flatMap(spellings))].flatMap(
			needlesForName,
		);
		return redact(text, [...this.needles, ...inOtherCases(text, this.needles)]);
	};
}

/** A message also quotes a name as another user wrote it, in any mixture of cases. */
function inOtherCases(text: string, needles: readonly Needle[]): Needle[] {
	// The one letter whose lower case is longer would move what follows it.
	const lower = text.replaceAll("İ", "I").toLowerCase();
	return needles.flatMap((needle) => {
		const forms: Needle[] = [];
		const { length } = needle.text;
		for (
			let at = lower.indexOf(needle.text);
			at >= 0;
			at = lower.indexOf(needle.text, at + length)
		)
			forms.push({ ...needle, text: text.slice(at, at + length) });
		return forms;
	});
}

/** A service may store a name in another case or Unicode form, and a message may quote it from there. */
function spellings(text: string): string[] {
	const cases = [text, text.toLowerCase(), text.toUpperCase()].flatMap((each) => [
		each,
		each.trim(),
	]);
	return cases.flatMap((each) => [each, each.normalize("NFC"), each.normalize("NFD")]);
}
