/** Plain JSON, as it travels between a host and the handlers. */
export type Props = Readonly<Record<string, unknown>>;

/** A reason why inputs cannot be used. The text names the field itself; it never carries a value that may be secret. */
export interface Problem {
	readonly field: string;
	readonly reason: string;
}

export const problem = (field: string, text: string): Problem => ({
	field,
	reason: `${field}: ${text}`,
});

export interface CheckResult {
	readonly inputs: Props;
	readonly problems: readonly Problem[];
}

/**
 * Outputs must be JSON with no undefined: the host fails on anything else only *after* the object was made, which
 * would leave an orphan. Undefined and null leave no key behind, so that "not set" has one form in the state. The hosts
 * do this with what the kinds answer.
 */
export function compact(props: Props): Props {
	return JSON.parse(JSON.stringify(setOnly(props))) as Props;
}

/** The same for what is known to be JSON: only the keys that are not set go. */
export function setOnly(props: Props): Props {
	return Object.fromEntries(
		Object.entries(props).filter(([, v]) => v !== undefined && v !== null),
	);
}

export function pick(props: Props, keys: readonly string[]): Props {
	return Object.fromEntries(
		keys.filter((key) => props[key] !== undefined).map((key) => [key, props[key]]),
	);
}

export function without<Value>(
	props: Readonly<Record<string, Value>>,
	keys: readonly string[],
): Readonly<Record<string, Value>> {
	return Object.fromEntries(
		Object.entries(props).filter(([key]) => !keys.includes(key)),
	);
}

/** How Pulumi tags a value that is more than JSON, and which of them are secrets. */
export const SIGNATURE = "4dabf18193072939515e22adb298388d";
export const SECRET = "1b47061264138c4ac30d75fd1eb44270";

export const secretValue = (value: unknown): Props => ({ [SIGNATURE]: SECRET, value });

export const isSecretValue = (value: unknown): value is { value: unknown } =>
	typeof value === "object" &&
	value !== null &&
	SIGNATURE in value &&
	value[SIGNATURE] === SECRET &&
	"value" in value;

/** Where a value stands: the keys on the way to it. */
export type Path = readonly string[];

/** Tags the values as secrets whose paths are. */
export function concealWhere(props: Props, isSecret: (path: Path) => boolean): Props {
	const hidden = (value: unknown, path: Path): unknown => {
		if (value === undefined || isSecretValue(value)) return value;
		if (isSecret(path)) return secretValue(value);
		if (typeof value !== "object" || value === null || Array.isArray(value))
			return value;
		return Object.fromEntries(
			Object.entries(value).map(([key, item]) => [key, hidden(item, [...path, key])]),
		);
	};
	return Object.fromEntries(
		Object.entries(props).map(([key, value]) => [key, hidden(value, [key])]),
	);
}

/**
 * How Pulumi spells a value that is not known before the deployment. The host hands it over as this plain string.
 * Written out here because the provider process runs without the SDK's runtime.
 */
export const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

export const isUnknown = (value: unknown): boolean => value === UNKNOWN;

/** True if the value or anything inside it is not known yet. */
export function containsUnknown(value: unknown): boolean {
	if (isUnknown(value)) return true;
	return (
		typeof value === "object" &&
		value !== null &&
		Object.values(value).some(containsUnknown)
	);
}
