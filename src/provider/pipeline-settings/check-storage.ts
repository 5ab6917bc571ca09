import { checkStorage, storageVariable } from "../../schemas/storage";
import type { ProviderContext } from "../context";
import type { Problem, Props } from "../handler";
import { isUnknown } from "../shared/unknown";
import { storageConfigs } from "./environment";

/** The rules of the storage configs, and those between them: one per kind, and no variable declared twice. */
export function checkStorageConfigs(context: ProviderContext, inputs: Props): Problem[] {
	if (inputs.storage === undefined || isUnknown(inputs.storage)) return [];
	if (!Array.isArray(inputs.storage))
		return [problem("must be a list of storage configs, such as [storage.s3({ … })].")];
	const problems: Problem[] = [];
	const kinds = new Set<string>();
	for (const [index, config] of inputs.storage.entries()) {
		const findings = checkStorage(config, isUnknown);
		for (const warning of findings.warnings) context.notice(`Pipeline "${inputs.pipelineName}": ${warning}`);
		const kind = (config as Props | null)?.kind;
		for (const { parameter, reason } of findings.problems) {
			problems.push(problem(reason, typeof kind === "string" ? `.${kind}` : `[${index}]`, parameter));
		}
		if (typeof kind !== "string") continue;
		if (kinds.has(kind))
			problems.push(
				problem(`is given twice. A pipeline has one config for each kind of storage.`, `.${kind}`),
			);
		kinds.add(kind);
	}
	return problems.length > 0 ? problems : clashes(inputs);
}

function clashes(inputs: Props): Problem[] {
	const names = Object.keys((inputs.environment ?? {}) as object);
	return storageConfigs(inputs).flatMap(({ kind }) => {
		const variable = storageVariable(kind);
		if (variable === undefined || !names.includes(variable)) return [];
		return [
			problem(
				`writes the variable ${variable}, which environment declares too. Remove one of the two.`,
				`.${kind}`,
			),
		];
	});
}

function problem(reason: string, where = "", parameter = ""): Problem {
	return { field: "storage", reason: `storage${where}${parameter && `.${parameter}`} ${reason}` };
}
