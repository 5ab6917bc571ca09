import { isLater, whenKnown } from "../boundary/sdk-output";
import { isConfig, markCredentials } from "../storage/mark-credentials";
import { storageSchemas } from "../storage/schemas";

/**
 * Storage configs as they travel: their parameters by kind. The engine encrypts a list with a secret in it as a
 * whole; in an object it encrypts each secret by itself, so that a diff can name what differs. Shapes that are no
 * configs are refused here, because their values could not travel as the secrets they may be.
 */
export function storageByKind(given: unknown, where: string): unknown {
	if (given === undefined || given === null) return undefined;
	if (isLater(given) || (Array.isArray(given) && given.some(isLater))) {
		return whenKnown(given, (known) => storageByKind(known, where));
	}
	if (Array.isArray(given)) return fromList(given, where);
	if (typeof given === "object" && !isConfig(given)) return fromMap(given, where);
	throw new TypeError(`${where}: storage must be a list. Write storage: [storage.s3({ … })].`);
}

function fromList(configs: readonly unknown[], where: string): Record<string, unknown> {
	const found: Record<string, unknown> = {};
	for (const [index, config] of configs.entries()) {
		if (!isConfig(config)) throw new TypeError(`${where}: storage[${index}] ${noConfig(config)}`);
		const { kind, parameters } = config;
		// A second config of one kind is kept apart for the provider to refuse.
		const key = kind in found ? `${kind}${storageSchemas().REPEATED_KIND}` : kind;
		found[key] = parametersOf(kind, parameters, where);
	}
	return found;
}

function fromMap(configs: object, where: string): Record<string, unknown> {
	const entries = Object.entries(configs).filter(([, value]) => value !== undefined && value !== null);
	return Object.fromEntries(entries.map(([kind, value]) => [kind, parametersOf(kind, value, where)]));
}

function parametersOf(kind: string, value: unknown, where: string): unknown {
	// The provider refuses such a kind by its name; what was given for it stays here.
	if (!storageSchemas().isStorageKind(kind)) return {};
	if (isLater(value)) {
		return whenKnown(value, (known) => parametersOf(kind, known, where));
	}
	if (isConfig(value)) {
		if (value.kind === kind) return markCredentials(kind, value.parameters);
		throw new TypeError(
			`${where}: storage.${kind} has a config made with storage.${value.kind}. Use storage.${kind}({ … }).`,
		);
	}
	if (typeof value === "object" && value !== null && !Array.isArray(value))
		return markCredentials(kind, value);
	throw new TypeError(
		`${where}: storage.${kind} must be an object with parameters, or storage.${kind}({ … }).`,
	);
}

function noConfig(value: unknown): string {
	const { isStorageKind, STORAGE_KINDS } = storageSchemas();
	const keys = typeof value === "object" && value !== null ? Object.keys(value) : [];
	const kind = keys.find(isStorageKind);
	if (kind === undefined)
		return `is no storage config. Make it with storage.${STORAGE_KINDS.join(", ")} or forUri.`;
	return `is no storage config. Write storage.${kind}({ … }) in the list, or storage: { ${kind}: { … } } without one.`;
}
