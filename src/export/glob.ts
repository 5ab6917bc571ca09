/**
 * Whether the whole text matches the pattern: `*` stands for any characters, `?` for one, everything else for itself.
 * Names of schedules are no paths, so `/` is nothing special. Written out because a regular expression made of a
 * pattern like `*a*a*a*b` can take for ever.
 */
export function matchesGlob(pattern: string, text: string): boolean {
	const [wanted, given] = [Array.from(pattern), Array.from(text)];
	let [at, star, mark] = [0, -1, 0];
	for (let index = 0; index < given.length; ) {
		if (wanted[at] === "*") {
			star = at++;
			mark = index;
		} else if (at < wanted.length && (wanted[at] === "?" || wanted[at] === given[index])) {
			at++;
			index++;
		} else if (star >= 0) {
			at = star + 1;
			index = ++mark;
		} else return false;
	}
	return wanted.slice(at).every((character) => character === "*");
}
