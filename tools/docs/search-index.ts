import type { Section } from "./html";

/** A place of the site, as tools/docs/search.js reads it. */
export interface Place {
	readonly title: string;
	readonly heading: string;
	readonly url: string;
	readonly text: string;
	/** A name of the reference; pages come before them. */
	readonly isName?: true;
	/** Of a page for contributors, or of the changelog: other pages come first. */
	readonly isAside?: true;
}

interface IndexedPage {
	readonly title: string;
	readonly url: string;
	readonly isForUsers: boolean;
}

/** The sections of a page; the title of the page is no section of its own. */
export function placesOfPage(
	{ title, url, isForUsers }: IndexedPage,
	sections: readonly Section[],
): Place[] {
	return sections.map(({ heading, anchor, text }) => {
		const isTop = heading === title || heading === "";
		const where = isTop ? { heading: "", url } : { heading, url: `${url}#${anchor}` };
		return { title, ...where, text, ...(isForUsers ? {} : { isAside: true as const }) };
	});
}

/** A script, because a page that was opened from a file cannot fetch anything. */
export const searchScript = (places: readonly Place[]): string =>
	`window.siteSearch = ${JSON.stringify(places)};\n`;
