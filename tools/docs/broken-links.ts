import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

const unescaped = (text: string): string =>
	text.replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&amp;", "&");

/** Links between the pages of a site, and to their headings, that lead nowhere: `page: link`. */
export function brokenLinks(site: string): string[] {
	const pages = new Map(
		readdirSync(site, { recursive: true, encoding: "utf8" })
			.filter((path) => path.endsWith(".html"))
			.map((path) => [normalize(path), readFileSync(join(site, path), "utf8")]),
	);
	const anchors = new Map(
		[...pages].map(([path, text]) => [path, new Set(attributes(text, /\bid="([^"]+)"/g))]),
	);
	return [...pages].flatMap(([page, text]) =>
		[...new Set(attributes(text, /\b(?:href|src)="([^"]+)"/g))]
			.filter((link) => !/^[a-z]+:/.test(link) && !leadsSomewhere(page, link))
			.map((link) => `${page}: ${link}`),
	);

	function leadsSomewhere(page: string, link: string): boolean {
		const [path = "", anchor = ""] = link.split("#").map(decodeURIComponent);
		const target = path === "" ? page : normalize(join(dirname(page), path));
		if (!existsSync(join(site, target))) return false;
		return anchor === "" || anchors.get(target)?.has(anchor) !== false;
	}
}

const attributes = (text: string, pattern: RegExp): string[] =>
	[...text.matchAll(pattern)].map(([, value = ""]) => unescaped(value));
