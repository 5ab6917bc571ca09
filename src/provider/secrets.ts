import { randomBytes, scryptSync, timingSafeEqual } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { type Needle, needlesForName, redact, withRedacted } from "../api/redaction";
import { holdsUrlCredentials, withoutUrlCredentials } from "../schemas/credentials";
import { visible } from "../schemas/wording";
import type { Call } from "./context";
import { concealWhere, containsUnknown, type Problem, type Props, problem } from "./handler";
import { resourceName } from "./messages";
import type { AnyTable } from "./table";

/** Values that must not be shown: secrets of the program, and values of other users, which may be secrets of theirs. */

// ── Secrets of the program ──────────────────────────────────────────────────────────────────────────────────────────

/** Whether other inputs are secrets than before. Both are lists of dotted paths, or nothing. */
export function secretsMoved(before: unknown, now: unknown): boolean {
	const paths = (value: unknown) => (Array.isArray(value) ? value.map(String).sort() : []);
	return !isDeepStrictEqual(paths(before), paths(now));
}

/** The paths of what a deployment that is not done must keep secret: what was one before may still be on the service. */
export const secretsUntilDone = ({ secrets, secretsBefore }: SecretPaths): string[] => [
	...new Set([...secrets, ...secretsBefore]),
];

export type SecretPaths = Pick<Call, "secrets" | "secretsBefore">;

/** The properties with the values at these dotted paths tagged as secrets. */
export const concealAt = (props: Props, secrets: readonly string[]): Props =>
	concealWhere(props, (path) => secrets.includes(path.join(".")));

