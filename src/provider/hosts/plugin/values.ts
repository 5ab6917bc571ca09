import {
	concealWhere,
	isSecretValue,
	type Path,
	type Props,
	UNKNOWN,
} from "../../model/props";

/** Values that are not known yet, by what they will be; the handlers know one spelling. */
const UNKNOWNS: readonly unknown[] = [
	UNKNOWN,
	"1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
	"3eeb2bf0-c639-47a8-9e75-3b44932eb421",
	"6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
	"030794c1-ac77-496b-92df-f27374a8bd58",
	"e48ece36-62e2-4504-bad9-02848725956a",
	"dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
];

/** Properties in plain text, and the paths of the secrets among them. */
export interface Revealed {
	readonly props: Props;
	readonly secrets: readonly Path[];
}

/** Removes the tags. A secret in a list makes the whole list a secret, because positions change with the list. */
export function reveal(tagged: Props | undefined): Revealed {
	const secrets: Path[] = [];
	const clear = (value: unknown, path: Path, inList: boolean): unknown => {
		if (UNKNOWNS.includes(value)) return UNKNOWN;
		if (typeof value !== "object" || value === null) return value;
		if (isSecretValue(value)) {
			if (!secrets.some((other) => samePath(other, path))) secrets.push(path);
			return clear(value.value, path, true);
		}
		if (Array.isArray(value)) return value.map((item) => clear(item, path, true));
		return Object.fromEntries(
			Object.entries(value).map(([key, item]) => [
				key,
				clear(item, inList ? path : [...path, key], inList),
			]),
		);
	};
	const entries = Object.entries(tagged ?? {}).map(([key, value]) => [
		key,
		clear(value, [key], false),
	]);
	return { props: Object.fromEntries(entries), secrets };
}

/** Tags the values at these paths as secrets. */
export const conceal = (props: Props, secrets: readonly Path[]): Props =>
	concealWhere(props, (path) => secrets.some((secret) => samePath(secret, path)));

export const samePath = (a: Path, b: Path): boolean =>
	a.length === b.length && a.every((key, index) => key === b[index]);

/** Both lists, each path once. */
export const union = (...lists: readonly (readonly Path[])[]): readonly Path[] =>
	lists
		.flat()
		.filter(
			(path, index, all) => all.findIndex((other) => samePath(other, path)) === index,
		);

/** As the handlers and the dynamic host spell them: dotted, sorted. */
export const dotted = (paths: readonly Path[]): string[] =>
	paths.map((path) => path.join(".")).sort();
