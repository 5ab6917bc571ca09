import fc from "fast-check";
import { z } from "zod";
import {
	clientConfig,
	STORAGE_KINDS,
	STORAGES,
	type StorageConfig,
	storageVariable,
	wireName,
} from "../../src/schemas/storage";
import type { DriftCase } from "./drift-cases";
import { validConfigs } from "./storage-arbitraries";

/** Storages whose parameters reach the service; the others have none to drift. */
const KINDS = STORAGE_KINDS.filter((kind) => storageVariable(kind) !== undefined);

/** Every parameter that can be declared; those that exist only in Python cannot. */
export const storageFields = (): string[] =>
	KINDS.flatMap((kind) =>
		Object.entries(STORAGES[kind].shape)
			.filter(([, schema]) => !(schema instanceof z.ZodOptional && schema.unwrap() instanceof z.ZodNever))
			.map(([name]) => `storage.${kind}.${name}`),
	);

/** Each parameter of each storage changed and taken away, the whole variable gone, and spellings of the same. */
export const storageCases = (seed: number): DriftCase[] =>
	KINDS.flatMap((kind) => {
		const size = ({ parameters }: StorageConfig) => Object.keys(parameters).length;
		const configs = fc
			.sample(validConfigs(kind), { seed, numRuns: 400 })
			.filter((config) => size(config) > 0 && isPlain(config))
			.sort((a, b) => size(a) - size(b));
		const each = Object.keys(STORAGES[kind].shape).flatMap((parameter) => {
			const config = configs.find(({ parameters }) => Object.hasOwn(parameters, parameter));
			if (config === undefined) return [];
			const covers = `storage.${kind}.${parameter}`;
			// The parameters in `kwargs` stand beside the others on the wire.
			const [inside] = parameter === "kwargs" ? Object.keys(config.parameters.kwargs as object) : [];
			const { [inside ?? wireName(parameter)]: value, ...rest } = clientConfig(config);
			const theirs = { ...rest, [inside ?? wireName(parameter)]: [value, "theirs"] };
			return [
				caseOf(config, covers, "changed", JSON.stringify(theirs), [covers]),
				caseOf(config, covers, "taken away", JSON.stringify(rest), [covers]),
			];
		});
		const [small] = configs.filter(({ parameters }) => !Object.hasOwn(parameters, "kwargs"));
		const large = configs.at(-1);
		if (small === undefined || large === undefined) throw new Error(`No config of ${kind} was drawn.`);
		const whole = `storage.${kind}`;
		const named = Object.keys(small.parameters).map((name) => `${whole}.${name}`);
		const added = JSON.stringify({ ...clientConfig(small), added_by_others: 1 });
		const backwards = Object.fromEntries(Object.entries(clientConfig(large)).reverse());
		return [
			...each,
			caseOf(small, whole, "gone", undefined, named),
			caseOf(small, whole, "unreadable", '{"', named),
			caseOf(small, whole, "added", added, [`${whole}.addedByOthers`]),
			caseOf(large, whole, "another order and spaces", JSON.stringify(backwards, undefined, 1), []),
		];
	});

/** Names in `kwargs` that no parameter has: what is given twice is another matter. */
function isPlain({ parameters }: StorageConfig): boolean {
	const names = Object.keys((parameters.kwargs ?? { "-": 1 }) as object);
	const free = names.length > 0 && !names.some((name) => /^[a-z_]+$/.test(name));
	return free && Object.values(parameters).every((value) => value !== null && value !== undefined);
}

const caseOf = (
	{ kind, parameters }: StorageConfig,
	covers: string,
	what: string,
	value: string | undefined,
	named: readonly string[],
): DriftCase => ({
	kind: "PipelineSettings",
	covers,
	what,
	declared: { storage: { [kind]: parameters } },
	named,
	change: ({ team, pipeline }) => team.setVariable(pipeline, storageVariable(kind) ?? "", value),
});
