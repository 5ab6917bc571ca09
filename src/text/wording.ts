import { didYouMean } from "./suggest";

const MOST = 10;

/** Names for a message, with how many more there are: `"a", "b" and 3 more`. */
export function someOf(names: readonly string[]): string {
	const first = names.slice(0, MOST).join(", ");
	return names.length > MOST ? `${first} and ${names.length - MOST} more` : first;
}

/** All of them for a sentence: `a, b and c`. */
export const list = (names: readonly string[]): string =>
	new Intl.ListFormat("en-GB").format(names);

/** That there is no pipeline of a name, and which ones there are. */
export function noPipeline(
	team: string,
	name: string,
	existing: readonly (string | null | undefined)[],
): string {
	const names = existing.flatMap((each) => (each ? [each] : []));
	const all = names.map((each) => JSON.stringify(each));
	const there = all.length > 0 ? `It has ${someOf(all)}.` : "It has no pipelines yet.";
	return `team ${JSON.stringify(team)} has no pipeline ${JSON.stringify(name)}.${didYouMean(name, names)} ${there}`;
}

/** Why something failed, in the error's own words. */
export const messageOf = (error: unknown): string =>
	error instanceof Error ? error.message : String(error);

/** What steers a terminal or turns the direction of text. */
export const STEERING = /[^\P{Cc}\n\t]|\p{Bidi_Control}/gu;

/** The text with what steers spelled out: nothing that others wrote can move the cursor. */
export const visible = (text: string): string =>
	text.replace(STEERING, (control) => {
		const code = control.charCodeAt(0).toString(16);
		return code.length > 2
			? `\\u${code.padStart(4, "0")}`
			: `\\x${code.padStart(2, "0")}`;
	});
