import { didYouMean } from "../text/suggest";
import {
	isStorageKind,
	STORAGE_KINDS,
	STORAGES,
	type StorageKind,
	setParameters,
} from "./kinds";
import { camelName, isPlainObject, type Rule } from "./parameter";

export { azShape } from "./az";
export { gsShape } from "./gs";
export * from "./kinds";
export { wireName } from "./parameter";
export * from "./render";
export { s3Shape } from "./s3";

interface StorageProblem {
	/** The parameter at fault, by its camelCase name; empty if the config as a whole is wrong. */
	readonly parameter: string;
	readonly reason: string;
}

interface StorageFindings {
	readonly problems: StorageProblem[];
	readonly warnings: string[];
}

/** How the config reaches the filesystem: some parameters have no effect through the environment. */
type StorageUse = "environment" | "clientConfig";

/**
 * Checks a storage config against the rules of its storage. Texts hold names, never values. What depends on a value
 * that is not known yet (`isUnknown`, at any depth) is left for the next time.
 */
export function checkStorage(
	config: unknown,
	isUnknown: (value: unknown) => boolean,
	use: StorageUse = "environment",
): StorageFindings {
	if (isUnknown(config)) return { problems: [], warnings: [] };
	if (!isPlainObject(config))
		return whole(`must be made with storage.${STORAGE_KINDS.join(", ")} or forUri.`);
	const { kind, parameters = {} } = config;
	if (isUnknown(kind) || isUnknown(parameters)) return { problems: [], warnings: [] };
	if (!isStorageKind(kind))
		return whole(
			`has no known kind.${suggestedKind(kind)} The kinds are ${STORAGE_KINDS.join(", ")}.`,
		);
	if (!isPlainObject(parameters))
		return whole("must have its parameters in a dictionary.");
	return checkParameters(kind, setParameters(parameters), deep(isUnknown), use);
}

/** What is wrong with the names of the parameters, whatever their values. */
export function checkParameterNames(
	kind: StorageKind,
	names: readonly string[],
): StorageProblem[] {
	return names
		.filter((name) => !Object.hasOwn(STORAGES[kind].shape, name))
		.map((parameter) => ({ parameter, reason: noSuchParameter(kind, parameter) }));
}

const whole = (reason: string): StorageFindings => ({
	problems: [{ parameter: "", reason }],
	warnings: [],
});

function checkParameters(
	kind: StorageKind,
	parameters: Readonly<Record<string, unknown>>,
	containsUnknown: (value: unknown) => boolean,
	use: StorageUse,
): StorageFindings {
	const { shape, errors, warnings } = STORAGES[kind];
	const problems: StorageProblem[] = [];
	const undecided = new Set<string>();
	for (const [parameter, value] of Object.entries(parameters)) {
		const schema = Object.hasOwn(shape, parameter) ? shape[parameter] : undefined;
		const reason = schema
			? schema.safeParse(value).error?.issues[0]?.message
			: noSuchParameter(kind, parameter);
		const unknown = containsUnknown(value);
		if (unknown || reason !== undefined) undecided.add(parameter);
		if (reason !== undefined && !(schema && unknown))
			problems.push({ parameter, reason: sentence(reason) });
	}
	const decided = new Proxy(parameters, {
		get(all, name) {
			if (undecided.has(String(name))) throw new Undecided();
			return Reflect.get(all, name);
		},
	});
	const broken = (rules: readonly Rule[]) =>
		rules
			.filter(
				(rule) =>
					(use === "environment" || !rule.environmentOnly) && isBroken(rule, decided),
			)
			.map(({ parameter, message }) => ({
				parameter,
				reason: typeof message === "string" ? message : message(parameters),
			}));
	return {
		problems: [...problems, ...broken(errors)],
		warnings: broken(warnings).map(
			({ parameter, reason }) => `storage.${kind}: ${parameter} ${reason}`,
		),
	};
}

/** A rule asked for a parameter whose value is not known yet, or is wrong by itself: the rule waits. */
class Undecided extends Error {}

