const MOST = 10;

/** Names for a message, with how many more there are: `"a", "b" and 3 more`. */
export function someOf(names: readonly string[]): string {
	const shown = names.slice(0, MOST).join(", ");
	return names.length > MOST ? `${shown} and ${names.length - MOST} more` : shown;
}

/** All of them for a sentence: `a, b and c`. */
export const list = (names: readonly string[]): string => new Intl.ListFormat("en-GB").format(names);

/** That there is no pipeline of a name, and which ones there are. */
export function noPipeline(
	team: string,
	name: string,
	known: readonly (string | null | undefined)[],
): string {
	const names = known.flatMap((each) => (each ? [JSON.stringify(each)] : []));
	const there = names.length > 0 ? `It has ${someOf(names)}.` : "It has no pipelines yet.";
	return `team ${JSON.stringify(team)} has no pipeline ${JSON.stringify(name)}. ${there}`;
}
