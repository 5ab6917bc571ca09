import type { Props } from "../provider/handler";
import { KINDS, type Kind } from "../schemas/kinds";
import { holdsCredentials, URL_FIELDS } from "../schemas/secret-fields";
import { isStorageKind, SECRET_PARAMETERS } from "../schemas/storage";
import type { Path } from "./values";

/**
 * What is secret by nature, whether or not the program says so: URLs with a password, the credentials of storages,
 * what was there before. In TypeScript the classes mark it; other languages have no classes of ours.
 */
export function naturalSecrets(kind: Kind, props: Props): Path[] {
	const urls = URL_FIELDS.filter((field) => holdsCredentials(props[field])).map((field) => [field]);
	return [...urls, ...storageCredentials(props.storage), ...KINDS[kind].secretOutputs.map((name) => [name])];
}

function storageCredentials(storage: unknown): Path[] {
	if (typeof storage !== "object" || storage === null) return [];
	if (Array.isArray(storage)) return [["storage"]];
	return Object.entries(storage).flatMap(([kind, parameters]) => {
		// Nobody can say which values of an unknown kind are credentials; it is refused, and kept secret until then.
		if (!isStorageKind(kind)) return [["storage", kind]];
		if (typeof parameters !== "object" || parameters === null) return [];
		return SECRET_PARAMETERS[kind]
			.filter((name) => name in parameters)
			.map((name) => ["storage", kind, name]);
	});
}
