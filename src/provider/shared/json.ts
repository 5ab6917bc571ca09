import type { Props } from "../handler";

/**
 * Outputs must be JSON with no undefined: the host fails on anything else only *after* the object was made, which
 * would leave an orphan. Undefined and null leave no key behind, so that "not set" has one form in the state.
 */
export function compact(props: Props): Props {
	return JSON.parse(JSON.stringify(setOnly(props))) as Props;
}

/** The same for what is known to be JSON: only the keys that are not set go. */
export function setOnly(props: Props): Props {
	return Object.fromEntries(Object.entries(props).filter(([, v]) => v !== undefined && v !== null));
}

export function pick(props: Props, keys: readonly string[]): Props {
	return Object.fromEntries(keys.filter((key) => props[key] !== undefined).map((key) => [key, props[key]]));
}

export function without<Value>(
	props: Readonly<Record<string, Value>>,
	keys: readonly string[],
): Readonly<Record<string, Value>> {
	return Object.fromEntries(Object.entries(props).filter(([key]) => !keys.includes(key)));
}