function isBroken(rule: Rule, decided: Readonly<Record<string, unknown>>): boolean {
	try {
		return rule.broken(decided);
	} catch (error) {
		if (error instanceof Undecided) return false;
		throw error;
	}
}

/** The kind for which filesystems have this name, too: `gcs` is `gs`. */
function suggestedKind(name: unknown): string {
	const meant = STORAGE_KINDS.find((kind) =>
		STORAGES[kind].otherSchemes?.includes(String(name)),
	);
	return meant === undefined ? "" : ` Did you mean "${meant}"?`;
}

/** What the tools of the cloud provider call parameters of S3. */
const S3_NAMES: Readonly<Record<string, string>> = {
	accessKeyId: "key",
	awsAccessKeyId: "key",
	accessKey: "key",
	secretAccessKey: "secret",
	awsSecretAccessKey: "secret",
	secretKey: "secret",
	sessionToken: "token",
	awsSessionToken: "token",
	endpoint: "endpointUrl",
};

const REGIONS: readonly string[] = ["region", "regionName", "awsRegion"];

/** Says which other spelling or which other storage has the parameter: the two usual mistakes. */
function noSuchParameter(kind: StorageKind, parameter: string): string {
	const names = Object.keys(STORAGES[kind].shape);
	const s3Name = kind === "s3" ? S3_NAMES[camelName(parameter)] : undefined;
	if (s3Name !== undefined) return `is called ${s3Name} here.`;
	if (kind === "s3" && REGIONS.includes(camelName(parameter)))
		return 'is set in clientKwargs: { "region_name": … }.';
	if (names.includes(camelName(parameter)))
		return `is spelled ${camelName(parameter)} here.`;
	const others = STORAGE_KINDS.filter((other) =>
		Object.hasOwn(STORAGES[other].shape, parameter),
	);
	const meant =
		others.length > 0
			? ` It belongs to ${others.map((other) => `storage.${other}`).join(", ")}.`
			: didYouMean(parameter, names);
	const takes = names.length > 0 ? `takes ${names.join(", ")}` : "takes no parameters";
	return `is no parameter of storage.${kind}, which ${takes}.${meant}`;
}

const sentence = (reason: string): string =>
	/[.?!]$/.test(reason) ? reason : `${reason}.`;

const deep = (isUnknown: (value: unknown) => boolean) => {
	const contains = (value: unknown): boolean =>
		isUnknown(value) ||
		(typeof value === "object" &&
			value !== null &&
			Object.values(value).some(contains));
	return contains;
};

// ── URIs ──

/**
 * The storage that a URI belongs to. Throws if the scheme is unknown or the rest has another shape; the text shows
 * only the scheme, because people do write passwords into URIs.
 */
export function storageKindOf(uri: string): StorageKind {
	const match = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/(.*)$/s.exec(uri);
	if (match === null)
		throw new TypeError(
			`A storage URI has the form ${forms()}. This one has no scheme.`,
		);
	const [, scheme = "", rest = ""] = match;
	if (!isStorageKind(scheme)) {
		const lower = scheme.toLowerCase();
		const other = STORAGE_KINDS.find(
			(kind) => kind === lower || STORAGES[kind].otherSchemes?.includes(lower),
		);
		const hint = other ? `Write ${other}:// instead.` : `Use one of ${forms()}.`;
		throw new TypeError(
			`The scheme "${scheme}" of a storage URI is not supported. ${hint}`,
		);
	}
	const { form, rest: shape } = STORAGES[scheme].uri;
	// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there.
	if (!shape.test(rest) || /[\u0000-\u001f\u007f]/.test(rest)) {
		throw new TypeError(
			`A ${scheme} URI has the form ${form}, without user name, password or control characters. Credentials are given ` +
				`as parameters of storage.${scheme}.`,
		);
	}
	return scheme;
}

const forms = (): string =>
	Object.values(STORAGES)
		.map(({ uri }) => uri.form)
		.join(", ");
