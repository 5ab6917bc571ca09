import cronstrue from "cronstrue";
import { parseCron } from "./parse";

/** What the expression means, in plain language: "At 03:00 AM, only on Monday (UTC)". */
export function describeCron(expression: string): string {
	const { canonical } = parseCron(expression);
	return `${cronstrue.toString(canonical, { verbose: true, use24HourTimeFormat: true })} (UTC)`;
}
