import { parseCron } from "./parse";
import { remembering } from "./remember";

/** Loaded with the first description: a deployment without changes writes none. */
const cronstrue = () => (require("cronstrue") as typeof import("cronstrue")).default;

const describe = remembering(
	(canonical) => `${cronstrue().toString(canonical, { verbose: true, use24HourTimeFormat: true })} (UTC)`,
);

/** What the expression means, in plain language: "At 03:00 AM, only on Monday (UTC)". */
export const describeCron = (expression: string): string => describe(parseCron(expression).canonical);
