import { z } from "zod";
import { nameIn, parsePrinted } from "../drift/state";
import { isTypeOf } from "../schemas/kinds";
import { scheduleOfInputs } from "./from-state";
import type { ForecastSchedule } from "./subject";

const stateSchema = z.looseObject({ type: z.string(), inputs: z.record(z.string(), z.unknown()).optional() });
const stepSchema = z.looseObject({ op: z.string(), urn: z.string(), newState: stateSchema.nullish() });
const previewSchema = z.looseObject({ steps: z.array(stepSchema).nullish() });

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
	const { steps } = previewSchema.parse(parsePrinted(text, "preview", "pulumi preview"));
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
