/** Where the links of a published README lead: the files of its own version, which the package does not carry. */
export interface Home {
	/** Page of the repository. */
	readonly repository: string;
	readonly version: string;
}

const isImage = (target: string): boolean => /\.(?:gif|jpe?g|png|svg|webp)$/i.test(target);

/** Code, in which brackets and parentheses mean other things. */
const CODE = /(^```[\s\S]*?^```$|`[^`\n]*`)/m;
/** The beginning of a link in Markdown or HTML, and a target that is neither a URL nor a place on the same page. */
const RELATIVE = /(\]\(|^\[[^\]\n]+\]:\s+|\b(?:href|src|srcset)=")(?![a-z][a-z\d+.-]*:|[#/])([^)\s"]+)/gim;

/** The text with every relative link led to the repository at this version. */
export function absoluteLinks(text: string, { repository, version }: Home): string {
	return text
		.split(CODE)
		.map((part, index) =>
			// What the pattern of a split captures are the odd parts.
			index % 2 === 1
				? part
				: part.replace(
						RELATIVE,
						(_, before: string, target: string) =>
							`${before}${repository}/${isImage(target) ? "raw" : "blob"}/v${version}/${target}`,
					),
		)
		.join("");
}

/** The inverse. */
export function relativeLinks(text: string, { repository, version }: Home): string {
	return ["blob", "raw"].reduce(
		(result, kind) => result.replaceAll(`${repository}/${kind}/v${version}/`, ""),
		text,
	);
}
