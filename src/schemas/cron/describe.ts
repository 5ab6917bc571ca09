import { remembering } from "../remember";
import { isReadableCron, parseLiveCron } from "./parse";
import { shortCron } from "./short-cron";
import { wordsFor } from "./words";

/** Loaded with the first description that needs it: a deployment without changes writes none. */
const cronstrue = () => (require("cronstrue") as typeof import("cronstrue")).default;

const describe = remembering((canonical: string, zone: string) => {
	const text = shortCron(canonical);
	return wordsFor(text, zone) ?? atLength(text, zone);
});

function atLength(text: string, zone: string): string {
	// The last Friday is L5 to croniter and 5L to cronstrue.
	const words = cronstrue().toString(text.replace(/L(\d)/g, "$1L"), { use24HourTimeFormat: true });
	return `${words.charAt(0).toLowerCase()}${words.slice(1)} (${zone})`;
}

/** What the expression means, in plain language: "every Monday at 03:00 UTC". */
export const describeCron = (expression: string, zone = "UTC"): string =>
	describe(parseLiveCron(expression).canonical, zone);

/** The same for an expression that somebody else wrote; undefined where it cannot be read. */
export const tryDescribeCron = (expression: string, zone?: string): string | undefined =>
	isReadableCron(expression) ? describeCron(expression, zone) : undefined;
