import { posix } from "node:path";
import type { SitePage } from "./pages";

/** The text of HTML, on one line. */
export function textOf(html: string): string {
	return html
		.replace(/<(svg|button)\b.*?<\/\1>/gs, "")
		.replace(/<\/(?:p|li|t[dhr]|pre|div|h\d)>|<br ?\/?>/g, " ")
		.replace(/<[^>]*>/g, "")
		.replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
		.replace(/&(lt|gt|quot|nbsp);/g, (_, name: keyof typeof ENTITIES) => ENTITIES[name])
		.replaceAll("&amp;", "&")
		.replace(/\s+/g, " ")
		.trim();
}

const ENTITIES = { lt: "<", gt: ">", quot: '"', nbsp: " " } as const;

/** A picture that no link surrounds. */
const PICTURE = /(?<!<a [^>]*>)<img src="([^"]+)" alt="([^"]*)"\s*\/?>/g;

/** A picture opens in full, and on a dark page its dark form takes its place where there is one. */
export function withPictures(
	html: string,
	darkForm: (source: string) => string | undefined,
): string {
	return html.replace(PICTURE, (_, source: string, alt: string) => {
		const link = (name: string, file: string) =>
			`<a class="${name}" href="${file}"><img src="${file}" alt="${alt}" loading="lazy"/></a>`;
		const dark = darkForm(source);
		return dark === undefined
			? link("picture", source)
			: link("picture light-only", source) + link("picture dark-only", dark);
	});
}

/** The column with the longest text of each table keeps the width of a sentence, so that the table scrolls instead. */
export function withWideColumns(html: string): string {
	return html.replace(/<table>.*?<\/table>/gs, (table) => {
		const rows = table.split("<tr>").slice(1);
		const longest = new Map<number, number>();
		for (const row of rows)
			for (const [column, [, cell = ""]] of [
				...row.matchAll(/<t[dh][^>]*>(.*?)<\/t[dh]>/gs),
			].entries())
				longest.set(column, Math.max(longest.get(column) ?? 0, textOf(cell).length));
		const [widest] = [...longest].reduce(
			(best, each) => (each[1] > best[1] ? each : best),
			[0, 0],
		);
		let column = -1;
		return table.replace(/<th\b/g, (head) => {
			column++;
			return column === widest ? `${head} class="widest"` : head;
		});
	});
}

/** The part of the index to which a page belongs stands above its title, where the theme repeats the title. */
export const withPart = (html: string, part: string): string =>
	html.replace(
		/<ul class="tsd-breadcrumb".*?<\/ul>/s,
		() => `<p class="page-part">${escaped(part)}</p>`,
	);

/** A part of a page that a search can find: what stands below a heading. */
export interface Section {
	/** Empty for what stands above the first heading of a page. */
	readonly heading: string;
	readonly anchor: string;
	readonly text: string;
}

/** Where the text of a page begins in typedoc's theme, and what we write behind it. */
const START = '<div class="tsd-panel tsd-typography">';
const FOOT = '<nav class="page-foot"';

export function sectionsOf(page: string): Section[] {
	const [, html = ""] = page.split(START);
	const [text = ""] = html.split(FOOT);
	const starts = [...text.matchAll(/<(h[1-6])[^>]* id="([^"]+)"[^>]*>(.*?)<\/\1>/gs)];
	const parts = starts.map((start, index) => {
		const [whole, , anchor = "", heading = ""] = start;
		const below = text.slice(start.index + whole.length, starts[index + 1]?.index);
		return { heading: textOf(heading), anchor, text: textOf(below) };
	});
	const above = textOf(text.slice(0, starts[0]?.index));
	return above === "" ? parts : [{ heading: "", anchor: "", text: above }, ...parts];
}

/** Below a page: the ones before and after it, and where to edit it. A page of the reference has none of these. */
export function pageFoot(
	pages: readonly SitePage[],
	page: SitePage | undefined,
	repositoryUrl: string,
): string {
	if (page === undefined) return "";
	const at = pages.indexOf(page);
	const link = (to: SitePage | undefined, rel: string, label: string): string => {
		if (to === undefined) return "<span></span>";
		const href = posix.relative(posix.dirname(page.address), `${to.address}.html`);
		return `<a rel="${rel}" href="${href}"><small>${label}</small> ${escaped(to.title)}</a>`;
	};
	const edit = `<a class="edit" href="${repositoryUrl}/edit/main/${page.path}">Edit this page</a>`;
	const links = [
		link(pages[at - 1], "prev", "Previous"),
		link(pages[at + 1], "next", "Next"),
	];
	return `${FOOT} aria-label="Pages">${links.join("")}${edit}</nav>`;
}

const escaped = (text: string): string =>
	text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
