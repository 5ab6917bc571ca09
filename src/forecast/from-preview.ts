import { z } from "zod";
import { nameIn } from "../drift/state";
import { isTypeOf } from "../schemas/kinds";
import { scheduleOfInputs } from "./from-state";
import type { ForecastSchedule } from "./subject";

const previewSchema = z.looseObject({
	steps: z
		.array(
			z.looseObject({
				op: z.string(),
				urn: z.string(),
				newState: z
					.looseObject({ type: z.string(), inputs: z.record(z.string(), z.unknown()).optional() })
					.nullish(),
			}),
		)
		.nullish(),
});

/**
 * The schedules as the program declares them, by URN: those of the state, with the steps of `pulumi preview --json`
 * applied. The preview leaves out what stays the same.
 */
export function schedulesOfPreview(
	text: string,
	deployed: ReadonlyMap<string, ForecastSchedule>,
	teamName: string,
): Map<string, ForecastSchedule> {
	const declared = new Map(deployed);
	const { steps } = previewSchema.parse(parseJson(text));
	for (const { op, urn, newState } of steps ?? []) {
		if (op === "delete") declared.delete(urn);
		if (newState?.inputs === undefined || !isTypeOf("PipelineSchedule", newState.type) || !MAKES.has(op))
			continue;
		const schedule = scheduleOfInputs(newState.inputs, nameIn(urn), teamName);
		declared.set(urn, { ...schedule, id: deployed.get(urn)?.id });
	}
	return declared;
}

/** Steps after which the resource is as its new inputs say. */
const MAKES = new Set(["create", "update", "same", "replace", "create-replacement"]);

function parseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		throw new Error(
			"The Pulumi CLI did not print a preview that can be read. Run `pulumi preview` to see why.",
		);
	}
}
