import { isReadableCron, parseLiveCron } from "./parse";
import { remembering } from "./remember";
import { shortCron } from "./short-cron";

/** Loaded with the first description: a deployment without changes writes none. */
const cronstrue = () => (require("cronstrue") as typeof import("cronstrue")).default;

const describe = remembering((canonical) => {
	// The last Friday is L5 to croniter and 5L to cronstrue.
	const text = shortCron(canonical).replace(/L(\d)/g, "$1L");
	const description = cronstrue().toString(text, { use24HourTimeFormat: true });
	const everyDay = /^[\d,]+ [\d,]+ \* \* \*$/.test(text) ? ", every day" : "";
	return `${description}${everyDay} (UTC)`;
});

/** What the expression means, in plain language: "At 03:00, only on Monday (UTC)". */
export const describeCron = (expression: string): string => describe(parseLiveCron(expression).canonical);

/** The same for an expression that somebody else wrote; undefined where it cannot be read. */
export const tryDescribeCron = (expression: string): string | undefined =>
	isReadableCron(expression) ? describeCron(expression) : undefined;
