import { checkStorage, REPEATED_KIND, storageVariable } from "../../schemas/storage";
import type { Call } from "../context";
import type { Problem, Props } from "../handler";
import { isKept } from "../shared/check-fields";
import { containsForeign, isForeign } from "../shared/foreign";
import { isUnknown } from "../shared/unknown";
import { storageConfigs } from "./environment";

/** The rules of the storage configs, and those between them: one per kind, and no variable declared twice. */
export function checkStorageConfigs(
	call: Call,
	olds: Props,
	inputs: Props,
	owner = `Pipeline "${inputs.pipelineName}"`,
): Problem[] {
	const { storage } = inputs;
	if (storage === undefined || isUnknown(storage)) return [];
	if (typeof storage !== "object" || storage === null || Array.isArray(storage)) {
		return [problem("must be given by kind, such as { s3: { … } }.")];
	}
	const problems = Object.entries(storage).flatMap(([key, parameters]) => {
		const [kind = key, again] = key.split(REPEATED_KIND);
		if (again !== undefined) {
			return [problem("is given twice. A pipeline has one config for each kind of storage.", `.${kind}`)];
		}
		// With `ignoreChanges` what somebody else set comes back as a mark, in place of a value of any type.
		const findings = checkStorage({ kind, parameters }, (value) => isUnknown(value) || isForeign(value));
		for (const warning of findings.warnings) call.notice(`${owner}: ${warning}`);
		if (isKept(olds.storage, storage)) return [];
		return findings.problems
			.filter(({ parameter }) => !containsForeign(Object(parameters)[parameter]))
			.map(({ parameter, reason }) => problem(reason, `.${kind}`, parameter));
	});
	return problems.length > 0 ? problems : clashes(inputs);
}

function clashes(inputs: Props): Problem[] {
	const names = Object.keys((inputs.environment ?? {}) as object);
	return storageConfigs(inputs).flatMap(({ kind }) => {
		const variable = storageVariable(kind);
		if (variable === undefined || !names.includes(variable)) return [];
		const reason = `writes the variable ${variable}, which environment declares too. Remove one of the two.`;
		return [problem(reason, `.${kind}`)];
	});
}

function problem(reason: string, where = "", parameter = ""): Problem {
	return { field: "storage", reason: `storage${where}${parameter && `.${parameter}`} ${reason}` };
}
