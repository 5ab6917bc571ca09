import fc from "fast-check";
import { z } from "zod";
import {
	clientConfig,
	STORAGE_KINDS,
	STORAGES,
	type StorageConfig,
	storageVariable,
	wireName,
} from "../../../../src/schemas/storage";
import { validConfigs } from "../../../../test/helpers/storage-arbitraries";
import type { DriftCase } from "./cases";

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
export function storageCases(seed: number): { changes: DriftCase[]; spellings: DriftCase[] } {
	const changes: DriftCase[] = [];
	const spellings: DriftCase[] = [];
	for (const kind of KINDS) {
		const size = ({ parameters }: StorageConfig) => Object.keys(parameters).length;
		const configs = fc
			.sample(validConfigs(kind), { seed, numRuns: 400 })
			.filter((config) => size(config) > 0 && isPlain(config))
			.sort((a, b) => size(a) - size(b));
		for (const parameter of Object.keys(STORAGES[kind].shape)) {
			const config = configs.find(({ parameters }) => Object.hasOwn(parameters, parameter));
			if (config === undefined) continue;
			const covers = `storage.${kind}.${parameter}`;
			// The parameters in `kwargs` stand beside the others on the wire.
			const inside = parameter === "kwargs" ? Object.keys(config.parameters.kwargs as object) : [];
			const { [inside[0] ?? wireName(parameter)]: value, ...rest } = clientConfig(config);
			const theirs = { ...rest, [inside[0] ?? wireName(parameter)]: [value, "theirs"] };
			changes.push(caseOf(config, covers, "changed", JSON.stringify(theirs), [covers]));
			changes.push(caseOf(config, covers, "taken away", JSON.stringify(rest), [covers]));
		}
		for (const config of configs
			.filter(({ parameters }) => !Object.hasOwn(parameters, "kwargs"))
			.slice(0, 1)) {
			const named = Object.keys(config.parameters).map((name) => `storage.${kind}.${name}`);
			const added = JSON.stringify({ ...clientConfig(config), added_by_others: 1 });
			changes.push(caseOf(config, `storage.${kind}`, "gone", undefined, named));
			changes.push(caseOf(config, `storage.${kind}`, "unreadable", '{"', named));
			changes.push(caseOf(config, `storage.${kind}`, "added", added, [`storage.${kind}.addedByOthers`]));
			const own = clientConfig(configs.at(-1) ?? config);
			const other = JSON.stringify(Object.fromEntries(Object.entries(own).reverse()), undefined, 1);
			spellings.push(
				caseOf(configs.at(-1) ?? config, `storage.${kind}`, "another order and spaces", other, []),
			);
		}
	}
	return { changes, spellings };
}

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
