import fc from "fast-check";
import { z } from "zod";
import {
	clientConfig,
	STORAGE_KINDS,
	STORAGES,
	type StorageConfig,
	type StorageKind,
	storageVariable,
	wireName,
} from "../../../../src/schemas/storage";
import { validConfigs } from "../../../../test/helpers/storage-arbitraries";
import type { DriftCase } from "./cases";

/** Storages whose parameters reach the service; the others have none to drift. */
const KINDS = STORAGE_KINDS.filter((kind) => storageVariable(kind) !== undefined);

/** Parameters that exist only in Python cannot be declared. */
export const storageFields = (): string[] =>
	KINDS.flatMap((kind) =>
		Object.entries(STORAGES[kind].shape)
			.filter(([, schema]) => !(unwrapped(schema) instanceof z.ZodNever))
			.map(([name]) => `storage.${kind}.${name}`),
	);

const unwrapped = (schema: z.ZodType): unknown =>
	schema instanceof z.ZodOptional ? unwrapped(schema.unwrap() as z.ZodType) : schema;

/** Each parameter of each storage: changed, taken away, and added to a config without it. */
export function storageCases(seed: number): { changes: DriftCase[]; spellings: DriftCase[] } {
	const changes: DriftCase[] = [];
	const spellings: DriftCase[] = [];
	for (const kind of KINDS) {
		const configs = samples(kind, seed);
		for (const parameter of Object.keys(STORAGES[kind].shape)) {
			const config = configs.find(({ parameters }) => Object.hasOwn(parameters, parameter));
			if (config !== undefined) changes.push(...parameterChanges(config, parameter, configs));
		}
		const [whole] = configs.filter(({ parameters }) => !Object.hasOwn(parameters, "kwargs"));
		if (whole !== undefined) changes.push(...wholeChanges(whole));
		const longest = configs.at(-1);
		if (longest !== undefined) spellings.push(...otherSpellings(longest));
	}
	return { changes, spellings };
}

/** Valid configs, the short ones first, each with something in it and nothing that means "not set". */
function samples(kind: StorageKind, seed: number): StorageConfig[] {
	const configs = fc.sample(validConfigs(kind), { seed, numRuns: 400 });
	const size = ({ parameters }: StorageConfig) => Object.keys(parameters).length;
	return configs.filter((config) => size(config) > 0 && isPlain(config)).sort((a, b) => size(a) - size(b));
}

/** Names in `kwargs` that no parameter has: what is given twice is another matter. */
function isPlain({ parameters }: StorageConfig): boolean {
	const names = Object.keys((parameters.kwargs ?? { "-": 1 }) as object);
	const free = names.length > 0 && !names.some((name) => /^[a-z_]+$/.test(name));
	return free && Object.values(parameters).every((value) => value !== null && value !== undefined);
}

type Live = Readonly<Record<string, unknown>>;

const caseOf = (
	{ kind, parameters }: StorageConfig,
	covers: string,
	what: string,
	value: Live | string | undefined,
	named: readonly string[],
): DriftCase => ({
	kind: "PipelineSettings",
	covers,
	what,
	declared: { storage: { [kind]: parameters } },
	named,
	change: ({ team, pipeline }) =>
		team.setVariable(
			pipeline,
			storageVariable(kind) ?? "",
			typeof value === "object" ? JSON.stringify(value) : value,
		),
});

function parameterChanges(
	config: StorageConfig,
	parameter: string,
	configs: readonly StorageConfig[],
): DriftCase[] {
	const covers = `storage.${config.kind}.${parameter}`;
	const own = clientConfig(config);
	// The parameters in `kwargs` stand beside the others on the wire.
	const inside = parameter === "kwargs" ? Object.keys(config.parameters.kwargs as object)[0] : undefined;
	const wire = inside ?? wireName(parameter);
	const { [wire]: value, ...rest } = own;
	const theirs = typeof value === "string" ? `${value}-theirs` : "theirs";
	const without = configs.find(({ parameters }) => !(parameter in parameters) && !("kwargs" in parameters));
	const found = [
		caseOf(config, covers, "changed", { ...own, [wire]: theirs }, [covers]),
		caseOf(config, covers, "taken away", rest, [covers]),
	];
	// Beside `kwargs`, what somebody adds is a parameter of its own name.
	if (without === undefined || inside !== undefined) return found;
	return [...found, caseOf(without, covers, "added", { ...clientConfig(without), [wire]: value }, [covers])];
}

/** The variable gone, or no JSON any more: a job then has none of the parameters. */
function wholeChanges(config: StorageConfig): DriftCase[] {
	const named = Object.keys(config.parameters).map((name) => `storage.${config.kind}.${name}`);
	const [covers = ""] = named;
	return [
		caseOf(config, covers, "variable gone", undefined, named),
		caseOf(config, covers, "variable unreadable", '{"', named),
	];
}

/** The same dictionary, written in other ways. */
function otherSpellings(config: StorageConfig): DriftCase[] {
	const own = clientConfig(config);
	const same = (what: string, text: string) => caseOf(config, `storage.${config.kind}`, what, text, []);
	return [
		same("another order", JSON.stringify(Object.fromEntries(Object.entries(own).reverse()))),
		same("white space", JSON.stringify(own, undefined, 1)),
		same("everything escaped", escaped(own)),
	];
}

/** Every character of every string as \uXXXX. */
const escaped = (value: unknown): string =>
	JSON.stringify(value).replaceAll(
		/"(?:[^"\\]|\\.)*"/g,
		(text) => `"${String(JSON.parse(text)).replaceAll(/[\s\S]/g, escapedUnit)}"`,
	);

const escapedUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
