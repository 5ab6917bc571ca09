import { parseCron } from "./parse";

/** Loaded with the first description: a deployment without changes writes none. */
const cronstrue = () => (require("cronstrue") as typeof import("cronstrue")).default;

/** What the expression means, in plain language: "At 03:00 AM, only on Monday (UTC)". */
export function describeCron(expression: string): string {
	const { canonical } = parseCron(expression);
	return `${cronstrue().toString(canonical, { verbose: true, use24HourTimeFormat: true })} (UTC)`;
}
