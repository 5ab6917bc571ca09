import * as pulumi from "@pulumi/pulumi";
import { isConfig, markCredentials, storageRules } from "../storage/lazy-rules";
import { holdsCredentials, URL_FIELDS } from "../text/credentials";
import { JobFile } from "./job-file";
import { isLater, whenKnown } from "./values";

/** The inputs of what runs, as they travel: those that a job and the settings of a pipeline have in common. */
export const runInputs = (args: pulumi.Inputs, where: string): pulumi.Inputs => ({
	...args,
	...markUrlCredentials(args),
	...(args.storage !== undefined && { storage: storageByKind(args.storage, where) }),
	...(args.files !== undefined && { files: fileIds(args.files, where) }),
});

/**
 * Marks what is secret by nature. It must happen in the program: the engine encrypts by key path what the program
 * marks, and nothing that the provider says later.
 */
const markUrlCredentials = (args: pulumi.Inputs): pulumi.Inputs =>
	Object.fromEntries(
		URL_FIELDS.filter((field) => args[field] !== undefined).map((field) => [
			field,
			marked(args[field]),
		]),
	);

function marked(value: pulumi.Input<unknown>): pulumi.Input<unknown> {
	if (isLater(value) || (Array.isArray(value) && value.some(isLater))) {
		return whenKnown(value, marked);
	}
	return holdsCredentials(value) ? pulumi.secret(value) : value;
}

/** The ids of attached files. What is neither an id nor a JobFile is left for the provider to refuse by its place. */
function fileIds(given: unknown, where: string): unknown {
	if (given === undefined || given === null) return undefined;
	if (isLater(given)) return whenKnown(given, (value) => fileIds(value, where));
	if (!Array.isArray(given)) {
		throw new TypeError(`${where}: files must be a list. Write files: [file].`);
	}
	return given.some((file) => typeof file === "object")
		? pulumi.output(given.map(idOf(where)))
		: given;
}

const idOf =
	(where: string) =>
	(file: unknown, index: number): unknown => {
		if (isLater(file)) return whenKnown(file, (value) => idOf(where)(value, index));
		if (file instanceof JobFile) return file.id;
		if (!pulumi.Resource.isInstance(file) && !pulumi.asset.Asset.isInstance(file))
			return file;
		throw new TypeError(
			`${where}: files[${index}] must be a JobFile or the id of an uploaded file. Upload it with new JobFile("name", { source: … }).`,
		);
	};

/**
 * Storage configs as they travel: their parameters by kind. The engine encrypts a list with a secret in it as a
 * whole; in an object it encrypts each secret by itself, so that a diff can name what differs. Shapes that are no
 * configs are refused here, because their values could not travel as the secrets they may be.
 */
function storageByKind(given: unknown, where: string): unknown {
	if (given === undefined || given === null) return undefined;
	if (isLater(given) || (Array.isArray(given) && given.some(isLater))) {
		return whenKnown(given, (value) => storageByKind(value, where));
	}
	if (Array.isArray(given)) return fromList(given, where);
	if (isConfig(given)) return fromList([given], where);
	if (typeof given === "object") return fromMap(given, where);
	throw new TypeError(
		`${where}: storage must be a list. Write storage: [storage.s3({ … })].`,
	);
}

function fromList(configs: readonly unknown[], where: string): Record<string, unknown> {
	const byKind: Record<string, unknown> = {};
	for (const [index, config] of configs.entries()) {
		if (!isConfig(config))
			throw new TypeError(`${where}: storage[${index}] ${noConfig(config)}`);
		const { kind, parameters } = config;
		// A second config of one kind is kept apart for the provider to refuse.
		const key = kind in byKind ? `${kind}${storageRules().REPEATED_KIND}` : kind;
		byKind[key] = parametersOf(kind, parameters, where);
	}
	return byKind;
}

function fromMap(configs: object, where: string): Record<string, unknown> {
	const entries = Object.entries(configs).filter(
		([, value]) => value !== undefined && value !== null,
	);
	return Object.fromEntries(
		entries.map(([kind, value]) => [kind, parametersOf(kind, value, where)]),
	);
}

function parametersOf(kind: string, value: unknown, where: string): unknown {
	// The provider refuses such a kind by its name; what was given for it stays here.
	if (!storageRules().isStorageKind(kind)) return {};
	if (isLater(value)) {
		return whenKnown(value, (resolved) => parametersOf(kind, resolved, where));
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
	const { isStorageKind, STORAGE_KINDS } = storageRules();
	const keys = typeof value === "object" && value !== null ? Object.keys(value) : [];
	const kind = keys.find(isStorageKind);
	if (kind === undefined)
		return `is no storage config. Make it with storage.${STORAGE_KINDS.join(", ")} or forUri.`;
	return `is no storage config. Write storage.${kind}({ … }) in the list, or storage: { ${kind}: { … } } without one.`;
}