/** Whether one of these inputs is a secret, or holds one. The engine encrypts by key: a copy under another key would be in plain text. */
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
	return secrets.flatMap((path) => {
		const [before, now] = [valueAt(olds, path), valueAt(news, path)];
		if (containsUnknown(now) || before === undefined || isDeepStrictEqual(before, now)) return [];
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
	if (typeof value === "string") return [value, ...value.split(/\r?\n/).map((line) => line.trim())];
	return Object.values(Object(value)).flatMap(textsIn);
}

/**
 * A function that makes texts fit to print: it redacts the secret inputs, because the engine prints messages and the state
 * keeps the message of a failure in plain text, and spells out what would steer a terminal, because messages quote what
 * other users wrote. Of hidden fields only the service speaks, see `redacting`.
 */
export function redactorOf(
	fields: AnyTable,
	call: SecretPaths & Pick<Call, "secretNames">,
	args: readonly unknown[],
): (text: string) => string {
	const paths = secretsUntilDone(call).filter(
		(path) => fields[path.replace(/\..*/, "")]?.hidden === undefined,
	);
	const values = args.flatMap((props) => paths.map((path) => valueAt(props, path))).flat();
	call.secretNames.add(values.flatMap(namesIn));
	// A message about a range names the number.
	const numbers = values.filter((value) => typeof value === "number").map((value) => `not ${value}`);
	return (text) => visible(redact(call.secretNames.redact(text), numbers.flatMap(needlesForName)));
}

/** The words of a text that has several, or the names in an object. */
function partsOf(value: unknown): string[] {
	if (typeof value !== "string") return Object.keys(Object(value));
	const words = [...new Set(value.match(/[\p{L}\p{N}]+/gu))];
	return words.length < 2 ? [] : words;
}

/**
 * The reason without the parts of a secret: what is wrong with a cron expression names one of its numbers, and what is
 * wrong with a variable its name. A single letter tells nothing, and may be a word of ours.
 */
export function withoutParts({ secrets }: SecretPaths, news: Props, field: string, reason: string): string {
	if (!secrets.includes(field)) return reason;
	const words = partsOf(news[field]);
	const parts = words.filter((word) => !/^\p{L}$/u.test(word));
	return redact(
		reason,
		parts.map((text) => ({ text, enough: text.length, wholeWord: true })),
	);
}

/** What a message may name: the text itself, or where an asset is, of an address what stands before its query. */
function namesIn(value: unknown): string[] {
	const { path, uri } = Object(value) as { readonly path?: unknown; readonly uri?: unknown };
	const address = typeof uri === "string" ? uri.replace(/[?#].*/s, "") : undefined;
	return [value, path, address].flatMap((name) => (typeof name === "string" && name !== "" ? [name] : []));
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
		this.needles ??= [...new Set([...this.names].flatMap(spellings))].flatMap(needlesForName);
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
		for (let at = lower.indexOf(needle.text); at >= 0; at = lower.indexOf(needle.text, at + length))
			forms.push({ ...needle, text: text.slice(at, at + length) });
		return forms;
	});
}

/** A service may store a name in another case or Unicode form, and a message may quote it from there. */
function spellings(text: string): string[] {
	const cases = [text, text.toLowerCase(), text.toUpperCase()].flatMap((each) => [each, each.trim()]);
	return cases.flatMap((each) => [each, each.normalize("NFC"), each.normalize("NFD")]);
}

/**
 * Runs an operation whose notices, lines and errors are redacted, and what the service says in them: it may repeat a
 * secret that it was sent by an earlier request, and may quote one line of several.
 */
export async function redacting<T>(
	call: Call,
	args: readonly unknown[],
	redact: (text: string) => string,
	work: (call: Call) => Promise<T>,
): Promise<T> {
	const paths = secretsUntilDone(call);
	const secrets = () => args.flatMap((props) => paths.flatMap((path) => textsIn(valueAt(props, path))));
	const notice = (text: string) => call.notice(redact(text));
	const line = (text: string) => call.line(redact(text));
	const client = call.client.scoped({ secrets });
	try {
		return await work({ ...call, client, notice, line });
	} catch (error) {
		throw withRedacted(error, redact);
	}
}

// ── Hashes in the state ──────────────────────────────────────────────────────────────────────────────────────────────────

const SALTED = "scrypt";
const BYTES = 32;

/**
 * What the state holds in place of a secret name, or of a secret content's hash. A plain hash of something short can be
 * guessed; this one has a salt and is slow to try. The salt of the last deployment is kept, so that the same stays the same.
 */
export function saltedHash(text: string, before?: unknown): string {
	const salt = saltOf(before) ?? randomBytes(16).toString("hex");
	return `${SALTED}:${salt}:${scryptSync(text, salt, BYTES).toString("hex")}`;
}

const saltOf = (stored: unknown): string | undefined => {
	const [kind, salt] = String(stored).split(":");
	return kind === SALTED ? salt : undefined;
};

export const isSalted = (stored: unknown): boolean => saltOf(stored) !== undefined;

/** Whether the stored form, plain or salted, stands for this text. */
export function isHashOf(stored: unknown, text: string): boolean {
	if (!isSalted(stored)) return stored === text;
	const [ours, theirs] = [Buffer.from(saltedHash(text, stored)), Buffer.from(String(stored))];
	return ours.length === theirs.length && timingSafeEqual(ours, theirs);
}

// ── Values of other users ────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * A foreign value may be a secret of other users, so the state holds a placeholder for it. With `ignoreChanges` the engine
 * hands the placeholder back as if the program had declared it, and then it stands for the live value. No request ever
 * carries one.
 */
export const FOREIGN_VALUE = "(set outside Pulumi)";

/** The text as it may stand in the state: as it is, or as a placeholder if it holds foreign credentials. */
export const withoutForeignCredentials = (text: string): string =>
	holdsUrlCredentials(text) ? `${FOREIGN_VALUE} ${withoutUrlCredentials(text)}` : text;

/** Version 0.1.0 put the masked URL alone into the state. */
const MASKED_URL = "://***@";

export const isForeign = (value: unknown): boolean =>
	typeof value === "string" && (value.startsWith(FOREIGN_VALUE) || value.includes(MASKED_URL));

/** Whether the value, or anything inside it, is a placeholder. */
export function containsForeign(value: unknown): boolean {
	if (isForeign(value)) return true;
	return typeof value === "object" && value !== null && Object.values(value).some(containsForeign);
}

/** The declared part of a value: a placeholder is not the program's, and is not checked. */
export function withoutPlaceholders(value: unknown): unknown {
	if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
	return Object.fromEntries(Object.entries(value).filter(([, item]) => !containsForeign(item)));
}

/**
 * Refuses placeholders that do not come from the state, because no request would carry them. A field whose changes have no
 * effect is never read back, so any text may stand in it.
 */
export function refusePlaceholders(call: Call, fields: AnyTable, olds: Props, news: Props): Problem[] {
	// The second check of a replacement has no olds; the first one has accepted what came from the state.
	const known = Object.keys(olds).length > 0 ? olds : (call.declared.get(call.urn) ?? {});
	return Object.entries(fields)
		.filter(([, { change }]) => change !== "none")
		.flatMap(([field]) => placeholderProblems(field, field, news[field], known[field]));
}

function placeholderProblems(field: string, path: string, value: unknown, known: unknown): Problem[] {
	if (typeof value === "object" && value !== null) {
		return Object.entries(value).flatMap(([key, item]) =>
			placeholderProblems(field, `${path}.${key}`, item, (Object(known) as Props)[key]),
		);
	}
	if (!isForeign(value) || value === known) return [];
	const [what, instead] = String(value).startsWith(FOREIGN_VALUE)
		? [`"${FOREIGN_VALUE}" stands for a value`, "the value itself"]
		: [`a URL with "${MASKED_URL}" stands for one with credentials`, "the whole URL as a secret"];
	const text = `${what} that other users set, so it is never sent. Declare ${instead}, leave ${path} out, or list it in ignoreChanges.`;
	return [{ field, reason: problem(path, text).reason }];
}
