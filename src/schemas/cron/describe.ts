import { parseCron } from "./parse";

/** Loaded with the first description: a deployment without changes writes none. */
const cronstrue = () => (require("cronstrue") as typeof import("cronstrue")).default;

const described = new Map<string, string>();
const MOST_KEPT = 2_000;

/** What the expression means, in plain language: "At 03:00 AM, only on Monday (UTC)". */
export function describeCron(expression: string): string {
	const { canonical } = parseCron(expression);
	const known = described.get(canonical);
	if (known !== undefined) return known;
	const text = `${cronstrue().toString(canonical, { verbose: true, use24HourTimeFormat: true })} (UTC)`;
	if (described.size >= MOST_KEPT) described.clear();
	described.set(canonical, text);
	return text;
}
