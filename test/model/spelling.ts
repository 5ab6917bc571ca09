/** Names of schedules, and what services make of them. */

/** Stack "two" may want a name of stack "one", and is then refused. */
export const NAMES: Readonly<Record<"one" | "two", readonly string[]>> = {
	one: ["a", "b", "c", "d"],
	two: ["d", "e"],
};

/** How a service stores names. */
export const FOLDS = ["none", "case", "form", "space"] as const;
export type Fold = (typeof FOLDS)[number];

const FOLDING: Readonly<Record<Fold, (name: string) => string>> = {
	none: (name) => name,
	case: (name) => name.toLowerCase(),
	form: (name) => name.normalize("NFC"),
	space: (name) => name.trim(),
};
/** The name as such a service stores it. */
export const folded = (fold: Fold, name: string): string => FOLDING[fold](name);
/** What all of them make of it together: two names with the same may be one, on some service. */
export const plainName = (name: string): string =>
	name.trim().normalize("NFC").toLowerCase();

/** The same names in other spellings. The accented letters are one character each, and a letter with an accent behind it. */
export const SPELLINGS: readonly string[] = [
	...NAMES.one.map((name) => name.toUpperCase()),
	"\u00e9",
	"e\u0301",
];
/** A program cannot declare a name with white space around it. */
export const THEIR_NAMES: readonly string[] = [
	"a",
	"b",
	"c",
	"d",
	"e",
	...SPELLINGS,
	" a",
	"b ",
];
