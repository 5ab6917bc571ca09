import { KINDS, type Kind } from "../../schemas/kinds";
import type { Call } from "../context";
import { type Problem, type Props, problem } from "../handler";
import { resourceName } from "../urn";
import { containsUnknown } from "./unknown";

/** One name, one resource; one pipeline, one answer to whether it is paused. `doubled` words what two resources do. */
export function claims(call: Call, kind: Kind, inputs: Props, doubled: string): Problem[] {
	const { nameField } = KINDS[kind];
	const { teamName: team, [nameField]: name } = inputs;
	const known = typeof team === "string" && typeof name === "string" && !containsUnknown([team, name]);
	const other = call.ownership.declare(call.urn, known ? { kind, team, name } : undefined);
	call.declared.set(call.urn, inputs);
	const contradiction = pauseContradiction(call, inputs);
	if (other === undefined) return contradiction;
	const text = `${resourceName(call.urn)} and ${resourceName(other)} ${doubled}`;
	return [...contradiction, problem(nameField, text)];
}

/** Two resources of the program that want one pipeline paused and running. */
function pauseContradiction(
	call: Call,
	{ teamName: team, pipelineName: pipeline, paused }: Props,
): Problem[] {
	if (containsUnknown([team, pipeline, paused])) return [];
	const declared = typeof paused === "boolean" ? paused : undefined;
	const other = call.pauses.declare(call.urn, String(team), String(pipeline), declared);
	if (other === undefined) return [];
	return [
		problem(
			"paused",
			`${resourceName(call.urn)} declares pipeline "${String(pipeline)}" ${paused ? "paused" : "not paused"}, and ` +
				`${resourceName(other)} the opposite. A pipeline is paused as a whole, with all its schedules: declare it in one place.`,
		),
	];
}
