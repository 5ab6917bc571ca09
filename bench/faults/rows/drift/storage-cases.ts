import {
	clientConfig,
	STORAGE_KINDS,
	type StorageConfig,
	type StorageKind,
	storageVariable,
	wireName,
} from "../../../../src/schemas/storage";
import { type DriftCase, inSettingsCase as of, set } from "./case";
import { configWith, declarable } from "./storage-values";

type Live = Record<string, unknown>;

/** Storages whose parameters reach the service; the others have none to drift. */
export const liveKinds = (): StorageKind[] =>
	STORAGE_KINDS.filter((kind) => storageVariable(kind) !== undefined);

/** Each parameter of each storage: changed, taken away, and added to a config without it. */
export function storageChanges(): DriftCase[] {
	return liveKinds().flatMap((kind) => [
		...declarable(kind).flatMap((parameter) => parameterChanges(configWith(kind, parameter), parameter)),
		...wholeChanges(kind),
	]);
}

function parameterChanges(config: StorageConfig, parameter: string): DriftCase[] {
	const { kind } = config;
	const covers = `storage.${kind}.${parameter}`;
	const own = clientConfig(config);
	// The parameters in `kwargs` stand beside the others on the wire.
	const [wire = ""] =
		parameter === "kwargs" ? Object.keys((config.parameters.kwargs ?? {}) as object) : [wireName(parameter)];
	const { [wire]: value, ...others } = own;
	const declared = { storage: { [kind]: config.parameters } };
	const changes = [
		of(covers, "changed", declared, write(kind, { ...own, [wire]: otherThan(value) })),
		of(covers, "taken away", declared, write(kind, others)),
	];
	// Beside `kwargs`, what someone adds is a parameter of its own name.
	if (parameter === "kwargs") return changes;
	return [...changes, added(config, parameter, { [wire]: value })];
}

function added({ kind }: StorageConfig, parameter: string, live: Live): DriftCase {
	const others = declarable(kind)
		.filter((name) => name !== parameter)
		.map((name) => configWith(kind, name));
	const base = others.find(({ parameters }) => !(parameter in parameters)) ?? { kind, parameters: {} };
	const declared = { storage: { [kind]: base.parameters } };
	return of(
		`storage.${kind}.${parameter}`,
		"added",
		declared,
		write(kind, { ...clientConfig(base), ...live }),
	);
}

/** The variable gone, or no JSON any more: a job then has none of the parameters. */
function wholeChanges(kind: StorageKind): DriftCase[] {
	const [parameter = ""] = declarable(kind);
	const { parameters } = configWith(kind, parameter);
	const named = Object.keys(parameters).map((name) => `storage.${kind}.${name}`);
	const declared = { storage: { [kind]: parameters } };
	const covers = `storage.${kind}.${parameter}`;
	return [
		of(covers, "variable gone", declared, set({ environment: "OTHER=1" }), named),
		of(covers, "variable unreadable", declared, set({ environment: `${storageVariable(kind)}={"` }), named),
	];
}

const write = (kind: StorageKind, live: Live, text = JSON.stringify(live)): DriftCase["change"] =>
	set({ environment: `${storageVariable(kind)}=${text}` });

function otherThan(value: unknown): unknown {
	if (typeof value === "boolean") return !value;
	if (typeof value === "number") return value + 1;
	if (typeof value === "string") return `${value}-theirs`;
	return { ...(value as object), theirs: true };
}

/** The same dictionary, written in other ways. */
export function storageSpellings(): DriftCase[] {
	return liveKinds().flatMap((kind) => {
		const [parameter = ""] = declarable(kind).filter((name) => name === "clientKwargs" || name === "token");
		const config = configWith(kind, parameter || (declarable(kind)[0] ?? ""));
		const own = clientConfig(config);
		const declared = { storage: { [kind]: config.parameters } };
		const same = (what: string, text: string) =>
			of(`storage.${kind}`, what, declared, write(kind, own, text), []);
		return [
			same("another order", JSON.stringify(reversed(own))),
			same("white space", JSON.stringify(own, undefined, 1).replaceAll("\n", " ")),
			same("everything escaped", escaped(own)),
			of(
				`storage.${kind}`,
				"variables of others beside it",
				declared,
				set({ environment: `${storageVariable(kind)}=${JSON.stringify(own)}\nTHEIRS=1` }),
				[],
			),
		];
	});
}

function reversed(value: unknown): unknown {
	if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
	return Object.fromEntries(
		Object.entries(value)
			.reverse()
			.map(([key, item]) => [key, reversed(item)]),
	);
}

/** Every character of every string as \uXXXX. */
const escaped = (value: unknown): string =>
	JSON.stringify(value).replaceAll(
		/"([^"\\]*)"/g,
		(_, text: string) =>
			`"${[...text].map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`).join("")}"`,
	);
