import { createHash } from "node:crypto";

/** What one exported object is called: in the state, and in the code. */
export interface ObjectNames {
	/** Name of the Pulumi resource: words joined with `-`. */
	readonly resource: string;
	/** Name of the constant that holds it. */
	readonly identifier: string;
}

/** Longer names are cut: the whole name stands beside them in the code. */
const LONGEST = 40;

/**
 * Letters that every TypeScript since 4.0 takes in an identifier. Not `\p{L}`: a newer Node knows letters that the
 * user's compiler does not.
 */
const WORD =
	/[a-zA-Z0-9\u00df-\u00f6\u00f8-\u00ff\u03ac-\u03ce\u0430-\u045f\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fa5\uac00-\ud7a3]+/g;

/** Words of the language, and names that a CommonJS module or the generated files already have. */
const RESERVED = new Set(
	(
		"abstract any arguments as async await boolean break case catch class config const constructor continue datachain " +
		"debugger declare default delete do else enum eval export exports extends false finally for from function get " +
		"globalThis if implements import in infer instanceof interface is keyof let module namespace never new null number " +
		"object of package private protected public pulumi readonly require return set static string super switch symbol " +
		"then this throw true try type typeof undefined unique unknown var void while with yield"
	).split(" "),
);

/**
 * Names for objects called `names` on the service: readable, and never the same for two of them. The result depends on
 * the set of names only. Where two would get the same name, both carry a piece of the hash of their own, so that a
 * third one does not shift theirs; one that is spelled like its resource keeps it plain.
 */
export function objectNames(
	names: readonly string[],
	fallback: string,
): (name: string) => ObjectNames {
	const resource = distinct(names, (name) => slug(name, fallback), "-");
	const identifier = distinct(
		names,
		(name) => identifierOf(resource(name), fallback),
		"_",
	);
	return (name) => ({ resource: resource(name), identifier: identifier(name) });
}

/** Words of lower case joined with `-`; `fallback` where the name has none. */
export function slug(name: string, fallback: string): string {
	// é reads as e; in other scripts the marks make other letters, and stay.
	const folded = name
		.normalize("NFKD")
		.replace(/([a-z])\p{M}+/giu, "$1")
		.normalize("NFC")
		.toLowerCase();
	const words = folded.match(WORD) ?? [];
	return words.join("-").slice(0, LONGEST).replace(/-$/, "") || fallback;
}

function identifierOf(resource: string, fallback: string): string {
	const [first = fallback, ...others] = resource.split("-");
	const camel =
		first + others.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
	if (/^\d/.test(camel) || RESERVED.has(camel))
		return fallback + camel.charAt(0).toUpperCase() + camel.slice(1);
	return camel;
}

function distinct(
	names: readonly string[],
	base: (name: string) => string,
	joint: string,
): (name: string) => string {
	const sharers = new Map<string, number>();
	for (const name of new Set(names))
		sharers.set(base(name), (sharers.get(base(name)) ?? 0) + 1);
	return (name) => {
		const plain = base(name);
		if (sharers.get(plain) === 1 || plain === name) return plain;
		const hash = createHash("sha256").update(name, "utf16le").digest("hex");
		return `${plain}${joint}${hash.slice(0, 6)}`;
	};
}
